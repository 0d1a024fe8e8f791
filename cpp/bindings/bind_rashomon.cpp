// _core.rashomon: all near-optimal trees, their counts and their functions.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>

#include <memory>

#include "bindings/arrays.hpp"
#include "bindings/calls.hpp"
#include "bindings/rashomon_goals.hpp"
#include "bindings/rashomon_graphs.hpp"
#include "bindings/record.hpp"
#include "core/rashomon/room.hpp"

namespace orderless::rashomon {

using namespace bindings;
using namespace nb::literals;

namespace {

using Halves = std::pair<std::uint64_t, std::uint64_t>;

Record trees_record, histogram_record, functions_record, decisions_record, ranges_record;
Record search_record, epsilon_record;  // what comes in

Meter no_limits() { return meter(~std::size_t{0} / 2, 1e18); }

Halves halves(Count n) { return {n.high(), n.low()}; }

}  // namespace

nb::object give_trees(FlatTrees trees) {
  return trees_record(give(std::move(trees.start)), give(std::move(trees.column)),
                      give(std::move(trees.label)), give(std::move(trees.false_child)));
}

View view_of(const Graph& graph, std::int64_t bound, std::int64_t max_leaves,
             const Array<std::uint8_t>& allowed, const Groups& required, bool trivial) {
  check(allowed.size() == graph.rows.n_columns, "allowed: one entry per column");
  check(required.size() <= 16, "required: at most 16 groups");
  check(bound <= graph.bound, "bound: at most the graph's");
  for (const auto& group : required) {
    for (const std::int32_t column : group) {
      check(column >= 0 && static_cast<std::size_t>(column) < graph.rows.n_columns,
            "required: numbers of columns");
    }
  }
  View view;
  view.bound = bound;
  view.max_leaves = max_leaves;
  view.allowed.assign(allowed.data(), allowed.data() + allowed.size());
  view.required = required;
  view.trivial = trivial;
  return view;
}

namespace {

/// The weights of orderless.rashomon's Meaning, kept alive while C++ looks at them.
struct MeasureArrays {
  Array<std::int32_t> feature;
  Array<double> threshold;
  Array<std::uint8_t> nan_true, one_is_true;
  Array<std::int64_t> set_start;
  Array<std::int32_t> set_values;
  std::vector<Domain> domains;
  std::vector<same::FeatureWeights> weights;
  std::vector<Point> class_values;

  explicit MeasureArrays(const nb::tuple& given) {
    const auto meaning = nb::cast<nb::tuple>(given[0]);
    feature = nb::cast<Array<std::int32_t>>(meaning[0]);
    threshold = nb::cast<Array<double>>(meaning[1]);
    nan_true = nb::cast<Array<std::uint8_t>>(meaning[2]);
    one_is_true = nb::cast<Array<std::uint8_t>>(meaning[3]);
    set_start = nb::cast<Array<std::int64_t>>(meaning[4]);
    set_values = nb::cast<Array<std::int32_t>>(meaning[5]);
    domains = read_domains(nb::cast<nb::tuple>(given[1]));
    const std::vector<Point> keys = points(nb::cast<Array<std::uint64_t>>(given[2]));
    const auto values = nb::cast<nb::list>(given[3]);
    weights.resize(domains.size());
    for (std::size_t f = 0; f < weights.size(); ++f) {
      weights[f].key = keys[f];
      weights[f].values = points(nb::cast<Array<std::uint64_t>>(values[f]));
    }
    class_values = points(nb::cast<Array<std::uint64_t>>(given[4]));
  }

