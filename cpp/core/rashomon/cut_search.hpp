#pragma once

#include "core/rashomon/best.hpp"

// The cheapest trees where columns come in chains. The more rows, the dearer the best tree, and w
// more rows by w errors at most: so between two cuts of a chain that are known, no cut is looked
// at where that leaves nothing to find.
namespace orderless::rashomon {

/// As sides_of_depth_2, of a part in chains; where two sides cost more than `budget` together they
/// may have bounds that no tree goes below, and that do so, too.
/// Cost: groups^2 x (columns and items) at most.
[[nodiscard]] SideCosts cut_sides_of_depth_2(const Rows& part, const Costs& costs,
                                             std::int64_t budget, Meter& meter);

/// The least that a tree of depth <= 3, or <= 2, costs, of a part in chains; `leaf` is what a leaf
/// costs.
[[nodiscard]] std::int64_t cut_least_of_depth_3(const Rows& part, const Costs& costs,
                                                std::int64_t leaf, Meter& meter);
[[nodiscard]] std::int64_t cut_least_of_depth_2(const Rows& part, const Costs& costs,
                                                std::int64_t leaf, Meter& meter);

}  // namespace orderless::rashomon
