#pragma once

#include <cstdint>
#include <vector>

#include "bindings/arrays.hpp"
#include "core/rashomon/room.hpp"

// Second goals over the trees of _core.rashomon's graphs.

namespace orderless::rashomon {

/// Groups of columns, of each of which a tree has to ask one.
using Groups = std::vector<std::vector<std::int32_t>>;

/// A view as it comes from Python, checked.
[[nodiscard]] View view_of(const Graph& graph, std::int64_t bound, std::int64_t max_leaves,
                           const bindings::Array<std::uint8_t>& allowed, const Groups& required,
                           bool trivial);

/// Trees as a record of arrays.
[[nodiscard]] bindings::nb::object give_trees(FlatTrees trees);

/// Adds Measured, Goal and Nearest.
void bind_goals(bindings::nb::module_& m);

}  // namespace orderless::rashomon
