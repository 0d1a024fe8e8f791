#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <stdexcept>
#include <vector>

#include "core/rashomon/counts.hpp"
#include "core/rashomon/faces.hpp"
#include "core/rashomon/measure.hpp"

namespace orderless::rashomon {

/// How many trees of a view are the same function as a tree of it, without a list of functions:
/// from the root down, through splits that leave both sides room for what they still have to tell
/// apart. Of each node and box once. Cost: grows with the orders in which the function's questions
/// can be asked within the view's leaves and depth; not with the number of trees.
class OneFunction {
 public:
  /// Precondition: every training row lies in the space.
  OneFunction(const Graph& graph, const View& view, const SpaceMeasure& measure);

  /// Nodes of one tree of the view in preorder, the true branch first.
  [[nodiscard]] Count n_trees(std::span<const std::int32_t> column,
                              std::span<const std::int32_t> label, Meter& meter);

 private:
  /// So many subtrees that have so many leaves and ask this (View::masks).
  struct Entry {
    std::uint64_t asked = 0;
    std::int64_t leaves = 0;
    Count trees = 0;
  };
  using Entries = std::vector<Entry>;
  struct Known {
    std::int64_t most_leaves = 0;  // for which it was counted
    Entries entries;
  };
  /// Where a subtree is to stand: a part of the space, and what the function tells apart there.
  struct Place {
    std::uint32_t node = 0;
    int depth_left = 0;
    Words box, alive;
  };

  std::size_t add_errors(std::span<const std::int32_t> column, std::size_t at, std::uint32_t node,
                         std::int64_t& errors) const;
  /// The subtrees with at most so many leaves that are the function within a place.
  const Entries& count(const Place& place, std::int64_t most_leaves, Meter& meter);
  void add_splits(const Place& place, std::int64_t most_leaves, Entries& out, Meter& meter);
  /// Whether the side of a split can be the function with so many leaves; the least that it needs.
  [[nodiscard]] bool step(const Place& from, const Edge& edge, bool is_true, Place& to,
                          std::int64_t& least) const;
  static void merge(Entries& entries);

  const Graph& graph_;
  const View& view_;
  const SpaceMeasure& measure_;
  std::vector<std::uint64_t> masks_;
  Reachable reachable_;
  std::vector<Neighbours> neighbours_;
  Namer namer_;

  // Of the function at hand.
  Faces faces_;
  Numbers numbers_;
  std::deque<Known> known_;
  std::size_t n_entries_ = 0;
  Held* held_ = nullptr;  // what is known
};

}  // namespace orderless::rashomon
