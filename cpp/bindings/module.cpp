// The private module orderless._core: a submodule per folder of the core. Bindings convert arrays,
// release the GIL, call, wrap. No logic.

#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace orderless {

// base, tree and bins are what the others speak of: they are in `orderless` itself.
namespace bindings {
void bind_base(nb::module_& m);
void bind_tree(nb::module_& m);
void bind_bins(nb::module_& m);
}  // namespace bindings
namespace rows {
void bind(nb::module_& m);
}
namespace ensembles {
void bind(nb::module_& m);
}
namespace same {
void bind(nb::module_& m);
}
namespace reasons {
void bind(nb::module_& m);
}
namespace smallest {
void bind(nb::module_& m);
}
namespace importance {
void bind(nb::module_& m);
}
namespace rashomon {
void bind(nb::module_& m);
}
namespace acquisition {
void bind(nb::module_& m);
}

}  // namespace orderless

NB_MODULE(_core, m) {
  // What is still held when Python ends, by a traceback for one, is not reported on stderr.
  nb::set_leak_warnings(false);
  using namespace orderless;
  m.doc() = "The C++ core of orderless. Private: use the names of the package.";
  const auto room = [&m](const char* name, void (*bind)(nb::module_&)) {
    nb::module_ submodule = m.def_submodule(name);
    bind(submodule);
  };
  room("base", bindings::bind_base);
  room("tree", bindings::bind_tree);
  room("bins", bindings::bind_bins);
  room("rows", rows::bind);
  room("ensembles", ensembles::bind);
  room("same", same::bind);
  room("reasons", reasons::bind);
  room("smallest", smallest::bind);
  room("importance", importance::bind);
  room("rashomon", rashomon::bind);
  room("acquisition", acquisition::bind);
}
