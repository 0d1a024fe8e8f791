#pragma once

#include <optional>

#include "core/rashomon/best.hpp"
#include "core/rashomon/cut_walk.hpp"
#include "core/rashomon/levels.hpp"

namespace orderless::rashomon {

/// What a graph whose columns come in chains does in another way.
class CutLevels : protected Levels {
 protected:
  CutLevels(Graph& graph, Meter& meter, const Keeping& keeping)
      : Levels(graph, meter), best_(rows_, costs_, meter), keeping_(keeping), walk_held_(meter) {}

  /// Whether nodes of these rows with two splits left are for expand_chains.
  [[nodiscard]] static bool in_chains(const Part& part);

  /// Depth 3 in all: the optimum of all rows, from sides that grow cut by cut. Nothing where sides
  /// do not grow.
  std::optional<std::int64_t> walk_cuts(const Part& part);

  /// The best of both sides of every group of a node with three splits left.
  [[nodiscard]] SideCosts chain_sides(std::size_t at, const Part& part, std::int64_t budget) const;

  /// The edges of a node with two splits left, and of its children.
  void expand_chains(std::size_t at, std::uint32_t node, const Words& support, const Cuts& cuts);

  /// Whether sides of all rows grow cut by cut; then the nodes with two splits left are expanded
  /// together: in an order, or, of many columns, as the sides grow.
  [[nodiscard]] bool walks() const { return walk_.used(); }
  void expand_walking(std::span<const std::uint32_t> order);

  Best best_;

 private:
  /// Whether there are so many columns that splits are not kept.
  [[nodiscard]] bool streams() const { return walk_.n_groups() >= keeping_.walk_from; }
  /// Adds the edges of a node: each_split(add) calls add(split).
  template <class Each>
  void hang_splits(std::uint32_t node, const Each& each_split);
  /// The child of a side that grows, at a split of it.
  std::uint32_t walk_child(std::uint32_t node, const Words& support, const WalkSplit& split,
                           bool yes);

  /// The edges of a node with one split left, of two classes.
  void last_edges(Level& level, std::uint32_t node, const Words& support, std::int64_t spare);
  /// The same, where there are few rows.
  void listed_edges(Level& level, std::uint32_t node, std::int64_t most);
  [[nodiscard]] bool lists();

  Keeping keeping_;
  Held walk_held_;
  Cuts walk_;                         // of all rows, where sides grow
  SideCosts walk_sides_;              // of its groups
  std::vector<std::int64_t> counts_;  // per class and column
  std::vector<LastSplit> splits_;
  LastSplits::Room last_room_;
  bool looked_ = false;  // whether last splits can be listed
  Words room_;
};

}  // namespace orderless::rashomon
