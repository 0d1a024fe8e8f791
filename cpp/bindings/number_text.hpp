#pragma once

#include <nanobind/stl/string.h>

#include "bindings/arrays.hpp"

namespace orderless::bindings {

void bind_number_text(nb::module_& m);

}  // namespace orderless::bindings
