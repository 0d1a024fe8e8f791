#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace orderless {

/// Trees one after the other, nodes in preorder, the true branch first.
struct FlatTrees {
  std::vector<std::int64_t> start{0};
  std::vector<std::int32_t> column;       // -1: leaf
  std::vector<std::int32_t> label;        // -1: no leaf
  std::vector<std::int32_t> false_child;  // from the tree's first node; -1: leaf

  std::size_t add_leaf(std::int32_t says);
  std::size_t add_split(std::uint32_t asks);
  /// To be called when the true branch of `node` is there.
  void begin_false(std::size_t node);
  void end_tree() { start.push_back(static_cast<std::int64_t>(column.size())); }
};

/// Many trees over 0/1 columns, one after the other. Per node in preorder its column (-1: a leaf)
/// and the class of a leaf; first the subtree where the column is 1, then the one where it is 0.
/// Tree t has the nodes offsets[t] .. offsets[t + 1] - 1.
struct FlatTreesView {
  std::span<const std::int64_t> offsets;
  std::span<const std::int32_t> column;
  std::span<const std::int32_t> label;
};

}  // namespace orderless
