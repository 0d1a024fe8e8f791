#pragma once

#include "bindings/arrays.hpp"

// How many functions the trees of _core.rashomon's graphs are, without listing them.

namespace orderless::rashomon {

/// Adds trees_alike and trees_by_root.
void bind_distinct(bindings::nb::module_& m);

}  // namespace orderless::rashomon
