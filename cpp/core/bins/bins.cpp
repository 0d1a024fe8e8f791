#include "core/bins/bins.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/base/bits.hpp"

namespace orderless {

BoxLayout::BoxLayout(std::vector<BinFeature> features) : features_(std::move(features)) {
  for (const BinFeature& feature : features_) {
    slot_.push_back(n_slots_);
    n_slots_ += feature.ordered ? (feature.nan ? 3U : 2U)
                                : (static_cast<std::size_t>(feature.n_bins) + 15) / 16;
  }
  slot_.push_back(n_slots_);
}

std::vector<std::uint16_t> BoxLayout::whole() const {
  std::vector<std::uint16_t> box(n_slots_, 0);
  for (std::size_t f = 0; f < n_features(); ++f) {
    const std::size_t s = slot(f);
    if (features_[f].ordered) {
      box[s + 1] = static_cast<std::uint16_t>(features_[f].n_bins - 1);
      if (features_[f].nan) box[s + 2] = 1;
    } else {
      for (std::size_t b = 0; b < static_cast<std::size_t>(features_[f].n_bins); ++b) {
        box[s + b / 16] = static_cast<std::uint16_t>(box[s + b / 16] | 1U << (b % 16));
      }
    }
  }
  return box;
}

std::int32_t BoxLayout::n_conditions(const std::uint16_t* box) const {
  std::int32_t n = 0;
  for (std::size_t f = 0; f < n_features(); ++f) {
    const std::size_t s = slot(f);
    const BinFeature& feature = features_[f];
    if (!feature.ordered) {
      int bins = 0;
      for (std::size_t i = s; i < slot_[f + 1]; ++i) bins += std::popcount(box[i]);
      n += bins != feature.n_bins;
      continue;
    }
    if (box[s] > box[s + 1]) {  // NaN alone: "is missing"
      ++n;
      continue;
    }
    const int bounds = (box[s] > 0) + (box[s + 1] < feature.n_bins - 1);
    // A bound leaves NaN out by itself; without one, "is known" is a condition of its own.
    n += bounds == 0 && feature.nan && box[s + 2] == 0 ? 1 : bounds;
  }
  return n;
}

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
