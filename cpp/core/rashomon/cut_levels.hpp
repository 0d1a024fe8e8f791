#pragma once

#include <functional>
#include <optional>

#include "core/rashomon/best.hpp"
#include "core/rashomon/cut_triples.hpp"
#include "core/rashomon/cut_walk.hpp"
#include "core/rashomon/levels.hpp"

namespace orderless::rashomon {

/// What a graph whose columns come in chains does in another way.
class CutLevels : protected Levels {
 protected:
  CutLevels(Graph& graph, Meter& meter, const Keeping& keeping)
      : Levels(graph, meter), best_(rows_, costs_, meter), keeping_(keeping), near_held_(meter) {}

  /// Whether nodes of these rows with two splits left are for expand_chains.
  [[nodiscard]] static bool in_chains(const Part& part);

  /// Depth 3 in all: finds what is near the optimum of all rows, and gives the optimum; nothing
  /// where that is not the way.
  std::optional<std::int64_t> look_at_cuts(
      const Part& part, const std::function<std::int64_t(std::int64_t)>& bound_of);

  /// The best of both sides of every group of a node with three splits left.
  [[nodiscard]] SideCosts chain_sides(std::size_t at, const Part& part, std::int64_t budget) const;

  /// The edges of a node with two splits left, and of its children.
  void expand_chains(std::size_t at, std::uint32_t node, const Words& support, const Cuts& cuts);

  /// Whether the splits of the sides of all rows are known that are near; then their edges, too.
  [[nodiscard]] bool knows_near() const { return !near_.splits.empty(); }
  void expand_near(std::uint32_t node, const Words& support);

  /// Whether sides of all rows grow cut by cut; then the nodes with two splits left are expanded
  /// together.
  [[nodiscard]] bool walks() const { return walk_.used(); }
  void expand_walking();

  Best best_;

 private:
  /// The child of a side that grows, at a split of it.
  std::uint32_t walk_child(std::uint32_t node, const Words& support, const WalkSplit& split,
                           bool yes);

  /// Adds the edges of a node with two splits left: each(budget, add) calls add(first column, one
  /// after the last, split).
  template <class Each>
  void add_splits(std::size_t at, std::uint32_t node, const Words& support, Each&& each);
  /// The edges of a node with one split left, of two classes.
  void last_edges(Level& level, std::uint32_t node, const Words& support, std::int64_t spare);
  /// The same, where there are few rows.
  void listed_edges(Level& level, std::uint32_t node, std::int64_t most);
  [[nodiscard]] bool lists();

  Keeping keeping_;
  Held near_held_;
  Cuts walk_;      // of all rows, where sides grow
  NearCuts near_;  // of all rows, where three cuts were looked at together
  std::vector<std::uint32_t> root_columns_, root_ends_;  // of the groups of all rows
  std::vector<std::int64_t> counts_;                     // per class and column
  std::vector<LastSplit> splits_;
  LastSplits::Room last_room_;
  bool looked_ = false;  // whether last splits can be listed
  Words room_;
};

}  // namespace orderless::rashomon
