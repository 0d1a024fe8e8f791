#pragma once

#include "bindings/arrays.hpp"
#include "core/tree/held.hpp"

namespace orderless::bindings {

/// HeldSpace and HeldTree, which other rooms take instead of arrays.
void bind_held(nb::module_& m);

}  // namespace orderless::bindings
