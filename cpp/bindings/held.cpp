// _core.tree.HeldSpace and HeldTree: what every tree and every space keep for the core, so that
// nothing has to be read again from arrays.

#include "bindings/held.hpp"

#include <algorithm>
#include <utility>

#include "bindings/calls.hpp"

namespace orderless::bindings {

using namespace nb::literals;

namespace {

void make_space(HeldSpace* at, const nb::tuple& domain_arrays, const Array<std::uint8_t>& numbers,
                const Array<std::int32_t>& rank) {
  HeldSpace space{read_domains(domain_arrays), {}, {}};
  if (numbers.size() != space.domains.size() || rank.size() != space.domains.size()) {
    throw nb::value_error("numbers and rank must have one entry per feature");
  }
  for (const std::uint8_t kind : view(numbers)) {
    if (kind > static_cast<std::uint8_t>(Numbers::boolean))
      throw nb::value_error("numbers: 0 to 3");
    space.numbers.push_back(static_cast<Numbers>(kind));
  }
  space.rank.assign(view(rank).begin(), view(rank).end());
  new (at) HeldSpace(std::move(space));
}

/// A tree, and which nodes are left (None: all); None for arrays that do not describe a tree.
nb::object hold_checked(const HeldSpace& space, const nb::tuple& arrays, std::int32_t n_classes) {
  const Nodes nodes(arrays);
  const TreeView tree = nodes.tree();
  if (tree.set_start.empty() || !describes_tree(tree, space, n_classes)) return nb::none();
  Held held = unlocked([&] { return hold(tree, space); });
  nb::object kept = held.kept.empty() ? nb::none() : nb::cast(give(std::move(held.kept)));
  return nb::make_tuple(std::move(held.tree), kept);
}

/// A copy of arrays that a tree held; None for arrays that do not describe a tree.
nb::object hold_again(const HeldSpace& space, const nb::tuple& arrays, std::int32_t n_classes) {
  const Nodes nodes(arrays);
  const TreeView tree = nodes.tree();
  if (tree.set_start.empty() || !describes_tree(tree, space, n_classes)) return nb::none();
  return nb::cast(hold_copy(tree));
}

/// Whether trees one after the other can be looked at: sizes only.
void check_sizes(const TreeView& nodes, std::span<const std::int64_t> start) {
  bool good = !start.empty() && start.front() == 0 && nodes.set_start.size() == nodes.size() + 1 &&
              start.back() == static_cast<std::int64_t>(nodes.size()) &&
              nodes.set_start.front() == 0 &&
              nodes.set_start.back() == static_cast<std::int64_t>(nodes.set_values.size());
  for (std::size_t i = 1; good && i < start.size(); ++i) good = start[i] > start[i - 1];
  if (!good) throw nb::value_error("start must rise from 0 to the number of nodes");
}

/// Trees in normal form, one after the other, of which every one is good.
nb::list hold_all(const HeldSpace& space, const nb::tuple& arrays, const Array<std::int64_t>& start,
                  std::int32_t n_classes) {
  const Nodes nodes(arrays);
  const Forest forest{nodes.tree(), view(start)};
  check_sizes(forest.nodes, forest.start);
  const std::size_t n = start.size() - 1;
  std::vector<HeldTree> held;
  held.reserve(n);
  const bool good = unlocked([&] {
    std::vector<std::int64_t> own;
    for (std::size_t i = 0; i < n; ++i) {
      TreeView tree = forest.tree(i);
      const auto first = static_cast<std::size_t>(tree.set_start.front());
      own.assign(tree.set_start.begin(), tree.set_start.end());
      for (std::int64_t& at : own) at -= static_cast<std::int64_t>(first);
      if (own.back() < 0 || first > tree.set_values.size()) return false;
      tree.set_values = tree.set_values.subspan(
          first, std::min(static_cast<std::size_t>(own.back()), tree.set_values.size() - first));
      tree.set_start = own;
      if (!describes_tree(tree, space, n_classes)) return false;
      held.push_back(hold_normal(tree, space).tree);
      if (i % 4096 == 4095) poll_signals();
    }
    return true;
  });
  if (!good) throw nb::value_error("one of the trees is none");
  nb::list out;
  for (HeldTree& tree : held) out.append(nb::cast(std::move(tree)));
  return out;
}

/// Trees over 0/1 columns; None where one of them is none.
nb::object hold_all_bits(const HeldSpace& space, const Array<std::int32_t>& codes,
                         const Array<std::int64_t>& start, const nb::tuple& columns,
                         std::int32_t n_classes) {
  const auto feature = nb::cast<Array<std::int32_t>>(columns[0]);
  const auto threshold = nb::cast<Array<double>>(columns[1]);
  const auto nan_true = nb::cast<Array<std::uint8_t>>(columns[2]);
  const auto flip = nb::cast<Array<std::uint8_t>>(columns[3]);
  const auto set_start = nb::cast<Array<std::int64_t>>(columns[4]);
  const auto set_values = nb::cast<Array<std::int32_t>>(columns[5]);
  const BitMeaning meaning{view(feature), view(threshold), view(nan_true),
                           view(flip),    view(set_start), view(set_values)};
  std::vector<HeldTree> held;
  held.reserve(start.size());
  const bool good = unlocked([&] {
    std::int64_t before = 0;
    for (const std::int64_t end : view(start)) {
      if (end < before || end > static_cast<std::int64_t>(codes.size())) return false;
      auto one = hold_bits(view(codes).subspan(static_cast<std::size_t>(before),
                                               static_cast<std::size_t>(end - before)),
                           meaning, space, n_classes);
      if (!one) return false;
      held.push_back(std::move(one->tree));
      before = end;
      if (held.size() % 4096 == 0) poll_signals();
    }
    return true;
  });
  if (!good) return nb::none();
  nb::list out;
  for (HeldTree& tree : held) out.append(nb::cast(std::move(tree)));
  return out;
}

nb::tuple arrays_of(nb::handle_t<HeldTree> self) {
  const TreeView tree = nb::cast<const HeldTree&>(self).view();
  const auto show = [&]<class T>(std::span<const T> part) {
    return nb::cast(nb::ndarray<nb::numpy, const T, nb::ndim<1>>(part.data(), {part.size()}, self));
  };
  return nb::make_tuple(show(tree.feature), show(tree.threshold), show(tree.nan_true),
                        show(tree.when_true), show(tree.when_false), show(tree.leaf_class),
                        show(tree.set_start), show(tree.set_values));
}

/// What the core holds of trees that have equal spaces and classes; None for others.
nb::object held_alike(const nb::list& trees) {
  const nb::str space("space"), classes("classes"), held("held");
  nb::list out;
  nb::object first_space, first_classes;
  for (const nb::handle tree : trees) {
    const nb::object own = nb::getattr(tree, space), labels = nb::getattr(tree, classes);
    if (!first_space.is_valid()) {
      first_space = own;
      first_classes = labels;
    }
    if (!own.is(first_space) && !own.equal(first_space)) return nb::none();
    if (!labels.is(first_classes) && !labels.equal(first_classes)) return nb::none();
    out.append(nb::getattr(tree, held));
  }
  return out;
}

nb::tuple used_of(const HeldTree& held) {
  std::vector<std::int32_t> used;
  for (const std::int32_t f : held.view().feature) {
    if (f >= 0) used.push_back(f);
  }
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  nb::list out;
  for (const std::int32_t f : used) out.append(f);
  return nb::tuple(out);
}

}  // namespace

void bind_held(nb::module_& m) {
  nb::class_<HeldSpace>(m, "HeldSpace")
      .def("__init__", &make_space, "domains"_a, "numbers"_a, "rank"_a);
  nb::class_<HeldTree>(m, "HeldTree")
      .def_prop_ro("n_nodes", &HeldTree::size)
      .def_prop_ro("n_dropped", &HeldTree::n_dropped)
      .def("arrays", &arrays_of, "The arrays of `Nodes`, which cannot be written to.")
      .def("used", &used_of, "The features that it asks about, sorted.");
  m.def("held_alike", &held_alike, "trees"_a,
        "What the core holds of trees with equal spaces and equal classes; None for others.");
  m.def("hold", &hold_checked, "space"_a, "nodes"_a, "n_classes"_a,
        "A tree in normal form, without dead branches, and the nodes that are left of it (None: "
        "all); None for arrays that describe no tree.");
  m.def("hold_again", &hold_again, "space"_a, "nodes"_a, "n_classes"_a,
        "A tree of arrays that a tree held; None for arrays that describe no tree.");
  m.def("hold_all", &hold_all, "space"_a, "nodes"_a, "start"_a, "n_classes"_a,
        "Trees that are in normal form, without dead branches.");
  m.def("hold_bits", &hold_all_bits, "space"_a, "codes"_a, "ends"_a, "columns"_a, "n_classes"_a,
        "Trees over 0/1 columns in preorder (the branch of 0 first; a leaf of class c is -1 - c), "
        "by what each column means; None where one of them is no tree.");
}

}  // namespace orderless::bindings
