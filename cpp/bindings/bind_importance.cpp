#include <stdexcept>

#include "bindings/bins.hpp"
#include "core/bins/fragments.hpp"
#include "core/importance/orders.hpp"
#include "core/importance/permuted.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace orderless;
using namespace orderless::bindings;
using namespace orderless::importance;

namespace {

template <class T>
using Table = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// How the search ended: with its answer, or at one of its limits.
enum Outcome { done = 0, too_many = 1, too_many_sets = 2, too_deep = 3 };

template <class Weight>
nb::tuple permuted(const Array<std::int64_t>& offsets, const Array<std::int32_t>& column,
                   const Array<std::int32_t>& label, const Table<std::uint8_t>& cells,
                   const Array<std::int32_t>& y, const Array<Weight>& weight,
                   const Array<std::int32_t>& group, std::size_t n_classes, std::size_t n_groups) {
  if (cells.shape(0) != y.size() || cells.shape(1) != group.size()) {
    throw std::invalid_argument("cells are not rows x columns");
  }
  Permuted<Weight> found;
  {
    nb::gil_scoped_release unlocked;  // pure C++ below: no Python object is touched
    found = permuted_errors<Weight>(
        {view(offsets), view(column), view(label)},
        {{cells.data(), cells.size()}, view(y), view(group), n_classes, n_groups}, view(weight),
        poll_signals);
  }
  return nb::make_tuple(give(std::move(found.excess)), give(std::move(found.errors)), found.total);
}

}  // namespace

void bind_importance(nb::module_& m) {
  m.def(
      "all_orders",
      [](const nb::tuple& arrays, const nb::tuple& bins, const Table<std::int32_t>& rows,
         const Table<double>& weight, std::int32_t criterion, std::size_t limit) {
        const BinNodes nodes(arrays);
        const std::vector<BinFeature> features = bin_features(bins);
        if (rows.shape(0) != weight.shape(0) || rows.shape(1) != features.size()) {
          throw std::invalid_argument("rows do not fit the bins or the weights");
        }
        const ClassRows cells{
            {rows.data(), rows.size()}, {weight.data(), weight.size()}, weight.shape(1)};
        Orders found;
        Outcome outcome = done;
        {
          nb::gil_scoped_release unlocked;  // pure C++ below: no Python object is touched
          try {
            found = all_orders(nodes.tree(), features, cells, static_cast<Criterion>(criterion),
                               limit, [](std::size_t) { poll_signals(); });
          } catch (const TooMany&) {
            outcome = too_many;
          } catch (const TooManySets&) {
            outcome = too_many_sets;
          } catch (const TooDeep&) {
            outcome = too_deep;
          }
        }
        return nb::make_tuple(static_cast<int>(outcome), give(std::move(found.n_trees)),
                              give(std::move(found.low)), give(std::move(found.high)),
                              give(std::move(found.mean)), give(std::move(found.share_low)),
                              give(std::move(found.share_high)), found.irredundant, found.n_states);
      },
      "nodes"_a, "bins"_a, "rows"_a, "weight"_a, "criterion"_a, "limit"_a,
      "(outcome, words of the number of trees, low, high, mean, share_low, share_high, whether the "
      "tree is one of them, states).");
  m.def(
      "function_bins",
      [](const nb::tuple& arrays, const nb::tuple& bins) {
        const BinNodes nodes(arrays);
        const std::vector<BinFeature> features = bin_features(bins);
        std::vector<std::vector<std::int32_t>> found;
        {
          nb::gil_scoped_release unlocked;  // pure C++ below: no Python object is touched
          found = function_bins(nodes.tree(), features);
        }
        nb::list out;
        for (auto& groups : found) out.append(give(std::move(groups)));
        return out;
      },
      "nodes"_a, "bins"_a,
      "Per feature, by bin, the group of bins that the function keeps together.");
  m.def("permuted_errors", &permuted<std::int64_t>, "offsets"_a, "column"_a, "label"_a, "cells"_a,
        "y"_a, "weight"_a, "group"_a, "n_classes"_a, "n_groups"_a,
        "(excess errors x weight by tree and group, errors by tree, weight of all rows).");
  m.def("permuted_errors_real", &permuted<double>, "offsets"_a, "column"_a, "label"_a, "cells"_a,
        "y"_a, "weight"_a, "group"_a, "n_classes"_a, "n_groups"_a, "Likewise for real weights.");
}
