#include <nanobind/stl/optional.h>

#include <span>
#include <stdexcept>

#include "bindings/arrays.hpp"
#include "bindings/columns.hpp"
#include "core/rows/decide.hpp"
#include "core/rows/reach.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace orderless;
using namespace orderless::bindings;
using namespace orderless::rows;

namespace {

using Bytes = nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

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
  m.def(
      "label",
      [](const nb::tuple& arrays, const nb::tuple& domain_arrays, const Array<double>& threshold,
         const nb::list& given, std::size_t n_rows, std::size_t n_threads,
         const Array<std::uint8_t>& items, std::size_t item_size, const Bytes& data,
         const Bytes& hidden) {
        if (data.size() != n_rows * item_size || hidden.size() != n_rows) {
          throw std::invalid_argument("data and hidden must have room for every row");
        }
        const Nodes nodes(arrays);
        const std::vector<Domain> domains = read_domains(domain_arrays);
        const Columns columns(given);
        const LabelBytes out{std::as_bytes(view(items)), item_size,
                             reinterpret_cast<std::byte*>(data.data()), hidden.data()};
        nb::gil_scoped_release unlocked;
        decide(nodes.tree(), domains, view(threshold), columns.columns, n_rows, n_threads,
               poll_signals, [&](std::size_t first, std::span<const std::int32_t> some) {
                 out.write(first, some);
               });
      },
      "nodes"_a, "domains"_a, "threshold"_a, "columns"_a, "n_rows"_a, "n_threads"_a, "items"_a,
      "item_size"_a, "data"_a, "hidden"_a,
      "Write the label by row into data, as bytes, and where it is not determined 1 into hidden.");
}
