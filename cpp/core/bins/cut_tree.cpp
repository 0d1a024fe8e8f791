#include "core/bins/cut_tree.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/bits.hpp"

namespace orderless {

namespace {

constexpr std::size_t most_bins = 65'535;

}  // namespace

BinTree CutTree::view() const {
  return {nodes.feature,    nodes.cut,        nodes.nan_true,  nodes.when_true,
          nodes.when_false, nodes.leaf_class, nodes.set_start, nodes.set_bins};
}

std::optional<CutTree> cut_tree(const TreeView& tree, const HeldSpace& space) {
  CutTree out;
  for (const std::int32_t f : tree.feature) {
    if (f < 0) continue;
    if (!space.domains[at(f)].ordered) return std::nullopt;
    if (std::find(out.positions.begin(), out.positions.end(), f) == out.positions.end()) {
      out.positions.push_back(f);
    }
  }
  std::sort(out.positions.begin(), out.positions.end(),
            [&](std::int32_t a, std::int32_t b) { return space.rank[at(a)] < space.rank[at(b)]; });
  const std::size_t n = tree.size(), n_features = out.positions.size();
  std::vector<std::int32_t> place(space.domains.size(), -1);
  for (std::size_t k = 0; k < n_features; ++k) {
    place[at(out.positions[k])] = static_cast<std::int32_t>(k);
  }
  out.cuts.resize(n_features);
  for (std::size_t i = 0; i < n; ++i) {
    if (tree.feature[i] < 0 || !std::isfinite(tree.threshold[i])) continue;
    out.cuts[at(place[at(tree.feature[i])])].push_back(tree.threshold[i]);
  }
  for (std::size_t k = 0; k < n_features; ++k) {
    std::vector<double>& cuts = out.cuts[k];
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    if (cuts.size() + 1 > most_bins) return std::nullopt;
    out.features.push_back({true, space.domains[at(out.positions[k])].nan,
                            static_cast<std::int32_t>(cuts.size()) + 1});
  }
  WrittenTree& nodes = out.nodes;
  nodes.feature.assign(n, -1);
  nodes.cut.assign(n, -1);
  nodes.nan_true.assign(tree.nan_true.begin(), tree.nan_true.end());
  nodes.when_true.assign(tree.when_true.begin(), tree.when_true.end());
  nodes.when_false.assign(tree.when_false.begin(), tree.when_false.end());
  nodes.leaf_class.assign(tree.leaf_class.begin(), tree.leaf_class.end());
  nodes.set_start.assign(n + 1, 0);
  for (std::size_t i = 0; i < n; ++i) {
    if (tree.feature[i] < 0) continue;
    const std::int32_t k = place[at(tree.feature[i])];
    nodes.feature[i] = k;
    const double threshold = tree.threshold[i];
    if (std::isinf(threshold) && threshold < 0) continue;  // before the first bin
    const std::vector<double>& cuts = out.cuts[at(k)];
    nodes.cut[i] = static_cast<std::int32_t>(std::lower_bound(cuts.begin(), cuts.end(), threshold) -
                                             cuts.begin());
  }
  return out;
}

}  // namespace orderless
