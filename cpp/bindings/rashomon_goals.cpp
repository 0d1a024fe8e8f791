#include "bindings/rashomon_goals.hpp"

#include <nanobind/stl/shared_ptr.h>

#include <memory>
#include <utility>

#include "bindings/calls.hpp"
#include "bindings/rashomon_graphs.hpp"
#include "bindings/rashomon_views.hpp"
#include "bindings/record.hpp"

namespace orderless::rashomon {

using namespace bindings;
using namespace nb::literals;

namespace {

Record front_record;

Meter no_memory_limit(double time_limit) { return meter(~std::size_t{0} / 2, time_limit); }

std::shared_ptr<Measured> make_measured(std::shared_ptr<Graph> graph, const nb::object& which,
                                        const Table<std::uint8_t>& columns,
                                        const Array<std::int32_t>& part,
                                        const Array<std::int64_t>& weights, std::size_t n_parts,
                                        int share_bits, std::size_t memory_limit,
                                        double time_limit) {
  View trees = view_of(*graph, which);
  check(columns.shape(1) == graph->rows.n_columns, "columns: rows x columns");
  check(part.size() == columns.shape(0) && weights.size() == part.size(),
        "part, weights: one per row");
  check(share_bits < 0 || (share_bits <= 60 && !graph->rows.target.has_numbers() &&
                           n_parts == graph->rows.n_classes),
        "share_bits: at most 60, of classes, which are the parts");
  for (const std::int32_t p : view(part)) {
    check(p >= 0 && static_cast<std::size_t>(p) < n_parts, "part: numbers of parts");
  }
  Meter limits = meter(memory_limit, time_limit);
  return unlocked([&] {
    const MeasuredRows rows{
        read_rows(view(columns), columns.shape(1), view(part), view(weights), n_parts), share_bits};
    return std::make_shared<Measured>(std::move(graph), std::move(trees), rows, limits);
  });
}

Factors factors_of(const Measured& measured, const Table<std::int64_t>& table) {
  const Graph& graph = measured.graph();
  Factors out;
  out.table.assign(table.data(), table.data() + table.size());
  out.n_labels = table.shape(1);
  if (graph.rows.target.has_numbers()) out.labels = graph.labels();
  const std::size_t n = out.labels.empty() ? graph.rows.n_classes : out.labels.size();
  check(table.shape(0) == measured.n_parts() && table.shape(1) == n, "factors: parts x labels");
  return out;
}

std::shared_ptr<Goal> make_goal(std::shared_ptr<Measured> measured,
                                const Table<std::int64_t>& factors, std::size_t memory_limit,
                                double time_limit) {
  Factors own = factors_of(*measured, factors);
  Meter limits = meter(memory_limit, time_limit);
  return unlocked(
      [&] { return std::make_shared<Goal>(std::move(measured), std::move(own), limits); });
}

std::shared_ptr<Nearest> make_nearest(std::shared_ptr<Measured> measured,
                                      const Table<std::int64_t>& factors, std::int64_t wanted,
                                      std::size_t most, std::size_t memory_limit,
                                      double time_limit) {
  Factors own = factors_of(*measured, factors);
  Meter limits = meter(memory_limit, time_limit);
  return unlocked([&] {
    return std::make_shared<Nearest>(std::move(measured), std::move(own), wanted, most, limits);
  });
}

nb::object front(const Goal& goal) {
  std::vector<std::int64_t> cost, measure;
  std::vector<std::int32_t> leaves;
  for (const Step& step : goal.front()) {
    cost.push_back(step.cost);
    measure.push_back(step.measure);
    leaves.push_back(step.leaves);
  }
  return front_record(give(std::move(cost)), give(std::move(measure)), give(std::move(leaves)));
}

nb::object goal_trees(const Goal& goal, const Array<std::int64_t>& positions, double time_limit) {
  for (const std::int64_t position : view(positions)) {
    if (position < 0 || static_cast<std::size_t>(position) >= goal.front().size()) {
      throw nb::index_error("there is no such step");
    }
  }
  Meter limits = no_memory_limit(time_limit);
  return give_trees(unlocked([&] { return goal.trees(view(positions), limits); }));
}

nb::object nearest_tree(const Nearest& nearest, double time_limit) {
  if (!nearest.found()) throw nb::index_error("there is no tree");
  Meter limits = no_memory_limit(time_limit);
  return give_trees(unlocked([&] { return nearest.tree(limits); }));
}

}  // namespace

void bind_goals(nb::module_& m) {
  front_record.define(m, "GoalFront", {"cost", "measure", "leaves"});
  nb::class_<Measured>(m, "Measured", "The trees of a view, and the rows that come to leaves.")
      .def(nb::new_(&make_measured), "graph"_a, "view"_a, "columns"_a, "part"_a, "weights"_a,
           "n_parts"_a, "share_bits"_a, "memory_limit"_a, "time_limit"_a)
      .def_prop_ro("n_places", &Measured::n_places)
      .def_prop_ro("bytes", &Measured::bytes);
  nb::class_<Goal>(m, "Goal", "The smallest measure for every cost.")
      .def(nb::new_(&make_goal), "measured"_a, "factors"_a, "memory_limit"_a, "time_limit"_a)
      .def("front", &front, "Costs rising, measures falling, leaves of a tree of each.")
      .def("trees", &goal_trees, "positions"_a, "time_limit"_a, "A tree of each step.")
      .def_prop_ro("bytes", &Goal::bytes);
  nb::class_<Nearest>(m, "Nearest", "The tree whose measure is nearest to a number.")
      .def(nb::new_(&make_nearest), "measured"_a, "factors"_a, "wanted"_a, "most"_a,
           "memory_limit"_a, "time_limit"_a)
      .def_prop_ro("found", &Nearest::found)
      .def_prop_ro("distance", &Nearest::distance)
      .def_prop_ro("at_least", &Nearest::at_least)
      .def_prop_ro("measure", &Nearest::measure)
      .def_prop_ro("cost", &Nearest::cost)
      .def("tree", &nearest_tree, "time_limit"_a);
}

}  // namespace orderless::rashomon
