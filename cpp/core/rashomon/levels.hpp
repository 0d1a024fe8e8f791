#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/rashomon/graph.hpp"

// A graph while it is made, level by level from the root.
namespace orderless::rashomon {

/// The nodes of one depth, while they are met.
struct Level {
  Numbers numbers;                 // by support
  std::vector<std::int32_t> path;  // per node the literals that lead to it: 2 column + (is 0)
  std::vector<std::int64_t> errors, budget, best;
  std::vector<std::int32_t> label;
  std::vector<std::size_t> edge_start, edge_end;
  std::vector<Edge> edges;  // children: in the next level, or leaves

  [[nodiscard]] std::size_t size() const { return errors.size(); }
  /// Room for so many nodes at least.
  void reserve(std::size_t n) {
    errors.reserve(n);
    budget.reserve(n);
    best.reserve(n);
    label.reserve(n);
    edge_start.reserve(n);
    edge_end.reserve(n);
  }
  [[nodiscard]] std::size_t bytes() const {
    return numbers.bytes() + path.capacity() * 4 + size() * 44 + edges.capacity() * sizeof(Edge);
  }
};

class Levels {
 protected:
  Levels(Graph& graph, Meter& meter);

  [[nodiscard]] int left(std::size_t level) const { return graph_.depth - static_cast<int>(level); }

  /// The node of a support in a level; its budget rises to what is offered. Gives its number, and
  /// whether it is new or richer.
  std::pair<std::uint32_t, bool> meet(std::size_t at, const std::uint64_t* support,
                                      const std::int32_t* path, std::int32_t literal,
                                      const Leaf& leaf, std::int64_t budget, std::int64_t best);

  /// The number of a leaf, marked as such.
  std::uint32_t intern(const std::int64_t* weights);
  std::uint32_t intern(std::int32_t label, std::int64_t errors);
  std::uint32_t intern_any(std::int32_t label, std::int64_t errors);

  /// The rows of a node.
  void follow(std::size_t at, std::uint32_t node, Words& support) const;
  void cut(const Words& support, std::int32_t literal, Words& out) const;

  /// Tells the meter what all levels hold.
  void set_held();

  /// Keeps how to find the edges that are not written down.
  void keep_paths();

  /// Numbers for good: level after level without the nodes that are mere leaves, then the leaves.
  void finish();

  std::shared_ptr<const LastSplits> last_;  // where it was needed
  bool unwritten_ = false;  // edges of nodes with one split left are not written down
  Graph& graph_;
  const Rows& rows_;
  Costs costs_;
  Meter& meter_;
  Held held_;
  Namer namer_;
  std::vector<Level> levels_;
  Numbers leaves_;
  std::vector<std::uint32_t> few_leaves_;  // some of them, by errors and label; 0: not met
  std::vector<std::int32_t> leaf_label_;
  std::vector<std::int64_t> leaf_errors_;
};

}  // namespace orderless::rashomon