  [[nodiscard]] SpaceMeasure measure() const {
    TreeView conditions;
    conditions.feature = view(feature);
    conditions.threshold = view(threshold);
    conditions.nan_true = view(nan_true);
    conditions.set_start = view(set_start);
    conditions.set_values = view(set_values);
    return {{conditions, view(one_is_true)}, domains, weights};
  }
};

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
    std::shared_ptr<Graph> graph, std::int64_t bound, std::int64_t max_leaves,
    const Array<std::uint8_t>& allowed, const Groups& required, bool trivial,
    const std::optional<nb::tuple>& measure, bool listed, std::size_t limit,
    const std::optional<std::pair<std::uint64_t, int>>& residue, std::size_t memory_limit,
    double time_limit) {
  View trees = view_of(*graph, bound, max_leaves, allowed, required, trivial);
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

std::shared_ptr<Counts> make_counts(std::shared_ptr<Graph> graph, std::int64_t bound,
                                    std::int64_t max_leaves, const Array<std::uint8_t>& allowed,
                                    const Groups& required, bool trivial, std::size_t memory_limit,
                                    double time_limit) {
  View trees = view_of(*graph, bound, max_leaves, allowed, required, trivial);
  Meter limits = meter(memory_limit, time_limit);
  return unlocked(
      [&] { return std::make_shared<Counts>(std::move(graph), std::move(trees), limits); });
}

nb::object decide_rows(const Graph& graph, std::int64_t bound, std::int64_t max_leaves,
                       const Array<std::uint8_t>& allowed, const Groups& required, bool trivial,
                       const Table<std::uint8_t>& may_be_true,
                       const Table<std::uint8_t>& may_be_false, double time_limit) {
  const View trees = view_of(graph, bound, max_leaves, allowed, required, trivial);
  const std::size_t n_rows = may_be_true.shape(0), d = graph.rows.n_columns;
  check(may_be_true.shape(1) == d && may_be_false.shape(1) == d && may_be_false.shape(0) == n_rows,
        "may_be_true, may_be_false: rows x columns");
  check(!graph.rows.target.has_numbers() || (max_leaves == 0 && required.empty()),
        "numbers: no view by leaves or groups");
  Meter limits = meter(~std::size_t{0} / 2, time_limit);
  Decisions found = unlocked(
      [&] { return decide(graph, trees, view(may_be_true), view(may_be_false), n_rows, limits); });
  return decisions_record(give(std::move(found.label)), give(std::move(found.cost)));
}

nb::object ranges_of_rows(const Graph& graph, std::int64_t bound,
                          const Array<std::uint8_t>& allowed, bool trivial,
                          const Table<std::uint8_t>& may_be_true,
                          const Table<std::uint8_t>& may_be_false, const Array<std::int32_t>& first,
                          const Array<std::int32_t>& last, double time_limit) {
  const View trees = view_of(graph, bound, 0, allowed, {}, trivial);
  const std::size_t n_rows = may_be_true.shape(0), d = graph.rows.n_columns;
  check(may_be_true.shape(1) == d && may_be_false.shape(1) == d && may_be_false.shape(0) == n_rows,
        "may_be_true, may_be_false: rows x columns");
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

auto disagreement(const Functions& functions, const Table<std::uint8_t>& columns,
                  const Array<std::int64_t>& weights, const Array<std::int64_t>& positions) {
  check_positions(functions, view(positions));
  check(!functions.graph().rows.target.has_numbers(), "disagreement: of classes");
  check(columns.shape(1) == functions.graph().rows.n_columns && columns.shape(0) == weights.size(),
        "columns: rows x columns; weights: one per row");
  Meter limits = no_limits();
  return give(unlocked([&] {
    return functions.disagreement(view(columns), view(weights), view(positions), limits);
  }));
}

void bind_graph(nb::module_& m) {
  nb::class_<Graph>(m, "Graph", "All near-optimal trees, shared. Immutable.")
      .def(nb::new_(&make_graph), "columns"_a, "y"_a, "weights"_a, "n_classes"_a, "search"_a)
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
      .def("best_tree", [](const Graph& graph) { return give_trees(best_tree(graph)); })
      .def("counts", &make_counts, "bound"_a, "max_leaves"_a, "allowed"_a, "required"_a,
           "trivial"_a, "memory_limit"_a, "time_limit"_a)
      .def("functions", &make_functions, "bound"_a, "max_leaves"_a, "allowed"_a, "required"_a,
           "trivial"_a, "measure"_a.none(), "listed"_a, "limit"_a, "residue"_a.none(),
           "memory_limit"_a, "time_limit"_a,
           "The distinct functions; measure None: on the training rows. Not listed: only their "
           "number.")
      .def("decide", &decide_rows, "bound"_a, "max_leaves"_a, "allowed"_a, "required"_a,
           "trivial"_a, "may_be_true"_a, "may_be_false"_a, "time_limit"_a,
           "Class and objective of the best tree that is certain of each row; -1: none is.")
      .def("ranges", &ranges_of_rows, "bound"_a, "allowed"_a, "trivial"_a, "may_be_true"_a,
           "may_be_false"_a, "first"_a, "last"_a, "time_limit"_a,
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
  search_record.define(
      m, "Search",
      {"max_depth", "error_cost", "leaf_cost", "epsilon", "memory_limit", "time_limit", "n_threads"});
  bind_graph(m);
  bind_goals(m);
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
      .def("trees", &trees, "positions"_a, "A smallest tree of each function.")
      .def("trees_of", &trees_of, "position"_a, "start"_a, "count"_a,
           "Trees of one function, by leaves.")
      .def("votes", &votes, "columns"_a, "Per row and class the number of functions that say it.")
      .def("disagreement", &disagreement, "columns"_a, "weights"_a, "positions"_a,
           "Weight of the rows on which each two of some functions differ.");
}

}  // namespace orderless::rashomon
