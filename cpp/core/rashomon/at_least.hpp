#pragma once

#include <cstddef>

#include "core/rashomon/counts.hpp"
#include "core/rashomon/measure.hpp"

namespace orderless::rashomon {

/// A proven lower bound on how many functions of the space the trees of a view are: the trees that
/// ask about every feature once on a path at most, the features in one order on all paths, every
/// question under one name (of a category one question alone), and whose splits have two different
/// sides. Any two of these trees are
/// different functions. (Where one begins with a feature that comes before all of the other's, its
/// sides would have to be the same; where both begin with one feature but with different
/// questions, two of its bins that one question alone tells apart give the same.) Sides that may be
/// the same are left out, more of them than need be. And of each number of errors, which functions
/// have in common, the trees with one question at the root may be more, with any such sides.
/// Bottom up, each node once; `most_cells`: how long the table of a node may be before trees of one
/// size and number of errors are no longer told apart by a hash.
/// 0 where tables would be too long in any case.
/// Precondition: the view has no groups, and does not limit features; every row lies in the space.
[[nodiscard]] Count distinct_at_least(const Graph& graph, const View& view,
                                      const SpaceMeasure& measure, std::size_t most_cells,
                                      Meter& meter);

}  // namespace orderless::rashomon
