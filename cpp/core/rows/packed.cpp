#include "core/rows/packed.hpp"

#include <algorithm>

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

}  // namespace orderless::rows
