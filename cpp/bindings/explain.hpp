#pragma once

#include <nanobind/nanobind.h>

namespace orderless::reasons {

void bind_explain(nanobind::module_& m);

}  // namespace orderless::reasons
