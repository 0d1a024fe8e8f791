#pragma once

#include "bindings/arrays.hpp"

namespace orderless::bindings {

void bind_zero_one(nb::module_& m);

}  // namespace orderless::bindings
