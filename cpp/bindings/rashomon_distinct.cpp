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

using Halves = std::pair<std::uint64_t, std::uint64_t>;

auto trees_alike(const Graph& graph, const nb::object& of, const nb::tuple& measure,
                 const Array<std::int64_t>& start, const Array<std::int32_t>& column,
                 const Array<std::int32_t>& label, std::size_t memory_limit, double time_limit) {
  const View trees = view_of(graph, of);
  const MeasureArrays arrays(measure);
  check(arrays.feature.size() == graph.rows.n_columns, "measure: one condition per column");
  check(start.size() > 0 && column.size() == label.size(), "start, column, label: trees");
  for (std::size_t t = 0; t + 1 < start.size(); ++t) {
    const auto [from, to] = std::pair(view(start)[t], view(start)[t + 1]);
    check(from >= 0 && from < to && static_cast<std::size_t>(to) <= column.size(),
          "start: rising, up to the number of nodes");
  }
  Meter limits = meter(memory_limit, time_limit);
  std::vector<std::uint64_t> out;
  unlocked([&] {
    const SpaceMeasure space = arrays.measure();
    OneFunction one(graph, trees, space);
    for (std::size_t t = 0; t + 1 < start.size(); ++t) {
      const auto from = static_cast<std::size_t>(view(start)[t]);
      const auto n = static_cast<std::size_t>(view(start)[t + 1]) - from;
      const Count count =
          one.n_trees(view(column).subspan(from, n), view(label).subspan(from, n), limits);
      out.insert(out.end(), {count.high(), count.low()});
    }
    return 0;
  });
  return give(std::move(out));
}

Halves at_least(const Graph& graph, const nb::object& of, const nb::tuple& measure,
                std::size_t most_cells, std::size_t memory_limit, double time_limit) {
  const View trees = view_of(graph, of);
  const MeasureArrays arrays(measure);
  check(arrays.feature.size() == graph.rows.n_columns, "measure: one condition per column");
  check(trees.required.empty() && !trees.limits_features(),
        "distinct_at_least: no view by groups or the number of features");
  Meter limits = meter(memory_limit, time_limit);
  const Count found = unlocked(
      [&] { return distinct_at_least(graph, trees, arrays.measure(), most_cells, limits); });
  return {found.high(), found.low()};
}

}  // namespace

void bind_distinct(nb::module_& m) {
  m.def("trees_alike", &trees_alike, "graph"_a, "view"_a, "measure"_a, "start"_a, "column"_a,
        "label"_a, "memory_limit"_a, "time_limit"_a,
        "Per tree of the view how many of its trees are the same function: high and low words.");
  m.def("distinct_at_least", &at_least, "graph"_a, "view"_a, "measure"_a, "most_cells"_a,
        "memory_limit"_a, "time_limit"_a,
        "A proven lower bound on the number of functions; 0: none was found.");
}

}  // namespace orderless::rashomon
