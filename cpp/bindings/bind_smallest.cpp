// _core.smallest: the smallest tree that is the same function.

#include <utility>

#include "bindings/bins.hpp"
#include "bindings/calls.hpp"
#include "bindings/record.hpp"
#include "core/smallest/api.hpp"

namespace orderless::smallest {

using namespace bindings;
using namespace nb::literals;

namespace {

Record smallest_record;

nb::object smallest_tree_of(const nb::tuple& arrays, const nb::tuple& bins, std::int32_t minimize,
                            bool with_rows, const Table<std::int32_t>& rows,
                            const Array<std::int64_t>& weight, std::size_t limit,
                            double time_limit) {
  const BinNodes nodes(arrays);
  const std::vector<BinFeature> features = bin_features(bins);
  const WeightedRows weighted{view(rows), view(weight)};
  const PollFunction poll = [watch = Stopwatch(), time_limit](std::size_t) {
    poll_signals();
    if (watch.seconds() > time_limit) throw StopSearch{};
  };
  SmallestTree found = unlocked([&] {
    return smallest_tree(nodes.tree(), features, static_cast<Minimize>(minimize),
                         with_rows ? &weighted : nullptr, limit, poll);
  });
  nb::object written = give_nodes(arrays, std::move(static_cast<WrittenTree&>(found)));
  return smallest_record(written, found.value, found.bound, found.weight, found.first,
                         found.n_states);
}

}  // namespace

void bind(nb::module_& m) {
  smallest_record.define(m, "Smallest", {"nodes", "value", "bound", "weight", "first", "n_states"});
  m.def("smallest_tree", &smallest_tree_of, "nodes"_a, "bins"_a, "minimize"_a, "with_rows"_a,
        "rows"_a, "weight"_a, "limit"_a, "time_limit"_a,
        "The best tree so far, and whether it is the first of the smallest. OutOfReach where the "
        "expected depth cannot be counted.");
}

}  // namespace orderless::smallest
