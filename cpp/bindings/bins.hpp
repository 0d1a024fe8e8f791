#pragma once

#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "core/bins/bins.hpp"

namespace orderless::bindings {

/// orderless.model.BinNodes, kept alive while C++ looks at them.
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

/// Hands a tree over bins to Python, as the class of the nodes that came.
inline nb::object give_nodes(const nb::tuple& like, WrittenTree tree) {
  return like.type()(give(std::move(tree.feature)), give(std::move(tree.cut)),
                     give(std::move(tree.nan_true)), give(std::move(tree.when_true)),
                     give(std::move(tree.when_false)), give(std::move(tree.leaf_class)),
                     give(std::move(tree.set_start)), give(std::move(tree.set_bins)));
}

/// orderless.model.Layout: ordered, nan, n_bins by feature.
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

inline BoxLayout layout_of(const nb::tuple& arrays) { return BoxLayout(bin_features(arrays)); }

using BoxTable = nb::ndarray<nb::numpy, std::uint16_t, nb::ndim<2>>;

/// Hands boxes over to numpy, one per row.
inline BoxTable give_boxes(BoxList list) {
  const std::size_t n = list.size();
  const std::size_t width = list.n_slots;
  auto* owner = new std::vector<std::uint16_t>(std::move(list.slots));
  nb::capsule free(owner,
                   [](void* p) noexcept { delete static_cast<std::vector<std::uint16_t>*>(p); });
  return BoxTable(owner->data(), {n, width}, free);
}

inline BoxList boxes_of(const Table<std::uint16_t>& given) {
  BoxList list;
  list.n_slots = given.shape(1);
  list.slots.assign(given.data(), given.data() + given.size());
  list.count = given.shape(0);
  return list;
}

}  // namespace orderless::bindings
