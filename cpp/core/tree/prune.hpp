#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/tree/tree.hpp"

namespace orderless {

enum class LinkFault : std::int32_t { none, shared, unreachable };

struct LinkCheck {
  LinkFault fault = LinkFault::none;
  std::int32_t node = -1;
  std::int32_t depth = 0;
};

/// Whether every node is reached from the root exactly once. Children must be in range already.
[[nodiscard]] LinkCheck check_links(const TreeView& tree);

struct Pruned {
  /// For each old node its new index, or -1 where it is gone. Old order is kept, but the root is 0.
  std::vector<std::int32_t> index;
  std::vector<std::int32_t> when_true;   // by old node, old indices, past the dead branches
  std::vector<std::int32_t> when_false;  // likewise
  std::int32_t root = 0;
  std::int32_t n_kept = 0;
};

/// Drops the branches that earlier conditions, or the domain, rule out. Linear in the nodes.
[[nodiscard]] Pruned prune(const TreeView& tree, std::span<const Domain> domains);

}  // namespace orderless
