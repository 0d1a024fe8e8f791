#include "core/rows/masks.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace orderless::rows {

PackedTree pack(const TreeView& tree, std::span<const double> threshold,
                std::span<const Column> columns, const std::byte* base) {
  const auto yes = [&](std::size_t node) { return static_cast<std::size_t>(tree.when_true[node]); };
  const auto no = [&](std::size_t node) { return static_cast<std::size_t>(tree.when_false[node]); };
  const std::vector<std::int32_t> only = one_class(tree);
  PackedTree packed;
  packed.root = only[0];
  if (only[0] >= 0) return packed;
  std::vector<std::size_t> kept{0};
  std::vector<std::size_t> depth{1};
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const std::size_t from = kept[i];
    PackedTree::Node node;
    node.cut = threshold[from];
    node.offset = columns[static_cast<std::size_t>(tree.feature[from])].first - base;
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      const std::size_t child = side == 0 ? yes(from) : no(from);
      node.child[side] = only[child] >= 0 ? ~only[child] : static_cast<std::int32_t>(kept.size());
      if (only[child] >= 0) continue;
      kept.push_back(child);
      depth.push_back(depth[i] + 1);
    }
    packed.nodes.push_back(node);
  }
  for (const PackedTree::Node& node : packed.nodes) packed.offsets.push_back(node.offset);
  std::sort(packed.offsets.begin(), packed.offsets.end());
  const auto end = std::unique(packed.offsets.begin(), packed.offsets.end());
  packed.offsets.erase(end, packed.offsets.end());
  packed.depth = depth.back();  // level by level, so the last is the deepest
  return packed;
}

IntervalTree intervals_of(const PackedTree& tree) {
  const double infinity = std::numeric_limits<double>::infinity();
  IntervalTree out;
  std::map<std::ptrdiff_t, std::size_t> place;
  for (const PackedTree::Node& node : tree.nodes) {
    const auto [it, is_new] = place.emplace(node.offset, out.features.size());
    if (is_new) out.features.push_back({node.offset, {}, {}});
    out.features[it->second].cuts.push_back(node.cut);
  }
  for (IntervalFeature& feature : out.features) {
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

MaskTree masks_of(const PackedTree& tree, std::size_t n_words) {
  const IntervalTree leaves = intervals_of(tree);
  std::vector<std::size_t> by_class(leaves.leaf_class.size());
  std::iota(by_class.begin(), by_class.end(), std::size_t{0});
  std::stable_sort(by_class.begin(), by_class.end(), [&](std::size_t a, std::size_t b) {
    return leaves.leaf_class[a] < leaves.leaf_class[b];
  });
  MaskTree out;
  out.leaf_class.assign(64 * n_words, 0);
  std::vector<std::size_t> bit(by_class.size());
  std::vector<std::uint64_t> every(n_words);
  for (std::size_t i = 0; i < by_class.size(); ++i) {
    bit[by_class[i]] = i;
    out.leaf_class[i] = leaves.leaf_class[by_class[i]];
    every[i / 64] |= std::uint64_t{1} << (i % 64);
  }
  for (const IntervalFeature& from : leaves.features) {
    MaskFeature& feature = out.features.emplace_back();
    feature.offset = from.offset;
    feature.cuts = from.cuts;
    for (std::size_t b = 0; b < from.cuts.size() + 2;
         ++b) {  // where it is unknown every leaf stays
      feature.masks.insert(feature.masks.end(), every.begin(), every.end());
    }
    for (const LeafInterval& side : from.intervals) {
      const std::size_t at = bit[side.leaf];
      for (std::size_t b = 0; b <= from.cuts.size(); ++b) {
        if (from.meets(side, b)) continue;
        feature.masks[b * n_words + at / 64] &= ~(std::uint64_t{1} << (at % 64));
      }
    }
  }
  return out;
}

}  // namespace orderless::rows
