#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/rashomon/last_splits.hpp"
#include "core/rashomon/meter.hpp"
#include "core/rashomon/rows.hpp"
#include "core/tree/tree.hpp"

namespace orderless::rashomon {

/// Ask a column; go on where it is 1, and where it is 0.
struct Edge {
  std::uint32_t column = 0;
  std::uint32_t when_true = 0;
  std::uint32_t when_false = 0;
};

/// How far above the optimum trees may be: epsilon = numerator / denominator, absolute or times the
/// optimum's distance from `base` (rounded down: costs are integers).
struct Slack {
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;
  bool relative = false;
  std::int64_t base = 0;  // of every tree's cost the part that is no objective
  std::optional<std::int64_t> optimum = std::nullopt;  // where it is known already
};

/// How a graph with columns in chains is searched and kept; for tests.
struct Keeping {
  std::size_t walk_from = 2048;                   // columns from which on splits are not kept
  std::size_t most_last = std::size_t{1} << 25U;  // last splits that are written down
};

/// Every tree of depth <= D that costs at most optimum + epsilon, shared by (rows, depth left): a
/// node is a leaf or asks one of its edges' columns. Nodes go level by level from the root, which
/// is node 0; every edge leads to later nodes; nodes without edges are leaves and are shared by
/// what a leaf says and misses. A node's budget is the largest of what its parents leave to it, so
/// a choice at a node still has to be held against what is left on the way there.
struct Graph {
  Rows rows;
  Costs costs;
  int depth = 0;
  std::int64_t optimum = 0;
  std::int64_t bound = 0;
  std::vector<std::int32_t> label;      // of the node as a leaf
  std::vector<std::int64_t> errors;     // likewise
  std::vector<std::int64_t> budget;     // no subtree in the set costs more
  std::vector<std::int64_t> best;       // the cheapest subtree
  std::vector<std::size_t> edge_start;  // edges by ascending column
  std::vector<Edge> edges;
  std::vector<std::uint32_t> level_start;  // first node of each level, and the first leaf

  // Where the edges of nodes with one split left are not written down:
  std::shared_ptr<const LastSplits> last;  // finds them
  std::vector<std::int32_t> last_path;     // per such node: the literals that lead to it
  std::vector<std::uint32_t> last_leaf;    // the leaves: of label 0 by errors, and of label 1

  [[nodiscard]] std::size_t n_nodes() const { return label.size(); }
  [[nodiscard]] std::span<const Edge> of(std::uint32_t node) const {
    return {edges.data() + edge_start[node], edge_start[node + 1] - edge_start[node]};
  }
  /// Whether a node's edges are written down.
  [[nodiscard]] bool written(std::uint32_t node) const {
    if (last == nullptr) return true;
    const auto level = static_cast<std::size_t>(depth);
    return node < level_start[level - 1] || node >= level_start[level];
  }
  [[nodiscard]] std::span<const std::int32_t> path_of(std::uint32_t node) const {
    const auto n = static_cast<std::size_t>(depth) - 1;
    return {last_path.data() + (node - level_start[n]) * n, n};
  }
  /// The edges of any node; those that are not written down are made in `room`.
  [[nodiscard]] std::span<const Edge> of(std::uint32_t node, std::vector<Edge>& room) const;
  /// What a node's splits into two leaves may miss, at most.
  [[nodiscard]] std::int64_t most_missed(std::int64_t own_budget) const {
    const std::int64_t spare = own_budget - 2 * costs.leaf;
    return spare < 0 ? -1 : spare / costs.error;
  }
  [[nodiscard]] std::int64_t leaf_cost(std::uint32_t node) const {
    return costs.of(errors[node], 1);
  }
  [[nodiscard]] std::size_t bytes() const;
  /// What leaves can say, each once, rising.
  [[nodiscard]] std::vector<std::int32_t> labels() const;
};

/// Builds the graph from the root down, level by level: so every node is met with its final budget.
/// Cost: nodes x columns^2 x words, and the search for the optimum.
/// Throws CostOverflow where the bound leaves 62 bits, MemoryLimit, or what `poll` throws.
[[nodiscard]] Graph build_graph(Rows rows, const Costs& costs, int depth, const Slack& slack,
                                Meter& meter, const Keeping& keeping = {});

/// Throws NotWritten where some edges are not written down.
void require_written(const Graph& graph);

/// A cheapest tree: at every node a leaf if that is cheapest, else the first such column.
[[nodiscard]] FlatTrees best_tree(const Graph& graph);

}  // namespace orderless::rashomon
