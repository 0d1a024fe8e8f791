#pragma once

#include "bindings/arrays.hpp"
#include "core/rashomon/api.hpp"

// Second goals over the trees of _core.rashomon's graphs.

namespace orderless::rashomon {

/// Trees as a record of arrays.
[[nodiscard]] bindings::nb::object give_trees(FlatTrees trees);

/// Adds Measured, Goal and Nearest.
void bind_goals(bindings::nb::module_& m);

}  // namespace orderless::rashomon
