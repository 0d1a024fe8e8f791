#pragma once

#include "bindings/arrays.hpp"

namespace orderless::bindings {

void bind_number_text(nb::module_& m);

}  // namespace orderless::bindings
