#include "bindings/arrays.hpp"
#include "bindings/clock.hpp"
#include "core/same/overlay.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace orderless;
using namespace orderless::bindings;
using namespace orderless::same;

namespace {

/// Per feature (lower, upper, nan, list of values).
nb::list box_to_python(const Box& box) {
  nb::list sides;
  for (const Side& side : box) {
    nb::list values;
    for (std::size_t word = 0; word < side.bits.size(); ++word) {
      for (std::size_t bit = 0; bit < 64; ++bit) {
        if ((side.bits[word] >> bit & 1U) != 0) values.append(word * 64 + bit);
      }
    }
    sides.append(nb::make_tuple(side.lower, side.upper, side.nan, values));
  }
  return sides;
}

}  // namespace

void bind_overlay(nb::module_& m) {
  m.def(
      "first_difference",
      [](const nb::tuple& a, const nb::tuple& b, const nb::tuple& domain_arrays) -> nb::object {
        const Nodes nodes_a(a), nodes_b(b);
        const std::vector<Domain> domains = read_domains(domain_arrays);
        std::optional<Difference> found;
        {
          nb::gil_scoped_release unlocked;
          found = first_difference(nodes_a.tree(), nodes_b.tree(), domains, poll_signals);
        }
        if (!found) return nb::none();
        return nb::make_tuple(box_to_python(found->box), found->class_a, found->class_b);
      },
      "a"_a, "b"_a, "domains"_a, "None, or (box, class of a, class of b).");
  m.def(
      "redundant_splits",
      [](const nb::tuple& arrays, const nb::tuple& domain_arrays, double time_limit) {
        const Nodes nodes(arrays);
        const std::vector<Domain> domains = read_domains(domain_arrays);
        std::vector<std::int32_t> found;
        const auto [outcome, met] =
            run([&] { found = redundant_splits(nodes.tree(), domains, watch(time_limit)); });
        return nb::make_tuple(static_cast<int>(outcome), met, give(std::move(found)));
      },
      "nodes"_a, "domains"_a, "time_limit"_a, "(outcome, leaves compared, numbers of nodes).");
  m.def(
      "share_of_difference",
      [](const nb::tuple& a, const nb::tuple& b, const nb::tuple& domain_arrays,
         const std::vector<std::vector<double>>& cuts) {
        const Nodes nodes_a(a), nodes_b(b);
        const std::vector<Domain> domains = read_domains(domain_arrays);
        nb::gil_scoped_release unlocked;
        return share_of_difference(nodes_a.tree(), nodes_b.tree(), domains, cuts, poll_signals);
      },
      "a"_a, "b"_a, "domains"_a, "cuts"_a);
}
