#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/errors.hpp"
#include "core/bins/bins.hpp"

namespace orderless::reasons {

/// All maximal boxes on which each class is certain, by class, each list sorted: fewest conditions
/// first, then by slots.
///
/// Divide and conquer: the maximal boxes of a split are those of its two sides that cannot grow
/// across the cut, and the joins of a box below with a box above the cut. Maximal is a local test:
/// a box is maximal iff growing it by one bin in any direction lets a leaf of another class in.
/// Cost: per node the pairs of boxes that meet at its cut, each features x leaves / 64.
/// Throws TooMany when any list grows beyond `limit`. `wanted`: per class whether its boxes are
/// looked for; the lists of the others stay empty. Without it, those of all are.
[[nodiscard]] std::vector<BoxList> all_reasons(const BinTree& tree, const BoxLayout& layout,
                                               std::int32_t n_classes, std::size_t limit,
                                               const PollFunction& poll,
                                               std::span<const std::uint8_t> wanted = {});

}  // namespace orderless::reasons
