// _core.ensembles: how wide the scores range in a box, and what knowing a feature leaves of it.

#include <algorithm>

#include "bindings/calls.hpp"
#include "bindings/ensembles_reasons.hpp"
#include "bindings/record.hpp"

namespace orderless::ensembles {

using namespace bindings;
using namespace nb::literals;

namespace {

Record ranges_record;

nb::object ranges_of(const Model& model, const Table<std::uint8_t>& boxes, std::size_t n_threads) {
  check_width(boxes.shape(1), model.sum.n_bins());
  const std::size_t n = boxes.shape(0);
  const std::size_t width = model.sum.n_features();
  std::vector<std::int64_t> now(n), high(n * width), low(n * width);
  std::vector<std::uint8_t> asked(n * width);
  unlocked([&] {
    each(n, n_threads, poll_signals, [&](std::size_t i, Watch& watch) {
      (void)watch.up();  // lets Ctrl-C through
      const std::size_t n_bins = model.sum.n_bins();
      const Ranges own = ranges(model.sum, {boxes.data() + i * n_bins, n_bins});
      const auto begin = static_cast<std::ptrdiff_t>(i * width);
      now[i] = own.now;
      std::ranges::copy(own.high, high.begin() + begin);
      std::ranges::copy(own.low, low.begin() + begin);
      std::ranges::copy(own.asked, asked.begin() + begin);
    });
  });
  return ranges_record(give(std::move(now)), give_shaped(std::move(high), {n, width}),
                       give_shaped(std::move(low), {n, width}),
                       give_shaped(std::move(asked), {n, width}));
}

}  // namespace

void bind_ranges(nb::module_& m, nb::class_<Model>& sum) {
  ranges_record.define(m, "Ranges", {"now", "high", "low", "asked"});
  sum.def("ranges", &ranges_of, "boxes"_a, "n_threads"_a);
}

}  // namespace orderless::ensembles
