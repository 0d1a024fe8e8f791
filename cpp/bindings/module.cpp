// The private module orderless._core: converts arrays, releases the GIL, calls, wraps. No logic.

#include <nanobind/nanobind.h>

namespace nb = nanobind;

void bind_tree(nb::module_& m);
void bind_fingerprint(nb::module_& m);
void bind_overlay(nb::module_& m);
void bind_rashomon(nb::module_& m);
void bind_reach(nb::module_& m);
void bind_importance(nb::module_& m);
void bind_many(nb::module_& m);
void bind_reasons(nb::module_& m);
void bind_smallest(nb::module_& m);
void bind_acquisition(nb::module_& m);

NB_MODULE(_core, m) {
  m.doc() = "The C++ core of orderless. Private: use the names of the package.";
  bind_tree(m);
  bind_fingerprint(m);
  bind_overlay(m);
  bind_rashomon(m);
  bind_reach(m);
  bind_importance(m);
  bind_many(m);
  bind_reasons(m);
  bind_smallest(m);
  bind_acquisition(m);
}
