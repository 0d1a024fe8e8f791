#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>

#include <chrono>
#include <memory>

#include "bindings/arrays.hpp"
#include "core/rashomon_counts.hpp"
#include "core/rashomon_graph.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace orderless::bindings;
using namespace orderless::rashomon;

namespace {

using ByteTable = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using WordTable = nb::ndarray<const std::uint64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Groups = std::vector<std::vector<std::int32_t>>;

struct OutOfTime {};

/// Lets Ctrl-C through and watches the clock; called by the core with the GIL released.
Meter meter(std::size_t memory_limit, double time_limit) {
  const auto start = std::chrono::steady_clock::now();
  return {memory_limit, [start, time_limit] {
            poll_signals();
            const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
            if (passed.count() > time_limit) throw OutOfTime{};
          }};
}

/// Runs `work` without the GIL, and says its limits as Python does.
template <class Work>
auto unlocked(Work&& work) {
  PyObject* kind = nullptr;
  std::string text;
  try {
    nb::gil_scoped_release released;  // pure C++ below: no Python object is touched
    return work();
  } catch (const OutOfTime&) {
    kind = PyExc_TimeoutError;
    text = "the time limit has passed";
  } catch (const MemoryLimit& error) {
    kind = PyExc_MemoryError;
    text = error.what();
  } catch (const std::overflow_error& error) {
    kind = PyExc_OverflowError;
    text = error.what();
  }
  PyErr_SetString(kind, text.c_str());
  throw nb::python_error();
}

std::pair<std::uint64_t, std::uint64_t> halves(Count n) {
  return {static_cast<std::uint64_t>(n >> 64U), static_cast<std::uint64_t>(n)};
}

nb::tuple give_trees(FlatTrees trees) {
  return nb::make_tuple(give(std::move(trees.start)), give(std::move(trees.column)),
                        give(std::move(trees.label)), give(std::move(trees.false_child)));
}

View view_of(std::int64_t bound, std::int64_t max_leaves, const Array<std::uint8_t>& allowed,
             const Groups& required, bool trivial) {
  View view;
  view.bound = bound;
  view.max_leaves = max_leaves;
  view.allowed.assign(allowed.data(), allowed.data() + allowed.size());
  view.required = required;
  view.trivial = trivial;
  return view;
}

std::shared_ptr<Graph> make_graph(const ByteTable& columns, const Array<std::int32_t>& y,
                                  const Array<std::int64_t>& weights, std::size_t n_classes,
                                  int max_depth, std::int64_t error_cost, std::int64_t leaf_cost,
                                  std::int64_t epsilon_num, std::int64_t epsilon_den, bool relative,
                                  std::size_t memory_limit, double time_limit) {
  const std::span<const std::uint8_t> table{columns.data(), columns.size()};
  const std::size_t n_columns = columns.shape(1);
  const std::span<const std::int32_t> classes = view(y);
  const std::span<const std::int64_t> weight = view(weights);
  Meter limits = meter(memory_limit, time_limit);
  return unlocked([&] {
    return std::make_shared<Graph>(
        build_graph(read_rows(table, n_columns, classes, weight, n_classes),
                    {error_cost, leaf_cost}, max_depth, {epsilon_num, epsilon_den, relative},
                    limits));
  });
}

nb::tuple histogram(const Counts& counts) {
  std::vector<std::int32_t> leaves;
  std::vector<std::int64_t> errors;
  std::vector<std::uint64_t> hi, lo, nontrivial_hi, nontrivial_lo;
  const Costs& costs = counts.graph().costs;
  for (const Cell& cell : counts.histogram()) {
    leaves.push_back(cell.leaves);
    errors.push_back((cell.cost - costs.leaf * cell.leaves) / costs.error);
    hi.push_back(halves(cell.trees).first);
    lo.push_back(halves(cell.trees).second);
    nontrivial_hi.push_back(halves(cell.nontrivial).first);
    nontrivial_lo.push_back(halves(cell.nontrivial).second);
  }
  return nb::make_tuple(give(std::move(leaves)), give(std::move(errors)), give(std::move(hi)),
                        give(std::move(lo)), give(std::move(nontrivial_hi)),
                        give(std::move(nontrivial_lo)));
}

}  // namespace

void bind_rashomon(nb::module_& m) {
  nb::class_<Graph>(m, "RashomonGraph", "All near-optimal trees, shared. Immutable.")
      .def(nb::new_(&make_graph), "columns"_a, "y"_a, "weights"_a, "n_classes"_a, "max_depth"_a,
           "error_cost"_a, "leaf_cost"_a, "epsilon_num"_a, "epsilon_den"_a, "relative"_a,
           "memory_limit"_a, "time_limit"_a)
      .def_ro("optimum", &Graph::optimum)
      .def_ro("bound", &Graph::bound)
      .def_prop_ro("n_nodes", &Graph::n_nodes)
      .def_prop_ro("n_edges", [](const Graph& graph) { return graph.edges.size(); })
      .def_prop_ro("n_rows", [](const Graph& graph) { return graph.rows.n_rows; })
      .def_prop_ro("bytes", &Graph::bytes)
      .def("best_tree", [](const Graph& graph) { return give_trees(best_tree(graph)); })
      .def(
          "counts",
          [](std::shared_ptr<Graph> graph, std::int64_t bound, std::int64_t max_leaves,
             const Array<std::uint8_t>& allowed, const Groups& required, bool trivial,
             std::size_t memory_limit, double time_limit) {
            View trees = view_of(bound, max_leaves, allowed, required, trivial);
            Meter limits = meter(memory_limit, time_limit);
            return unlocked([&] {
              return std::make_shared<Counts>(std::move(graph), std::move(trees), limits);
            });
          },
          "bound"_a, "max_leaves"_a, "allowed"_a, "required"_a, "trivial"_a, "memory_limit"_a,
          "time_limit"_a);

  nb::class_<Counts>(m, "RashomonCounts", "How many trees of a view, and which is where.")
      .def_prop_ro("n", [](const Counts& counts) { return halves(counts.n()); })
      .def_prop_ro("bytes", &Counts::bytes)
      .def("histogram", &histogram,
           "(leaves, errors, trees as high and low words, likewise those without trivial splits)")
      .def(
          "unrank",
          [](const Counts& counts, const WordTable& positions) {
            std::vector<Count> wanted(positions.shape(0));
            for (std::size_t i = 0; i < wanted.size(); ++i) {
              wanted[i] = static_cast<Count>(positions.data()[2 * i]) << 64U |
                          positions.data()[2 * i + 1];
              if (wanted[i] >= counts.n()) throw nb::index_error("there is no such tree");
            }
            Meter limits = meter(~std::size_t{0} / 2, 1e18);
            return give_trees(unlocked([&] { return counts.unrank(wanted, limits); }));
          },
          "positions"_a)
      .def(
          "rank",
          [](const Counts& counts, const Array<std::int32_t>& column,
             const Array<std::int32_t>& label) {
            Meter limits = meter(~std::size_t{0} / 2, 1e18);
            const auto columns = view(column);
            const auto labels = view(label);
            const auto found = unlocked([&] { return counts.rank(columns, labels, limits); });
            std::optional<std::pair<std::uint64_t, std::uint64_t>> out;
            if (found) out = halves(*found);
            return out;
          },
          "column"_a, "label"_a);
}
