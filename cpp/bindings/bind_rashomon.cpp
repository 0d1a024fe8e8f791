// _core.rashomon: all near-optimal trees, their counts and their functions.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>

#include <memory>

#include "bindings/arrays.hpp"
#include "bindings/calls.hpp"
#include "bindings/rashomon_distinct.hpp"
#include "bindings/rashomon_goals.hpp"
#include "bindings/rashomon_graphs.hpp"
#include "bindings/rashomon_views.hpp"
#include "bindings/record.hpp"
#include "core/rashomon/api.hpp"

namespace orderless::rashomon {

using namespace bindings;
using namespace nb::literals;

namespace {

using Halves = std::pair<std::uint64_t, std::uint64_t>;

Record trees_record, histogram_record, functions_record, decisions_record, ranges_record;
Record sizes_record;

Meter no_limits() { return meter(~std::size_t{0} / 2, 1e18); }

Halves halves(Count n) { return {n.high(), n.low()}; }

}  // namespace

nb::object give_trees(FlatTrees trees) {
  return trees_record(give(std::move(trees.start)), give(std::move(trees.column)),
                      give(std::move(trees.label)), give(std::move(trees.false_child)));
}

namespace {

/// Values of labels for the training rows: only equality matters, any fixed ones will do.
std::vector<Point> plain_values(std::span<const std::int32_t> labels) {
  std::vector<Point> out;
  for (const std::int32_t label : labels) {
    const Point hash = siphash({0x6f72646572U, 0x6c657373U}, static_cast<std::uint64_t>(label));
    out.push_back({Field::reduce(hash[0]), Field::reduce(hash[1])});
  }
  return out;
}

/// What leaves weigh: as given, or any fixed values. Given are those of all classes, or, for
/// numbers, those of `labels()`.
LabelValues label_values(const Graph& graph, const std::vector<Point>* given) {
  LabelValues out;
  if (graph.rows.target.has_numbers()) {
    out.labels = graph.labels();
  } else {
    for (std::size_t c = 0; c < graph.rows.n_classes; ++c) {
      out.labels.push_back(static_cast<std::int32_t>(c));
    }
  }
  out.values = given != nullptr ? *given : plain_values(out.labels);
  if (!graph.rows.target.has_numbers()) out.labels.clear();
  return out;
}

std::shared_ptr<Functions> make_functions(
    std::shared_ptr<Graph> graph, const nb::object& view, const std::optional<nb::tuple>& measure,
    bool listed, std::size_t limit, const std::optional<std::pair<std::uint64_t, int>>& residue,
    std::size_t memory_limit, double time_limit) {
  View trees = view_of(*graph, view);
  Functions::Options options;
  options.listed = listed;
  options.limit = limit;
  if (residue) {
    check(residue->second >= 0 && residue->second <= 24 && residue->first >> residue->second == 0,
          "residue: (value, bits) with bits <= 24 and value < 2^bits");
    options.residue = {residue->first, residue->second};
  }
  std::optional<MeasureArrays> arrays;
  if (measure) {
    arrays.emplace(*measure);
    check(arrays->feature.size() == graph->rows.n_columns, "measure: one condition per column");
    const Graph& own = *graph;
    const std::size_t n = own.rows.target.has_numbers() ? own.labels().size() : own.rows.n_classes;
    check(arrays->class_values.size() >= n, "measure: one value per class, or per label");
  }
  Meter limits = meter(memory_limit, time_limit);
  return unlocked([&] {
    std::optional<SpaceMeasure> space;
    if (arrays) space.emplace(arrays->measure());
    LabelValues values = label_values(*graph, arrays ? &arrays->class_values : nullptr);
    return std::make_shared<Functions>(std::move(graph), std::move(trees),
                                       space ? &*space : nullptr, std::move(values), options,
                                       limits);
  });
}

nb::object function_arrays(const Functions& functions) {
  std::vector<std::uint64_t> value, trees, nontrivial;
  std::vector<std::int64_t> errors;
  std::vector<std::int32_t> leaves;
  value.reserve(2 * functions.all().size());
  for (const Function& f : functions.all()) {
    value.insert(value.end(), {f.value[0], f.value[1]});
    errors.push_back(f.errors);
    leaves.push_back(f.leaves);
  }
  for (std::size_t i = 0; i < functions.all().size(); ++i) {
    trees.push_back(functions.n_trees(i));
    nontrivial.push_back(functions.n_nontrivial(i));
  }
  return functions_record(give(std::move(value)), give(std::move(errors)), give(std::move(leaves)),
                          give(std::move(trees)), give(std::move(nontrivial)));
}

nb::object function_sizes(const Functions& functions) {
  check(functions.listed(), "sizes: of functions that are listed");
  const auto [start, trees, nontrivial] = functions.sizes();
  return sizes_record(give(std::vector<std::int64_t>(start.begin(), start.end())),
                      give(std::vector<std::uint64_t>(trees.begin(), trees.end())),
                      give(std::vector<std::uint64_t>(nontrivial.begin(), nontrivial.end())));
}

void check_positions(const Functions& functions, std::span<const std::int64_t> positions) {
  for (const std::int64_t position : positions) {
    if (position < 0 || static_cast<std::size_t>(position) >= functions.all().size()) {
      throw nb::index_error("there is no such function");
    }
  }
}

nb::object histogram(const Counts& counts, std::size_t memory_limit, double time_limit) {
  std::vector<std::int32_t> leaves;
  std::vector<std::int64_t> errors;
  std::vector<std::uint64_t> hi, lo, nontrivial_hi, nontrivial_lo;
  const Costs& costs = counts.graph().costs;
  Meter limits = meter(memory_limit, time_limit);
  for (const Cell& cell : unlocked([&] { return counts.histogram(limits); })) {
    leaves.push_back(cell.leaves);
    errors.push_back((cell.cost - costs.leaf * cell.leaves) / costs.error);
    hi.push_back(halves(cell.trees).first);
    lo.push_back(halves(cell.trees).second);
    nontrivial_hi.push_back(halves(cell.nontrivial).first);
    nontrivial_lo.push_back(halves(cell.nontrivial).second);
  }
  return histogram_record(give(std::move(leaves)), give(std::move(errors)), give(std::move(hi)),
                          give(std::move(lo)), give(std::move(nontrivial_hi)),
                          give(std::move(nontrivial_lo)));
}

std::shared_ptr<Counts> make_counts(std::shared_ptr<Graph> graph, const nb::object& view,
                                    std::size_t memory_limit, double time_limit) {
  View trees = view_of(*graph, view);
  Meter limits = meter(memory_limit, time_limit);
  return unlocked(
      [&] { return std::make_shared<Counts>(std::move(graph), std::move(trees), limits); });
}

nb::object decide_rows(const Graph& graph, const nb::object& of,
                       const Table<std::uint8_t>& may_be_true,
                       const Table<std::uint8_t>& may_be_false, double time_limit) {
  const View trees = view_of(graph, of);
  const std::size_t n_rows = may_be_true.shape(0), d = graph.rows.n_columns;
  check(may_be_true.shape(1) == d && may_be_false.shape(1) == d && may_be_false.shape(0) == n_rows,
        "may_be_true, may_be_false: rows x columns");
  check(!graph.rows.target.has_numbers() || (trees.max_leaves == 0 && trees.required.empty()),
        "numbers: no view by leaves or groups");
  check(!trees.limits_features(), "decide: no view by the number of features");
  Meter limits = meter(~std::size_t{0} / 2, time_limit);
  Decisions found = unlocked(
      [&] { return decide(graph, trees, view(may_be_true), view(may_be_false), n_rows, limits); });
  return decisions_record(give(std::move(found.label)), give(std::move(found.cost)));
}

nb::object ranges_of_rows(const Graph& graph, const nb::object& of,
                          const Table<std::uint8_t>& may_be_true,
                          const Table<std::uint8_t>& may_be_false, const Array<std::int32_t>& first,
                          const Array<std::int32_t>& last, double time_limit) {
  const View trees = view_of(graph, of);
  const std::size_t n_rows = may_be_true.shape(0), d = graph.rows.n_columns;
  check(may_be_true.shape(1) == d && may_be_false.shape(1) == d && may_be_false.shape(0) == n_rows,
        "may_be_true, may_be_false: rows x columns");
  check(trees.max_leaves == 0 && trees.required.empty() && !trees.limits_features(),
        "ranges: no view by leaves, groups or the number of features");
  check(first.size() == last.size() && (first.size() == 0 || first.size() == n_rows),
        "first, last: one label per row, or none");
  Meter limits = meter(~std::size_t{0} / 2, time_limit);
  Ranges found = unlocked([&] {
    return ranges(graph, trees, view(may_be_true), view(may_be_false), n_rows,
                  {view(first), view(last)}, limits);
  });
  return ranges_record(give(std::move(found.smallest)), give(std::move(found.largest)));
}

nb::object unrank(const Counts& counts, const Table<std::uint64_t>& positions) {
  check(positions.shape(1) == 2, "positions: high and low words");
  std::vector<Count> wanted(positions.shape(0));
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    wanted[i] = {positions.data()[2 * i], positions.data()[2 * i + 1]};
    if (wanted[i] >= counts.n()) throw nb::index_error("there is no such tree");
  }
  Meter limits = no_limits();
  return give_trees(unlocked([&] { return counts.unrank(wanted, limits); }));
}

Halves n_at(const Counts& counts, std::int64_t cost) {
  Meter limits = no_limits();
  return halves(unlocked([&] { return counts.n_at(cost, limits); }));
}

std::optional<Halves> rank(const Counts& counts, const Array<std::int32_t>& column,
                           const Array<std::int32_t>& label) {
  Meter limits = no_limits();
  const auto found = unlocked([&] { return counts.rank(view(column), view(label), limits); });
  return found ? std::optional(halves(*found)) : std::nullopt;
}

nb::object trees(const Functions& functions, const Array<std::int64_t>& positions) {
  check_positions(functions, view(positions));
  Meter limits = no_limits();
  return give_trees(unlocked([&] { return functions.trees(view(positions), limits); }));
}

nb::object trees_of(const Functions& functions, std::int64_t position, std::uint64_t start,
                    std::uint64_t count) {
  check_positions(functions, {&position, 1});
  Meter limits = no_limits();
  return give_trees(unlocked([&] {
    return functions.trees_of(static_cast<std::size_t>(position), start, count, limits);
  }));
}

auto votes(const Functions& functions, const Table<std::uint8_t>& columns) {
  check(functions.listed(), "votes: of functions that are listed");
  check(!functions.graph().rows.target.has_numbers(), "votes: of classes");
  check(columns.shape(1) == functions.graph().rows.n_columns, "columns: rows x columns");
  Meter limits = no_limits();
  return give(unlocked([&] { return functions.votes(view(columns), columns.shape(0), limits); }));
}

std::shared_ptr<Graph> narrowed(const Graph& graph, const nb::object& record,
                                std::size_t memory_limit, double time_limit) {
  const Narrowing narrowing = narrowing_of(graph, record);
  Meter limits = meter(memory_limit, time_limit);
  return unlocked([&] { return std::make_shared<Graph>(narrow(graph, narrowing, limits)); });
}

/// What each column asks for, once.
auto asked_columns(const Graph& graph) {
  std::vector<std::uint8_t> out(graph.rows.n_columns, 0);
  for (const Edge& edge : graph.edges) out[edge.column] = 1;
  if (graph.last != nullptr) std::fill(out.begin(), out.end(), std::uint8_t{1});
  return give(std::move(out));
}

auto monotone_trees(const Array<std::int64_t>& start, const Array<std::int32_t>& column,
                    const Array<std::int32_t>& label, const nb::tuple& measure,
                    const std::vector<std::pair<std::int32_t, bool>>& directions) {
  const MeasureArrays arrays(measure);
  std::vector<Direction> read_directions;
  for (const auto& [asks, rises] : directions) {
    check(asks >= 0 && static_cast<std::size_t>(asks) < arrays.feature.size(),
          "directions: numbers of columns");
    const auto at = static_cast<std::size_t>(asks);
    const Domain& domain = arrays.domains[static_cast<std::size_t>(view(arrays.feature)[at])];
    check(domain.ordered, "directions: of features whose values have an order");
    read_directions.push_back({at, rises, domain.nan});
  }
  Meter limits = no_limits();
  return give(unlocked([&] {
    const SpaceMeasure boxes = arrays.measure();
    return monotone({view(start), view(column), view(label)}, boxes, read_directions, limits);
  }));
}

void bind_graph(nb::module_& m) {
  nb::class_<Graph>(m, "Graph", "All near-optimal trees, shared. Immutable.")
      .def(nb::new_(&make_graph), "columns"_a, "y"_a, "weights"_a.none(), "n_classes"_a, "search"_a,
           "Weights None: every row weighs 1.")
      .def_static("of_means", &graph_of_means, "columns"_a, "y"_a, "weights"_a, "fine"_a,
                  "largest"_a, "search"_a,
                  "Squared loss; leaves say multiples of 1 / fine, as labels in 1 / fine-ths.")
      .def_static("of_medians", &graph_of_medians, "columns"_a, "y"_a, "weights"_a, "numbers"_a,
                  "search"_a, "Absolute loss; labels are positions in numbers.")
      .def_ro("optimum", &Graph::optimum)
      .def_ro("bound", &Graph::bound)
      .def_prop_ro("n_nodes", &Graph::n_nodes)
      .def_prop_ro("n_edges", [](const Graph& graph) { return graph.edges.size(); })
      .def_prop_ro("n_rows", [](const Graph& graph) { return graph.rows.n_rows; })
      .def_prop_ro("bytes", &Graph::bytes)
      .def(
          "labels", [](const Graph& graph) { return give(graph.labels()); },
          "What leaves can say, each once, rising.")
      .def("asked", &asked_columns, "Per column whether some tree may ask it.")
      .def("narrowed", &narrowed, "narrowing"_a, "memory_limit"_a, "time_limit"_a,
           "The graph of the trees that meet what is asked of paths.")
      .def("best_tree", [](const Graph& graph) { return give_trees(best_tree(graph)); })
      .def("counts", &make_counts, "view"_a, "memory_limit"_a, "time_limit"_a)
      .def("functions", &make_functions, "view"_a, "measure"_a.none(), "listed"_a, "limit"_a,
           "residue"_a.none(), "memory_limit"_a, "time_limit"_a,
           "The distinct functions; measure None: on the training rows. Not listed: only their "
           "number.")
      .def("decide", &decide_rows, "view"_a, "may_be_true"_a, "may_be_false"_a, "time_limit"_a,
           "Class and objective of the best tree that is certain of each row; -1: none is.")
      .def("ranges", &ranges_of_rows, "view"_a, "may_be_true"_a, "may_be_false"_a, "first"_a,
           "last"_a, "time_limit"_a,
           "Smallest and largest label from first to last that some tree gives each row.");
}

}  // namespace

