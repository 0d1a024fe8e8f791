// _core.bins: the boxes of the leaves of a tree over bins, and the bins that matter to its
// function.

#include "bindings/bins.hpp"
#include "bindings/calls.hpp"
#include "bindings/cuts.hpp"
#include "bindings/held.hpp"
#include "bindings/record.hpp"
#include "core/bins/api.hpp"

namespace orderless::bindings {

using namespace nb::literals;

namespace {

Record leaf_boxes_record, cut_record;

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

nb::object cut_of(const HeldTree& tree, const HeldSpace& space) {
  std::optional<CutTree> found = unlocked([&] { return cut_tree(tree.view(), space); });
  return found ? give_cut_tree(std::move(*found)) : nb::none();
}

}  // namespace

nb::object give_cut_tree(CutTree tree) {
  nb::list positions, cuts;
  for (const std::int32_t position : tree.positions) positions.append(position);
  for (std::vector<double>& own : tree.cuts) cuts.append(give(std::move(own)));
  std::vector<std::uint8_t> ordered, nan;
  std::vector<std::int32_t> n_bins;
  for (const BinFeature& feature : tree.features) {
    ordered.push_back(feature.ordered ? 1 : 0);
    nan.push_back(feature.nan ? 1 : 0);
    n_bins.push_back(feature.n_bins);
  }
  WrittenTree& own = tree.nodes;
  return cut_record(
      nb::tuple(positions), cuts,
      nb::make_tuple(give(std::move(ordered)), give(std::move(nan)), give(std::move(n_bins))),
      nb::make_tuple(give(std::move(own.feature)), give(std::move(own.cut)),
                     give(std::move(own.nan_true)), give(std::move(own.when_true)),
                     give(std::move(own.when_false)), give(std::move(own.leaf_class)),
                     give(std::move(own.set_start)), give(std::move(own.set_bins))));
}

void bind_bins(nb::module_& m) {
  cut_record.define(m, "CutTree", {"positions", "cuts", "layout", "nodes"});
  m.def("cut_tree", &cut_of, "tree"_a, "space"_a,
        "A tree over its own bins; None where it asks about an unordered feature, or cuts one into "
        "too many bins.");
  leaf_boxes_record.define(m, "LeafBoxes", {"leaves", "boxes"});
  m.def("leaf_boxes", &boxes_of_leaves, "nodes"_a, "bins"_a,
        "The numbers of the leaves, and their boxes.");
  m.def("function_bins", &bins_of_function, "nodes"_a, "bins"_a,
        "Per feature, by bin, the group of bins that the function keeps together.");
}

}  // namespace orderless::bindings
