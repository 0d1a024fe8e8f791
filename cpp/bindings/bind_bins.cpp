// _core.bins: the boxes of the leaves of a tree over bins, and the bins that matter to its
// function.

#include "bindings/bins.hpp"
#include "bindings/calls.hpp"
#include "bindings/record.hpp"
#include "core/bins/room.hpp"

namespace orderless::bindings {

using namespace nb::literals;

namespace {

Record leaf_boxes_record;

nb::object boxes_of_leaves(const nb::tuple& arrays, const nb::tuple& bins) {
  const BinNodes nodes(arrays);
  const BoxLayout layout = layout_of(bins);
  std::vector<std::int32_t> leaves;
  for (std::size_t i = 0; i < nodes.feature.size(); ++i) {
    if (nodes.feature.data()[i] < 0) leaves.push_back(static_cast<std::int32_t>(i));
  }
  BoxList boxes = unlocked([&] { return leaf_boxes(nodes.tree(), layout); });
  return leaf_boxes_record(give(std::move(leaves)), give_boxes(std::move(boxes)));
}

nb::list bins_of_function(const nb::tuple& arrays, const nb::tuple& bins) {
  const BinNodes nodes(arrays);
  const std::vector<BinFeature> features = bin_features(bins);
  auto found = unlocked([&] { return function_bins(nodes.tree(), features); });
  nb::list out;
  for (auto& groups : found) out.append(give(std::move(groups)));
  return out;
}

}  // namespace

void bind_bins(nb::module_& m) {
  leaf_boxes_record.define(m, "LeafBoxes", {"leaves", "boxes"});
  m.def("leaf_boxes", &boxes_of_leaves, "nodes"_a, "bins"_a,
        "The numbers of the leaves, and their boxes.");
  m.def("function_bins", &bins_of_function, "nodes"_a, "bins"_a,
        "Per feature, by bin, the group of bins that the function keeps together.");
}

}  // namespace orderless::bindings
