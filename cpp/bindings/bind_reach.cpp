#include <nanobind/stl/optional.h>

#include "bindings/arrays.hpp"
#include "core/decide.hpp"
#include "core/reach.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace orderless;
using namespace orderless::bindings;

namespace {

using AnyColumn = nb::ndarray<nb::ro, nb::device::cpu>;

/// (kind, array, second array): kinds as in Column::Kind. Strided views are taken as they are.
struct Columns {
  std::vector<Column> columns;
  std::vector<AnyColumn> alive;

  explicit Columns(const nb::list& given) {
    for (const nb::handle item : given) {
      const auto entry = nb::cast<nb::tuple>(item);
      Column column;
      column.kind = static_cast<Column::Kind>(nb::cast<int>(entry[0]));
      if (!entry[1].is_none()) look(entry[1], column.first, column.stride);
      if (!entry[2].is_none()) look(entry[2], column.second, column.second_stride);
      columns.push_back(column);
    }
  }

 private:
  void look(nb::handle array, const std::byte*& data, std::ptrdiff_t& stride) {
    alive.push_back(nb::cast<AnyColumn>(array));
    const AnyColumn& column = alive.back();
    data = static_cast<const std::byte*>(column.data());
    stride = static_cast<std::ptrdiff_t>(column.stride(0)) *
             static_cast<std::ptrdiff_t>(column.itemsize());
  }
};

}  // namespace

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
