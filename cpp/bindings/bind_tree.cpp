// _core.tree: checks the links of a tree, drops dead branches.

#include "bindings/arrays.hpp"
#include "bindings/calls.hpp"
#include "bindings/held.hpp"
#include "bindings/record.hpp"
#include "core/tree/room.hpp"

namespace orderless::bindings {

using namespace nb::literals;

namespace {

Record links_record, pruned_record;

nb::object check_links_of(const nb::tuple& arrays) {
  const Nodes nodes(arrays);
  const LinkCheck check = unlocked([&] { return check_links(nodes.tree()); });
  return links_record(static_cast<int>(check.fault), check.node, check.depth);
}

nb::object prune_nodes(const nb::tuple& arrays, const nb::tuple& domain_arrays) {
  const Nodes nodes(arrays);
  const std::vector<Domain> domains = read_domains(domain_arrays);
  Pruned pruned = unlocked([&] { return prune(nodes.tree(), domains); });
  return pruned_record(give(std::move(pruned.index)), give(std::move(pruned.when_true)),
                       give(std::move(pruned.when_false)), pruned.root, pruned.n_kept);
}

}  // namespace

void bind_tree(nb::module_& m) {
  bind_held(m);
  links_record.define(m, "Links", {"fault", "node", "depth"});
  pruned_record.define(m, "Pruned", {"new_index", "when_true", "when_false", "root", "n_kept"});
  m.def("check_links", &check_links_of, "nodes"_a,
        "Fault 0: none, 1: a node that is met twice, 2: a node that is never met.");
  m.def("prune", &prune_nodes, "nodes"_a, "domains"_a,
        "By node its new index, or -1, and its children past dead branches.");
}

}  // namespace orderless::bindings
