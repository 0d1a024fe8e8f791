// _core.importance: which features matter, over all trees for a function, and by permuting.

#include <stdexcept>

#include "bindings/bins.hpp"
#include "bindings/calls.hpp"
#include "bindings/record.hpp"
#include "core/importance/api.hpp"

namespace orderless::importance {

using namespace bindings;
using namespace nb::literals;

namespace {

Record orders_record, permuted_record;

template <class Weight>
nb::object permuted(const Array<std::int64_t>& offsets, const Array<std::int32_t>& column,
                    const Array<std::int32_t>& label, const Table<std::uint8_t>& cells,
                    const Array<std::int32_t>& y, const Array<Weight>& weight,
                    const Array<std::int32_t>& group, std::size_t n_classes, std::size_t n_groups) {
  if (cells.shape(0) != y.size() || cells.shape(1) != group.size()) {
    throw std::invalid_argument("cells are not rows x columns");
  }
  Permuted<Weight> found = unlocked([&] {
    return permuted_errors<Weight>({view(offsets), view(column), view(label)},
                                   {view(cells), view(y), view(group), n_classes, n_groups},
                                   view(weight), poll_signals);
  });
  return permuted_record(give(std::move(found.excess)), give(std::move(found.errors)), found.total);
}

nb::object losses(const Array<std::int64_t>& offsets, const Array<std::int32_t>& column,
                  const Array<std::int32_t>& label, const Array<std::int64_t>& said,
                  const Table<std::uint8_t>& cells, const Array<std::int64_t>& y,
                  const Array<std::int64_t>& weight, const Array<std::int32_t>& group,
                  std::size_t n_groups, bool squared) {
  if (cells.shape(0) != y.size() || cells.shape(1) != group.size()) {
    throw std::invalid_argument("cells are not rows x columns");
  }
  Permuted<double> found = unlocked([&] {
    return permuted_losses({view(offsets), view(column), view(label)},
                           {view(cells), view(y), view(group), view(said), n_groups, squared},
                           view(weight), poll_signals);
  });
  return permuted_record(give(std::move(found.excess)), give(std::move(found.errors)), found.total);
}

nb::object orders_of(const nb::tuple& arrays, const nb::tuple& bins,
                     const Table<std::int32_t>& rows, const Table<double>& weight,
                     std::int32_t criterion, std::size_t limit) {
  const BinNodes nodes(arrays);
  const std::vector<BinFeature> features = bin_features(bins);
  if (rows.shape(0) != weight.shape(0) || rows.shape(1) != features.size()) {
    throw std::invalid_argument("rows do not fit the bins or the weights");
  }
  if (criterion == static_cast<std::int32_t>(Criterion::variance) && weight.shape(1) != 3) {
    throw std::invalid_argument("numbers need a weight, a sum and a size by row");
  }
  const ClassRows cells{view(rows), view(weight), weight.shape(1)};
  Orders found = unlocked([&] {
    return all_orders(nodes.tree(), features, cells, static_cast<Criterion>(criterion), limit,
                      poll_only);
  });
  return orders_record(give(std::move(found.n_trees)), give(std::move(found.low)),
                       give(std::move(found.high)), give(std::move(found.mean)),
                       give(std::move(found.share_low)), give(std::move(found.share_high)),
                       found.irredundant, found.n_states);
}

}  // namespace

void bind(nb::module_& m) {
  orders_record.define(
      m, "Orders",
      {"n_trees", "low", "high", "mean", "share_low", "share_high", "irredundant", "n_states"});
  permuted_record.define(m, "Permuted", {"excess", "errors", "total"});
  m.def("all_orders", &orders_of, "nodes"_a, "bins"_a, "rows"_a, "weight"_a, "criterion"_a,
        "limit"_a, "By feature; n_trees as 32-bit words. LimitReached, TooManySets, TooDeep.");
  m.def("permuted_errors", &permuted<std::int64_t>, "offsets"_a, "column"_a, "label"_a, "cells"_a,
        "y"_a, "weight"_a, "group"_a, "n_classes"_a, "n_groups"_a,
        "Excess errors x weight by tree and group, errors by tree, weight of all rows.");
  m.def("permuted_errors_real", &permuted<double>, "offsets"_a, "column"_a, "label"_a, "cells"_a,
        "y"_a, "weight"_a, "group"_a, "n_classes"_a, "n_groups"_a, "Likewise for real weights.");
  m.def("permuted_losses", &losses, "offsets"_a, "column"_a, "label"_a, "said"_a, "cells"_a, "y"_a,
        "weight"_a, "group"_a, "n_groups"_a, "squared"_a,
        "Likewise excess losses of numbers, said by label; errors are empty.");
}

}  // namespace orderless::importance
