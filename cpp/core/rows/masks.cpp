#include "core/rows/masks.hpp"

#include <map>

namespace orderless::rows {

namespace {

/// A leaf's interval on each feature: values above the first and at most the second.
using Sides = std::vector<std::pair<double, double>>;

struct Leaf {
  std::int32_t label;
  Sides sides;
};

/// Gives the leaves; `place` is where the feature of an offset stands in their sides.
std::vector<Leaf> leaves_of(const PackedTree& tree,
                            const std::map<std::ptrdiff_t, std::size_t>& place) {
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<Leaf> out;
  std::vector<std::pair<std::int32_t, Sides>> todo;
  todo.emplace_back(0, Sides(place.size(), {-infinity, infinity}));
  while (!todo.empty()) {
    auto [i, sides] = std::move(todo.back());
    todo.pop_back();
    if (i < 0) {
      out.push_back({~i, std::move(sides)});
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

}  // namespace

MaskTree masks_of(const PackedTree& tree, std::size_t n_words) {
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
  std::vector<Leaf> leaves = leaves_of(tree, place);
  std::stable_sort(leaves.begin(), leaves.end(),
                   [](const Leaf& a, const Leaf& b) { return a.label < b.label; });
  out.leaf_class.assign(64 * n_words, 0);
  std::vector<std::uint64_t> every(n_words);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    out.leaf_class[i] = leaves[i].label;
    every[i / 64] |= std::uint64_t{1} << (i % 64);
  }
  for (std::size_t f = 0; f < out.features.size(); ++f) {
    MaskFeature& feature = out.features[f];
    const std::vector<double>& cuts = feature.cuts;
    for (std::size_t b = 0; b < cuts.size() + 2; ++b) {  // where it is unknown every leaf stays
      feature.masks.insert(feature.masks.end(), every.begin(), every.end());
    }
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      const auto [low, high] = leaves[i].sides[f];
      for (std::size_t b = 0; b <= cuts.size(); ++b) {
        const bool below = b > 0 && cuts[b - 1] >= high;  // the bin begins too high
        const bool above = b < cuts.size() && cuts[b] <= low;
        if (!below && !above) continue;
        feature.masks[b * n_words + i / 64] &= ~(std::uint64_t{1} << (i % 64));
      }
    }
  }
  return out;
}

}  // namespace orderless::rows
