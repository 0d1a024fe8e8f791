#include <chrono>
#include <stdexcept>
#include <utility>

#include "bindings/bins.hpp"
#include "core/smallest/search.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace orderless;
using namespace orderless::bindings;
using namespace orderless::smallest;

namespace {

using BinTable = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// Lets Ctrl-C through and watches the clock; called by the core with the GIL released.
PollFunction watch(double time_limit) {
  const auto start = std::chrono::steady_clock::now();
  return [start, time_limit](std::size_t) {
    poll_signals();
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    if (passed.count() > time_limit) throw StopSearch{};
  };
}

}  // namespace

void bind_smallest(nb::module_& m) {
  m.def(
      "smallest_tree",
      [](const nb::tuple& arrays, const nb::tuple& bins, std::int32_t minimize, bool with_rows,
         const BinTable& rows, const Array<std::int64_t>& weight, std::size_t limit,
         double time_limit) -> nb::object {
        const BinNodes nodes(arrays);
        const std::vector<BinFeature> features = bin_features(bins);
        const WeightedRows weighted{{rows.data(), rows.size()}, view(weight)};
        SmallestTree found;
        bool countable = true;
        {
          nb::gil_scoped_release unlocked;  // pure C++ below: no Python object is touched
          try {
            found = smallest_tree(nodes.tree(), features, static_cast<Minimize>(minimize),
                                  with_rows ? &weighted : nullptr, limit, watch(time_limit));
          } catch (const std::length_error&) {
            countable = false;
          }
        }
        if (!countable) return nb::none();
        const nb::tuple written = give_nodes(std::move(static_cast<WrittenTree&>(found)));
        return nb::make_tuple(written, found.value, found.bound, found.weight, found.first,
                              found.n_states);
      },
      "nodes"_a, "bins"_a, "minimize"_a, "with_rows"_a, "rows"_a, "weight"_a, "limit"_a,
      "time_limit"_a,
      "(nodes over bins, value, bound, weight, whether it is the first of the smallest, states); "
      "None if there are too many combinations of bins to count.");
}
