#include <nanobind/stl/optional.h>

#include "bindings/arrays.hpp"
#include "bindings/columns.hpp"
#include "core/decide.hpp"
#include "core/reach.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace orderless;
using namespace orderless::bindings;

void bind_reach(nb::module_& m) {
  m.def(
      "reach",
      [](const nb::tuple& arrays, const nb::tuple& domain_arrays, const Array<double>& threshold,
         const nb::list& given, std::size_t n_rows, std::size_t n_classes, bool all_classes) {
        const Nodes nodes(arrays);
        const std::vector<Domain> domains = read_domains(domain_arrays);
        const Columns columns(given);
        std::vector<std::int32_t> leaf(n_rows), label(n_rows);
        std::vector<std::uint8_t> possible(all_classes ? n_rows * n_classes : 0);
        {
          nb::gil_scoped_release unlocked;
          reach(nodes.tree(), domains, view(threshold), columns.columns, n_rows, n_classes,
                {leaf, label, possible}, poll_signals);
        }
        return nb::make_tuple(give(std::move(leaf)), give(std::move(label)),
                              give(std::move(possible)));
      },
      "nodes"_a, "domains"_a, "threshold"_a, "columns"_a, "n_rows"_a, "n_classes"_a,
      "all_classes"_a, "(leaf, label, possible) by row; -1 where several.");
  m.def(
      "decide",
      [](const nb::tuple& arrays, const nb::tuple& domain_arrays, const Array<double>& threshold,
         const nb::list& given, std::size_t n_rows, std::size_t n_threads) {
        const Nodes nodes(arrays);
        const std::vector<Domain> domains = read_domains(domain_arrays);
        const Columns columns(given);
        std::vector<std::int32_t> label(n_rows);
        {
          nb::gil_scoped_release unlocked;
          decide(nodes.tree(), domains, view(threshold), columns.columns, n_rows, label, n_threads,
                 poll_signals);
        }
        return give(std::move(label));
      },
      "nodes"_a, "domains"_a, "threshold"_a, "columns"_a, "n_rows"_a, "n_threads"_a,
      "The class by row, -1 where it is not determined.");
}
