#pragma once

#include "core/rashomon/best.hpp"

// Two classes. With s the weight of class 1 less that of class 0, a leaf misses (weight - |s|) / 2:
// so a split misses least where |s| + |s'| of its sides is largest, and one signed number per set
// of columns is enough. The cells of three columns follow from sets of columns that are 1 by
// inclusion and exclusion; every set is counted once, and lowers all sides that it is a split of.
namespace orderless::rashomon {

/// Whether a part has two classes and weights so small that sums of eight of them fit in 32 bits.
[[nodiscard]] bool signs_suffice(const Rows& part);

/// As sides_of_depth_1, of a part where signs suffice. Cost: columns^2 / 2 x (words + a constant).
[[nodiscard]] SideCosts signed_sides_of_depth_1(const Rows& part, const Costs& costs);

/// As sides_of_depth_2, of a part where signs suffice.
[[nodiscard]] SideCosts signed_sides_of_depth_2(const Rows& part, const Costs& costs, Meter& meter);

}  // namespace orderless::rashomon
