#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/rashomon/measure.hpp"
#include "core/rashomon/meter.hpp"
#include "core/tree/flat.hpp"

namespace orderless::rashomon {

/// A feature along which labels must not fall, or must not rise.
struct Direction {
  std::size_t column = 0;  // some column about the feature, whose values have an order
  bool rises = true;
  bool has_nan = false;  // the feature's last bin is NaN, which is not more or less than any value
};

/// Whether trees are monotone as functions of the features: of any two points of the space that
/// differ in one such feature alone, the one with more of it gets no smaller label (no larger one).
/// Per tree: pairs of leaves x features that it asks.
[[nodiscard]] std::vector<std::uint8_t> monotone(const FlatTreesView& trees,
                                                 const SpaceMeasure& measure,
                                                 std::span<const Direction> directions,
                                                 Meter& meter);

}  // namespace orderless::rashomon
