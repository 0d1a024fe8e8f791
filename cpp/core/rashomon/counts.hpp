#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/base/wide.hpp"
#include "core/rashomon/graph.hpp"

namespace orderless::rashomon {

using Count = Wide;

/// Sums and products of counts; throw CountOverflow.
[[nodiscard]] Count plus_checked(Count a, Count b);
[[nodiscard]] Count times_checked(Count a, Count b);

/// Some of the trees of a graph.
struct View {
  std::int64_t bound = 0;                           // at most the graph's
  std::int64_t max_leaves = 0;                      // 0: any number
  std::vector<std::uint8_t> allowed;                // columns that may be asked
  std::vector<std::vector<std::int32_t>> required;  // of each group some column is asked
  bool trivial = true;  // also trees in which a split has two leaves of the same label
  std::vector<std::int32_t> feature;  // of each column; empty: their number does not matter
  std::int64_t most_features = 0;     // that one tree asks about

  /// What asking a column adds to what a tree asks: bit g, it is in group g; after the groups, the
  /// bit of its feature, where their number matters.
  /// Precondition: at most 64 groups and features.
  [[nodiscard]] std::vector<std::uint64_t> masks(std::size_t n_columns) const;
  [[nodiscard]] std::uint64_t full() const { return (std::uint64_t{1} << required.size()) - 1; }
  [[nodiscard]] bool limits_features() const { return !feature.empty(); }
  /// Whether a part of a tree may ask all this.
  [[nodiscard]] bool may(std::uint64_t asked) const {
    return !limits_features() || std::popcount(asked >> required.size()) <= most_features;
  }
  /// Whether a part that asks this can stand wherever one can that asks the other.
  [[nodiscard]] bool as_good(std::uint64_t asked, std::uint64_t other) const {
    return (other & ~asked & full()) == 0 && (asked & ~other & ~full()) == 0;
  }
  /// Whether a tree may.
  [[nodiscard]] bool fits(std::uint64_t asked) const {
    return (asked & full()) == full() && may(asked);
  }
};

/// What a view leaves of a graph: budgets, and the nodes that its trees can have.
class Reachable {
 public:
  Reachable(const Graph& graph, const View& view);
  [[nodiscard]] bool has(std::uint32_t node) const { return in_[node] != 0; }
  [[nodiscard]] bool has(const Graph& graph, std::uint32_t node, const Edge& edge) const;
  [[nodiscard]] std::int64_t budget(const Graph& graph, std::uint32_t node) const {
    return graph.budget[node] - less_;
  }
  /// The most leaves that a subtree there can have.
  [[nodiscard]] std::int64_t max_leaves(std::uint32_t node) const { return leaves_[level_[node]]; }

 private:
  std::int64_t less_;
  std::vector<std::uint8_t> allowed_, in_;
  std::vector<std::uint16_t> level_;
  std::vector<std::int64_t> leaves_;  // by level
};

/// How many subtrees of one cost, number of leaves and set of what they ask (see View::masks).
struct Cell {
  std::int64_t cost = 0;
  std::uint64_t groups = 0;
  std::int32_t leaves = 0;
  Count trees = 0;
  Count nontrivial = 0;

  [[nodiscard]] bool same_kind(const Cell& other) const {
    return cost == other.cost && leaves == other.leaves && groups == other.groups;
  }
  [[nodiscard]] bool before(const Cell& other) const {
    if (cost != other.cost) return cost < other.cost;
    if (leaves != other.leaves) return leaves < other.leaves;
    return groups < other.groups;
  }
};

class OpenRoot;

/// For every node how many subtrees there are, by (cost, leaves, groups): bottom up, each node
/// once. A table's size does not depend on the number of trees. Tables of nodes with one split left
/// are made when they are looked at: they would take most of the memory. For squared loss nearly
/// every tree has a cost of its own: where the root's table would be long, it is not made.
class Counts {
 public:
  /// `long_table`: how many products of cells at the root are too many for squared loss.
  Counts(std::shared_ptr<const Graph> graph, View view, Meter& meter, double long_table = 1e5);
  ~Counts();
  Counts(const Counts&) = delete;
  Counts& operator=(const Counts&) = delete;

  /// The trees of the view by (cost, leaves), sorted. Where the root has no table, it is made, and
  /// not kept.
  [[nodiscard]] std::vector<Cell> histogram(Meter& meter) const;
  /// How many trees the view has, and how many without trivial splits.
  [[nodiscard]] Count n() const { return n_; }
  [[nodiscard]] Count n_nontrivial() const { return n_nontrivial_; }
  /// How many trees of the view cost exactly so much.
  [[nodiscard]] Count n_at(std::int64_t cost, Meter& meter) const;
  [[nodiscard]] std::size_t bytes() const;

  /// The trees at these positions, ordered by (cost, leaves, a fixed order).
  /// Precondition: positions < n().
  [[nodiscard]] FlatTrees unrank(std::span<const Count> positions, Meter& meter) const;
  /// The position of one tree in preorder; none if it is not in the view.
  [[nodiscard]] std::optional<Count> rank(std::span<const std::int32_t> column,
                                          std::span<const std::int32_t> label, Meter& meter) const;

  [[nodiscard]] const Graph& graph() const { return *graph_; }
  [[nodiscard]] const View& view() const { return view_; }
  [[nodiscard]] std::int64_t most_leaves(std::uint32_t node) const {
    return reachable_.max_leaves(node);
  }

  /// The table of a node, sorted; `room` is used where it is not stored.
  [[nodiscard]] std::span<const Cell> table(std::uint32_t node, std::vector<Cell>& room) const;
  [[nodiscard]] std::uint64_t groups_of(std::uint32_t column) const { return masks_[column]; }
  [[nodiscard]] bool has(std::uint32_t node, const Edge& edge) const {
    return reachable_.has(*graph_, node, edge);
  }
  /// The count that the view is about.
  [[nodiscard]] Count count(const Cell& cell) const {
    return view_.trivial ? cell.trees : cell.nontrivial;
  }

 private:
  void fill(std::uint32_t node, std::vector<Cell>& out, Meter& meter) const;
  /// How many products of cells a node has, and about how many trees.
  [[nodiscard]] std::pair<double, double> work(std::uint32_t node) const;
  [[nodiscard]] bool has_long_table(double long_table) const;
  [[nodiscard]] FlatTrees unrank_open(std::span<const Count> positions, Meter& meter) const;
  void fill_small(std::uint32_t node, std::vector<Cell>& out) const;
  bool tally_edges(std::uint32_t node, std::span<const Edge> edges, std::int64_t budget,
                   std::vector<Cell>& out) const;
  void tally_small(std::uint32_t node, std::int64_t budget, std::vector<Cell>& out) const;
  /// Whether two edges of a node lead to the same and ask the same.
  [[nodiscard]] bool alike_edges(const Edge& a, const Edge& b) const {
    return a.when_true == b.when_true && a.when_false == b.when_false &&
           masks_[a.column] == masks_[b.column] && view_.allowed[b.column] != 0;
  }
  [[nodiscard]] bool stored(std::uint32_t node) const { return node < n_stored_; }

  std::shared_ptr<const Graph> graph_;
  View view_;
  std::vector<std::uint64_t> masks_;
  Reachable reachable_;
  std::uint32_t n_stored_;
  std::vector<std::uint32_t> upto_;        // where the last splits are counted, not listed
  std::vector<std::vector<Cell>> tables_;  // of nodes with two and more splits left
  std::unique_ptr<const OpenRoot> open_;   // where the root has no table
  Count n_ = 0, n_nontrivial_ = 0;
};

}  // namespace orderless::rashomon
