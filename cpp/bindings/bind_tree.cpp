#include "bindings/arrays.hpp"
#include "core/tree/prune.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace orderless;
using namespace orderless::bindings;

void bind_tree(nb::module_& m) {
  m.def(
      "check_links",
      [](const nb::tuple& arrays) {
        const Nodes nodes(arrays);
        LinkCheck check;
        {
          nb::gil_scoped_release unlocked;  // pure C++ below: no Python object is touched
          check = check_links(nodes.tree());
        }
        return nb::make_tuple(static_cast<int>(check.fault), check.node, check.depth);
      },
      "nodes"_a, "(fault, node, depth): fault 0 none, 1 node met twice, 2 node never met.");
  m.def(
      "prune",
      [](const nb::tuple& arrays, const nb::tuple& domain_arrays) {
        const Nodes nodes(arrays);
        const std::vector<Domain> domains = read_domains(domain_arrays);
        Pruned pruned;
        {
          nb::gil_scoped_release unlocked;
          pruned = prune(nodes.tree(), domains);
        }
        return nb::make_tuple(give(std::move(pruned.index)), give(std::move(pruned.when_true)),
                              give(std::move(pruned.when_false)), pruned.root, pruned.n_kept);
      },
      "nodes"_a, "domains"_a, "(new index or -1, children past dead branches, root, nodes kept).");
}
