// _core.ensembles: why a box is certain.

#include "bindings/ensembles_reasons.hpp"

#include <algorithm>

#include "bindings/calls.hpp"
#include "bindings/record.hpp"

namespace orderless::ensembles {

using namespace bindings;
using namespace nb::literals;

namespace {

Record reason_record;

/// Checks what a question about the reasons of one box came with.
void check_reasons(const Sum& sum, const Array<std::uint8_t>& box, std::int32_t label) {
  check_width(box.size(), sum.n_bins());
  if (label < 0 || label >= sum.n_classes()) throw std::invalid_argument("there is no such class");
  for (std::size_t f = 0; f < sum.n_features(); ++f) {
    const std::uint8_t* const own = box.data() + sum.first_bin(f);
    if (std::all_of(own, own + sum.width(f), [](std::uint8_t flag) { return flag == 0; })) {
      throw std::invalid_argument("a box has no bin of some feature");
    }
  }
}

/// Works on one thing, as long as there is time.
template <class Work>
void alone(double time_limit, std::size_t memory_limit, Work&& work) {
  unlocked([&] {
    each(1, 1, Seconds{time_limit}, memory_limit, poll_signals, [&](std::size_t, Watch& watch) {
      work(watch);
      return true;
    });
  });
}

auto order_of(const Model& model, const Array<std::uint8_t>& box, std::int32_t label) {
  check_reasons(model.sum, box, label);
  std::vector<std::int32_t> out;
  alone(0, 0, [&](Watch& watch) {
    const Reasons reasons(model.sum, view(box), label, watch);
    for (const std::size_t f : reasons.order()) out.push_back(static_cast<std::int32_t>(f));
  });
  return give(std::move(out));
}

nb::object reason_of(const Model& model, const Array<std::uint8_t>& box, std::int32_t label,
                     const Array<std::uint8_t>& features, bool shrink, bool widen,
                     double time_limit, std::size_t most_nodes, std::size_t memory_limit) {
  check_reasons(model.sum, box, label);
  check_width(features.size(), model.sum.n_features());
  std::vector<std::uint8_t> kept(features.data(), features.data() + features.size());
  Box wide;
  alone(time_limit, memory_limit, [&](Watch& watch) {
    Reasons reasons(model.sum, view(box), label, watch);
    if (shrink) reasons.shrink(kept);
    if (widen) wide = reasons.widen(kept, most_nodes);
  });
  return reason_record(give(std::move(kept)), give(std::move(wide)));
}

auto grow_side(const Model& model, const Array<std::uint8_t>& box, std::size_t feature,
               const Array<std::uint8_t>& within, std::int32_t label, double time_limit,
               std::size_t most_nodes, std::size_t memory_limit) {
  check_reasons(model.sum, box, label);
  check_width(within.size(), model.sum.n_bins());
  if (feature >= model.sum.n_features()) throw std::invalid_argument("there is no such feature");
  Box wide(box.data(), box.data() + box.size());
  alone(time_limit, memory_limit, [&](Watch& watch) {
    watch.at_most(most_nodes);
    Adverse adverse;
    grow(model.sum, wide, feature, view(within), label, watch, adverse);
  });
  return give(std::move(wide));
}

}  // namespace

void bind_reasons(nb::module_& m, nb::class_<Model>& sum) {
  reason_record.define(m, "Reason", {"features", "box"});
  const auto memory = "memory_limit"_a = default_room;
  sum.def("order", &order_of, "box"_a, "label"_a)
      .def("reason", &reason_of, "box"_a, "label"_a, "features"_a, "shrink"_a, "widen"_a,
           "time_limit"_a, "most_nodes"_a = 0, memory)
      .def("grow", &grow_side, "box"_a, "feature"_a, "within"_a, "label"_a, "time_limit"_a,
           "most_nodes"_a = 0, memory);
}

}  // namespace orderless::ensembles
