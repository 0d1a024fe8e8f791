#include "core/rows/masks.hpp"

#include <map>
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

}  // namespace orderless::rows
