#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/ensembles/sum.hpp"

namespace orderless::ensembles {

/// How wide the ranges of the scores are that bounds leave in a box, and how much of it each
/// feature leaves once its bin is known. A range goes from the sum of each tree's smallest leaf to
/// that of its largest; all scores are counted.
struct Ranges {
  std::int64_t now = 0;
  /// By feature, over all of its bins in the box: the sum of the widths of those in which bounds do
  /// not settle the class, as high * 2^32 + low.
  std::vector<std::int64_t> high, low;
  std::vector<std::uint8_t> asked;  // by feature: whether a tree still asks about it
};

/// For sums of at most 2^51 units. `allowed`: the bins of all features, nonzero where the box has
/// them. Cost: for each tree its nodes times the features that it asks about.
[[nodiscard]] Ranges ranges(const Sum& sum, std::span<const std::uint8_t> allowed);

}  // namespace orderless::ensembles
