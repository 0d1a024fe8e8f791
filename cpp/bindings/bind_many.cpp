#include "bindings/arrays.hpp"
#include "bindings/columns.hpp"
#include "core/rows/many.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace orderless;
using namespace orderless::bindings;
using namespace orderless::rows;

void bind_many(nb::module_& m) {
  m.def(
      "first_determined",
      [](const nb::tuple& arrays, const Array<std::int64_t>& start, const nb::tuple& domain_arrays,
         const Array<double>& threshold, const nb::list& given, std::size_t n_rows) {
        const Nodes nodes(arrays);
        const std::vector<Domain> domains = read_domains(domain_arrays);
        const Columns columns(given);
        std::vector<std::int32_t> tree(n_rows), label(n_rows);
        {
          nb::gil_scoped_release unlocked;
          first_determined({nodes.tree(), view(start)}, domains, view(threshold), columns.columns,
                           n_rows, {tree, label}, poll_signals);
        }
        return nb::make_tuple(give(std::move(tree)), give(std::move(label)));
      },
      "nodes"_a, "start"_a, "domains"_a, "threshold"_a, "columns"_a, "n_rows"_a,
      "(tree, class) by row: the first tree that is determined; -1 where none is.");
}
