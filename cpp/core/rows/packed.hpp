#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/rows/reach.hpp"
#include "core/tree/tree.hpp"

namespace orderless::rows {

/// The inner nodes of a tree in which every branch of one class is one leaf, level by level.
struct PackedTree {
  struct Node {
    double cut = 0;
    std::ptrdiff_t offset = 0;       // of the feature's value, from the row's first
    std::int32_t child[2] = {0, 0};  // at most the cut, above; a leaf is ~class
  };
  std::vector<Node> nodes;              // none: the tree is one leaf
  std::vector<std::ptrdiff_t> offsets;  // of the features asked for, sorted
  std::int32_t root = 0;                // its class, if it is one leaf
  std::size_t depth = 0;

  [[nodiscard]] std::size_t n_leaves() const { return nodes.size() + 1; }
};

/// `threshold` replaces the tree's; offsets are bytes from `base`.
[[nodiscard]] PackedTree pack(const TreeView& tree, std::span<const double> threshold,
                              std::span<const Column> columns, const std::byte* base);

}  // namespace orderless::rows
