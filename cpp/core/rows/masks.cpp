#include "core/rows/masks.hpp"

#include <map>
#include <numeric>
#include <utility>

namespace orderless::rows {

MaskTree masks_of(const PackedTree& tree) {
  const double infinity = std::numeric_limits<double>::infinity();
  MaskTree out;
  std::map<std::ptrdiff_t, std::size_t> place;
  for (const PackedTree::Node& node : tree.nodes) {
    const auto [it, is_new] = place.emplace(node.offset, out.features.size());
    if (is_new) out.features.push_back({node.offset, {}, {}});
    out.features[it->second].cuts.push_back(node.cut);
  }
  for (MaskFeature& feature : out.features) {
    std::sort(feature.cuts.begin(), feature.cuts.end());
    feature.cuts.erase(std::unique(feature.cuts.begin(), feature.cuts.end()), feature.cuts.end());
  }
  using Sides = std::vector<std::pair<double, double>>;
  std::vector<std::pair<std::int32_t, Sides>> todo;
  todo.emplace_back(0, Sides(out.features.size(), {-infinity, infinity}));
  while (!todo.empty()) {
    auto [i, sides] = std::move(todo.back());
    todo.pop_back();
    if (i < 0) {
      const std::size_t leaf = out.leaf_class.size();
      out.leaf_class.push_back(~i);
      for (std::size_t f = 0; f < sides.size(); ++f) {
        out.features[f].intervals.push_back({leaf, sides[f].first, sides[f].second});
      }
      continue;
    }
    const PackedTree::Node& node = tree.nodes[static_cast<std::size_t>(i)];
    const std::size_t f = place.at(node.offset);
    Sides above = sides;
    sides[f].second = std::min(sides[f].second, node.cut);
    above[f].first = std::max(above[f].first, node.cut);
    todo.emplace_back(node.child[1], std::move(above));
    todo.emplace_back(node.child[0], std::move(sides));
  }
  return out;
}

MaskTable table_of(const MaskTree& tree, std::size_t n_words) {
  const std::vector<std::int32_t>& leaf_class = tree.leaf_class;
  std::vector<std::size_t> by_class(leaf_class.size());
  std::iota(by_class.begin(), by_class.end(), std::size_t{0});
  std::stable_sort(by_class.begin(), by_class.end(),
                   [&](std::size_t a, std::size_t b) { return leaf_class[a] < leaf_class[b]; });
  std::vector<std::size_t> place(leaf_class.size());
  std::vector<std::uint64_t> every(n_words);
  MaskTable out;
  out.leaf_class.assign(64 * n_words, 0);
  for (std::size_t i = 0; i < by_class.size(); ++i) {
    place[by_class[i]] = i;
    out.leaf_class[i] = leaf_class[by_class[i]];
    every[i / 64] |= std::uint64_t{1} << (i % 64);
  }
  for (const MaskFeature& from : tree.features) {
    const std::size_t n_bins = from.cuts.size() + 1;
    MaskTable::Feature feature{from.offset, from.cuts, {}};
    for (std::size_t b = 0; b < n_bins + 1; ++b) {  // where it is unknown every leaf stays
      feature.masks.insert(feature.masks.end(), every.begin(), every.end());
    }
    for (const LeafInterval& side : from.intervals) {
      const std::size_t bit = place[side.leaf];
      for (std::size_t b = 0; b < n_bins; ++b) {
        if (from.meets(side, b)) continue;
        feature.masks[b * n_words + bit / 64] &= ~(std::uint64_t{1} << (bit % 64));
      }
    }
    out.features.push_back(std::move(feature));
  }
  return out;
}

}  // namespace orderless::rows
