#include "bindings/rashomon_distinct.hpp"

#include <nanobind/stl/pair.h>

#include <utility>

#include "bindings/calls.hpp"
#include "bindings/rashomon_graphs.hpp"
#include "bindings/rashomon_views.hpp"

namespace orderless::rashomon {

using namespace bindings;
using namespace nb::literals;

namespace {

/// Checks that nodes are one whole tree in preorder over some columns.
void check_tree(std::span<const std::int32_t> column, std::span<const std::int32_t> label,
                std::size_t n_columns) {
  std::size_t open = 1;
  for (std::size_t at = 0; at < column.size(); ++at) {
    check(open > 0, "column: one tree, root first");
    const bool leaf = column[at] < 0;
    check(leaf ? label[at] >= 0 : static_cast<std::size_t>(column[at]) < n_columns,
          "column, label: of the graph");
    open = leaf ? open - 1 : open + 1;
  }
  check(open == 0, "column: one tree, root first");
}

/// Calls `each(t, one, column, label, meter)` for every tree, in order.
template <class Each>
void for_trees(const Graph& graph, const nb::object& of, const nb::tuple& measure,
               const Array<std::int64_t>& start, const Array<std::int32_t>& column,
               const Array<std::int32_t>& label, std::size_t memory_limit, double time_limit,
               const Each& each) {
  const View trees = view_of(graph, of);
  const MeasureArrays arrays(measure);
  check(arrays.feature.size() == graph.rows.n_columns, "measure: one condition per column");
  check(start.size() > 0 && column.size() == label.size(), "start, column, label: trees");
  for (std::size_t t = 0; t + 1 < start.size(); ++t) {
    const auto [from, to] = std::pair(view(start)[t], view(start)[t + 1]);
    check(from >= 0 && from < to && static_cast<std::size_t>(to) <= column.size(),
          "start: rising, up to the number of nodes");
    const auto n = static_cast<std::size_t>(to - from);
    const auto at = static_cast<std::size_t>(from);
    check_tree(view(column).subspan(at, n), view(label).subspan(at, n), graph.rows.n_columns);
  }
  Meter limits = meter(memory_limit, time_limit);
  unlocked([&] {
    const SpaceMeasure space = arrays.measure();
    OneFunction one(graph, trees, space);
    for (std::size_t t = 0; t + 1 < start.size(); ++t) {
      const auto from = static_cast<std::size_t>(view(start)[t]);
      const auto n = static_cast<std::size_t>(view(start)[t + 1]) - from;
      each(t, one, view(column).subspan(from, n), view(label).subspan(from, n), limits);
    }
    return 0;
  });
}

auto trees_alike(const Graph& graph, const nb::object& of, const nb::tuple& measure,
                 const Array<std::int64_t>& start, const Array<std::int32_t>& column,
                 const Array<std::int32_t>& label, std::size_t memory_limit, double time_limit) {
  std::vector<std::uint64_t> out;
  for_trees(graph, of, measure, start, column, label, memory_limit, time_limit,
            [&](std::size_t, OneFunction& one, auto asked, auto said, Meter& limits) {
              const Count count = one.n_trees(asked, said, limits);
              out.insert(out.end(), {count.high(), count.low()});
            });
  return give(std::move(out));
}

nb::tuple trees_by_root(const Graph& graph, const nb::object& of, const nb::tuple& measure,
                        const Array<std::int64_t>& start, const Array<std::int32_t>& column,
                        const Array<std::int32_t>& label, const Array<std::int64_t>& errors,
                        std::size_t memory_limit, double time_limit) {
  check(errors.size() + 1 == start.size(), "errors: one per tree");
  std::vector<std::int64_t> tree;
  std::vector<std::int32_t> root;
  std::vector<std::uint64_t> counts;
  for_trees(graph, of, measure, start, column, label, memory_limit, time_limit,
            [&](std::size_t t, OneFunction& one, auto asked, auto said, Meter& limits) {
              for (const auto& [asks, count] :
                   one.n_trees_by_root(asked, said, view(errors)[t], limits)) {
                tree.push_back(static_cast<std::int64_t>(t));
                root.push_back(asks);
                counts.insert(counts.end(), {count.high(), count.low()});
              }
            });
  return nb::make_tuple(give(std::move(tree)), give(std::move(root)), give(std::move(counts)));
}

}  // namespace

void bind_distinct(nb::module_& m) {
  m.def("trees_alike", &trees_alike, "graph"_a, "view"_a, "measure"_a, "start"_a, "column"_a,
        "label"_a, "memory_limit"_a, "time_limit"_a,
        "Per tree of the view how many of its trees are the same function: high and low words.");
  m.def(
      "trees_by_root", &trees_by_root, "graph"_a, "view"_a, "measure"_a, "start"_a, "column"_a,
      "label"_a, "errors"_a, "memory_limit"_a, "time_limit"_a,
      "The same of any tree, which makes so many errors, by the column at the root, -1 for a leaf: "
      "(tree, column, high and low words), where there are any.");
}

}  // namespace orderless::rashomon