void bind(nb::module_& m) {
  trees_record.define(m, "FlatTrees", {"start", "column", "label", "false_child"});
  histogram_record.define(
      m, "Histogram",
      {"leaves", "errors", "trees_high", "trees_low", "nontrivial_high", "nontrivial_low"});
  functions_record.define(m, "FunctionArrays",
                          {"points", "errors", "leaves", "n_trees", "n_nontrivial"});
  decisions_record.define(m, "Decisions", {"label", "cost"});
  ranges_record.define(m, "Ranges", {"smallest", "largest"});
  epsilon_record.define(m, "Epsilon", {"numerator", "denominator", "relative", "base"});
  search_record.define(m, "Search",
                       {"max_depth", "error_cost", "leaf_cost", "epsilon", "memory_limit",
                        "time_limit", "n_threads", "optimum", "walk_from", "most_last"});
  view_record.define(
      m, "View",
      {"bound", "max_leaves", "allowed", "required", "trivial", "feature", "most_features"});
  narrowing_record.define(m, "Narrowing",
                          {"least_weight", "first", "feature", "price", "most_paid"});
  sizes_record.define(m, "Sizes", {"start", "n_trees", "n_nontrivial"});
  m.def("monotone", &monotone_trees, "start"_a, "column"_a, "label"_a, "measure"_a, "directions"_a,
        "Per tree whether it is monotone: (a column of the feature, whether labels rise) each.");
  bind_graph(m);
  bind_goals(m);
  bind_distinct(m);
  nb::class_<Counts>(m, "Counts", "How many trees of a view, and which is where.")
      .def_prop_ro("n", [](const Counts& counts) { return halves(counts.n()); })
      .def_prop_ro("bytes", &Counts::bytes)
      .def_prop_ro("n_nontrivial",
                   [](const Counts& counts) { return halves(counts.n_nontrivial()); })
      .def("n_at", &n_at, "cost"_a, "How many trees cost exactly so much.")
      .def("histogram", &histogram, "memory_limit"_a, "time_limit"_a,
           "Trees by leaves and errors, as high and low words.")
      .def("unrank", &unrank, "positions"_a)
      .def("rank", &rank, "column"_a, "label"_a);
  nb::class_<Functions>(m, "Functions", "The distinct functions of a view.")
      .def_prop_ro("n", &Functions::n)
      .def_prop_ro("bytes", &Functions::bytes)
      .def("arrays", &function_arrays,
           "Two field elements per function, errors, fewest leaves, trees, those without trivial "
           "splits. Sorted by cost, leaves, elements.")
      .def("sizes", &function_sizes,
           "Trees of each function by leaves, from its fewest on: from start[i] to start[i + 1].")
      .def("trees", &trees, "positions"_a, "A smallest tree of each function.")
      .def("trees_of", &trees_of, "position"_a, "start"_a, "count"_a,
           "Trees of one function, by leaves.")
      .def("votes", &votes, "columns"_a, "Per row and class the number of functions that say it.");
}

}  // namespace orderless::rashomon
