#pragma once

#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "core/bins/bins.hpp"

namespace orderless::bindings {

/// The arrays of a tree over bins, kept alive while C++ looks at them.
struct BinNodes {
  Array<std::int32_t> feature, cut;
  Array<std::uint8_t> nan_true;
  Array<std::int32_t> when_true, when_false, leaf_class;
  Array<std::int64_t> set_start;
  Array<std::int32_t> set_bins;

  explicit BinNodes(const nb::tuple& arrays)
      : feature(nb::cast<Array<std::int32_t>>(arrays[0])),
        cut(nb::cast<Array<std::int32_t>>(arrays[1])),
        nan_true(nb::cast<Array<std::uint8_t>>(arrays[2])),
        when_true(nb::cast<Array<std::int32_t>>(arrays[3])),
        when_false(nb::cast<Array<std::int32_t>>(arrays[4])),
        leaf_class(nb::cast<Array<std::int32_t>>(arrays[5])),
        set_start(nb::cast<Array<std::int64_t>>(arrays[6])),
        set_bins(nb::cast<Array<std::int32_t>>(arrays[7])) {}

  [[nodiscard]] BinTree tree() const {
    return {view(feature),    view(cut),        view(nan_true),  view(when_true),
            view(when_false), view(leaf_class), view(set_start), view(set_bins)};
  }
};

/// Hands the nodes of a tree over bins to Python, as BinNodes takes them.
inline nb::tuple give_nodes(WrittenTree tree) {
  return nb::make_tuple(give(std::move(tree.feature)), give(std::move(tree.cut)),
                        give(std::move(tree.nan_true)), give(std::move(tree.when_true)),
                        give(std::move(tree.when_false)), give(std::move(tree.leaf_class)),
                        give(std::move(tree.set_start)), give(std::move(tree.set_bins)));
}

/// (ordered, nan, number of bins), one entry per feature.
inline std::vector<BinFeature> bin_features(const nb::tuple& arrays) {
  const auto ordered = nb::cast<Array<std::uint8_t>>(arrays[0]);
  const auto nan = nb::cast<Array<std::uint8_t>>(arrays[1]);
  const auto n_bins = nb::cast<Array<std::int32_t>>(arrays[2]);
  std::vector<BinFeature> features(ordered.size());
  for (std::size_t f = 0; f < features.size(); ++f) {
    features[f] = {ordered.data()[f] != 0, nan.data()[f] != 0, n_bins.data()[f]};
  }
  return features;
}

}  // namespace orderless::bindings
