#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/tree/tree.hpp"

namespace orderless {

/// Which numbers an ordered feature can take.
enum class Numbers : std::uint8_t { float64, float32, integer, boolean };

/// The features of a space, as trees over it need them.
struct HeldSpace {
  std::vector<Domain> domains;
  std::vector<Numbers> numbers;
  std::vector<std::int32_t> rank;  // by feature its place in the order of the names
};

/// The boundary that a threshold really draws: the largest value at most there. As
/// `Feature.at_most` in Python, which says why.
[[nodiscard]] double value_at_most(double threshold, Numbers numbers);

/// A tree's arrays in one piece of memory: good, in normal form, without dead branches, and never
/// changed.
class HeldTree {
 public:
  HeldTree(std::size_t n_nodes, std::size_t n_values);

  [[nodiscard]] std::size_t size() const { return n_nodes_; }
  [[nodiscard]] std::size_t n_dropped() const { return n_dropped_; }
  [[nodiscard]] TreeView view() const {
    return {{feature_, n_nodes_},       {threshold_, n_nodes_},  {nan_true_, n_nodes_},
            {when_true_, n_nodes_},     {when_false_, n_nodes_}, {leaf_class_, n_nodes_},
            {set_start_, n_nodes_ + 1}, {set_values_, n_values_}};
  }

 private:
  friend struct Holding;

  std::size_t n_nodes_, n_values_, n_dropped_ = 0;
  std::unique_ptr<std::byte[]> memory_;
  double* threshold_;
  std::int64_t* set_start_;
  std::int32_t *feature_, *when_true_, *when_false_, *leaf_class_, *set_values_;
  std::uint8_t* nan_true_;
};

struct Held {
  HeldTree tree;
  std::vector<std::int32_t> kept;  // by node of the tree which it was; empty: all are there
};

/// Whether arrays describe a tree over a space: everything is in range, and every node but the root
/// has one parent. Linear in the nodes.
[[nodiscard]] bool describes_tree(const TreeView& tree, const HeldSpace& space,
                                  std::int32_t n_classes);

/// Brings thresholds of a tree into normal form and drops dead branches. Linear in the nodes.
[[nodiscard]] Held hold(const TreeView& tree, const HeldSpace& space);

/// Likewise, of a tree that is in normal form already.
[[nodiscard]] Held hold_normal(const TreeView& tree, const HeldSpace& space);

/// A copy of a tree that is in normal form, without dead branches.
[[nodiscard]] HeldTree hold_copy(const TreeView& tree);

/// By 0/1 column, the condition on a feature that holds where the column is 0 (or is 1: `flip`).
struct BitMeaning {
  std::span<const std::int32_t> feature;
  std::span<const double> threshold;
  std::span<const std::uint8_t> nan_true;
  std::span<const std::uint8_t> flip;
  std::span<const std::int64_t> set_start;
  std::span<const std::int32_t> set_values;
};

/// A tree over 0/1 columns, in preorder: a column, then what follows where it is 0, then where it
/// is 1; a leaf of class c is -1 - c. None where it is no tree, or not in range. Conditions must be
/// in normal form.
[[nodiscard]] std::optional<Held> hold_bits(std::span<const std::int32_t> codes,
                                            const BitMeaning& meaning, const HeldSpace& space,
                                            std::int32_t n_classes);

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
