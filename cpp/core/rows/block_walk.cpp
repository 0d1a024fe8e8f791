#include "core/rows/block_walk.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <queue>
#include <utility>

namespace orderless::rows {

namespace {

/// What lies below every node of a packed tree.
struct Below {
  std::vector<std::int32_t> low, high;
  std::vector<std::size_t> leaves;
};

Below below(const PackedTree& tree) {
  const std::size_t n = tree.nodes.size();
  Below out{std::vector<std::int32_t>(n), std::vector<std::int32_t>(n),
            std::vector<std::size_t>(n)};
  for (std::size_t i = n; i-- > 0;) {  // children come after their parents
    const auto [yes, no] = tree.nodes[i].child;
    const auto of = [](std::int32_t child, const auto& values) {
      return values[static_cast<std::size_t>(child)];
    };
    out.low[i] = std::min(yes < 0 ? ~yes : of(yes, out.low), no < 0 ? ~no : of(no, out.low));
    out.high[i] = std::max(yes < 0 ? ~yes : of(yes, out.high), no < 0 ? ~no : of(no, out.high));
    out.leaves[i] = (yes < 0 ? 1 : of(yes, out.leaves)) + (no < 0 ? 1 : of(no, out.leaves));
  }
  return out;
}

/// The nodes of the block that begins at `root`, parents first: always the one on with the most
/// leaves below it, so that what is left for other blocks is of about one size.
std::vector<std::size_t> nodes_of_block(const PackedTree& tree, const Below& of, std::size_t root,
                                        std::size_t most) {
  std::priority_queue<std::pair<std::size_t, std::size_t>> open;  // leaves, node
  open.emplace(of.leaves[root], root);
  std::vector<std::size_t> nodes;
  while (!open.empty() && nodes.size() + 1 < most) {
    const std::size_t node = open.top().second;
    open.pop();
    nodes.push_back(node);
    for (const std::int32_t child : tree.nodes[node].child) {
      const auto at = static_cast<std::size_t>(child);
      if (child >= 0) open.emplace(of.leaves[at], at);
    }
  }
  return nodes;
}

/// The block of these nodes as a tree of its own, whose classes are its exits in the order of
/// `found`; an exit's `block` is the node with which it begins.
PackedTree cut_out(const PackedTree& tree, const Below& of, const std::vector<std::size_t>& nodes,
                   std::vector<Block::Exit>& found) {
  PackedTree part;
  std::map<std::int32_t, std::int32_t> place;
  for (const std::size_t node : nodes) {
    place.emplace(static_cast<std::int32_t>(node), static_cast<std::int32_t>(place.size()));
  }
  for (const std::size_t from : nodes) {
    PackedTree::Node node = tree.nodes[from];
    for (std::int32_t& child : node.child) {
      if (const auto inside = place.find(child); inside != place.end()) {
        child = inside->second;
        continue;
      }
      const auto at = static_cast<std::size_t>(child);
      found.push_back(child < 0 ? Block::Exit{~child, ~child, -1}
                                : Block::Exit{of.low[at], of.high[at], child});
      child = ~static_cast<std::int32_t>(found.size() - 1);
    }
    part.nodes.push_back(node);
  }
  return part;
}

/// Numbers the exits of a block by both of their ends.
Block number_exits(const PackedTree& part, const std::vector<Block::Exit>& found) {
  Block block;
  std::vector<std::size_t> low(found.size());
  std::iota(low.begin(), low.end(), std::size_t{0});
  std::vector<std::size_t> high = low;
  std::ranges::stable_sort(low, {}, [&](std::size_t i) { return found[i].low; });
  std::ranges::stable_sort(high, {}, [&](std::size_t i) { return found[i].high; });
  std::vector<std::size_t> low_place(found.size());
  for (std::size_t k = 0; k < low.size(); ++k) {
    low_place[low[k]] = k;
    block.by_low.push_back(found[low[k]]);
    block.by_high.push_back(found[high[k]]);
  }
  block.place.resize(found.size());
  for (std::size_t k = 0; k < high.size(); ++k) {
    block.place[low_place[high[k]]] = static_cast<std::uint8_t>(k);
  }
  IntervalTree masks = intervals_of(part);
  for (IntervalFeature& feature : masks.features) {
    for (LeafInterval& side : feature.intervals) {
      side.leaf = low_place[static_cast<std::size_t>(masks.leaf_class[side.leaf])];
    }
  }
  block.features = std::move(masks.features);
  return block;
}

}  // namespace

BlockTree blocks_of(const PackedTree& tree, std::size_t most) {
  const Below of = below(tree);
  BlockTree out;
  std::vector<std::size_t> roots{0};
  std::vector<std::size_t> level{1};
  for (std::size_t b = 0; b < roots.size(); ++b) {
    std::vector<Block::Exit> found;
    const std::vector<std::size_t> nodes = nodes_of_block(tree, of, roots[b], most);
    const PackedTree part = cut_out(tree, of, nodes, found);
    for (Block::Exit& exit : found) {
      if (exit.block < 0) continue;
      roots.push_back(static_cast<std::size_t>(exit.block));
      level.push_back(level[b] + 1);
      exit.block = static_cast<std::int32_t>(roots.size() - 1);
    }
    out.blocks.push_back(number_exits(part, found));
    out.levels = std::max(out.levels, level[b]);
  }
  return out;
}

}  // namespace orderless::rows
