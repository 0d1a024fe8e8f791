#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/rashomon/counts.hpp"
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
  /// The same by the column that is asked at the root, -1 for a tree that is a leaf: only those of
  /// which there is a tree, in order of columns. The tree may be any that is the function, in the
  /// view or not; `errors` are those of the function on the graph's rows.
  [[nodiscard]] std::vector<std::pair<std::int32_t, Count>> n_trees_by_root(
      std::span<const std::int32_t> column, std::span<const std::int32_t> label,
      std::int64_t errors, Meter& meter);

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
  /// Of a split; room that is used again.
  struct Sides {
    Place on_true, on_false;
  };

  std::size_t add_errors(std::span<const std::int32_t> column, std::size_t at, std::uint32_t node,
                         std::int64_t& errors) const;
  /// Turns to the function of a tree; gives the most leaves that one of its trees can have.
  std::int64_t take(std::span<const std::int32_t> column, std::span<const std::int32_t> label,
                    std::int64_t errors);
  [[nodiscard]] Place root() const { return {0, graph_.depth, measure_.whole(), faces_.all()}; }
  /// How many of them are trees of the view.
  [[nodiscard]] Count n_fitting(const Entries& entries) const;
  /// The subtrees with at most so many leaves that are the function within a place.
  const Entries& count(const Place& place, std::int64_t most_leaves, Meter& meter);
  void add_leaf(const Place& place, Entries& out) const;
  [[nodiscard]] bool may_split(const Place& place, std::int64_t most_leaves) const;
  void add_split(const Place& place, const Edge& edge, std::int64_t most_leaves, Sides& sides,
                 Entries& out, Meter& meter);
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
