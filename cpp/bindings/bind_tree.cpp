// _core.tree: checks the links of a tree, and holds trees.

#include "bindings/arrays.hpp"
#include "bindings/calls.hpp"
#include "bindings/held.hpp"
#include "bindings/record.hpp"
#include "core/tree/api.hpp"

namespace orderless::bindings {

using namespace nb::literals;

namespace {

Record links_record;

nb::object check_links_of(const nb::tuple& arrays) {
  const Nodes nodes(arrays);
  const LinkCheck check = unlocked([&] { return check_links(nodes.tree()); });
  return links_record(static_cast<int>(check.fault), check.node, check.depth);
}

}  // namespace

void bind_tree(nb::module_& m) {
  bind_held(m);
  links_record.define(m, "Links", {"fault", "node", "depth"});
  m.def("check_links", &check_links_of, "nodes"_a,
        "Fault 0: none, 1: a node that is met twice, 2: a node that is never met.");
}

}  // namespace orderless::bindings
