#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/bins/bins.hpp"
#include "core/tree/held.hpp"

namespace orderless {

/// A tree over the bins into which its own thresholds cut its features, which are in the order of
/// their names.
struct CutTree {
  std::vector<std::int32_t> positions;    // by feature its position in the space
  std::vector<std::vector<double>> cuts;  // by feature its finite thresholds, rising
  std::vector<BinFeature> features;
  WrittenTree nodes;  // numbered as those of the tree

  [[nodiscard]] BinTree view() const;
};

/// None for a tree that asks about an unordered feature, or cuts one into more bins than there may
/// be. Cost: nodes x log.
[[nodiscard]] std::optional<CutTree> cut_tree(const TreeView& tree, const HeldSpace& space);

}  // namespace orderless
