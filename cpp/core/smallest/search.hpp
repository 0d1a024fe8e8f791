#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <vector>

#include "core/base/errors.hpp"
#include "core/bins/bins.hpp"
#include "core/smallest/weights.hpp"

namespace orderless::smallest {

enum class Minimize : std::int32_t { leaves = 0, depth = 1, expected_depth = 2 };

/// Thrown by a poll function to end a search that gives what it has found so far.
struct StopSearch : std::exception {};

/// A tree, and what is proven of it.
struct SmallestTree : WrittenTree {
  std::int64_t value = 0;   // leaves, depth, or questions asked over all rows
  std::int64_t bound = 0;   // no tree for the function has less
  std::int64_t weight = 0;  // rows, or combinations of bins, for the expected depth
  bool first = false;       // whether it is the first of the smallest in the fixed order
  std::size_t n_states = 0;
};

/// The smallest tree that is the same function.
///
/// Dynamic programming over what is left of the tree in a box (Residuals), with branch and bound:
/// every state has a lower bound (cuts that matter, cells that are apart) and an upper one (what is
/// left is itself a tree), and a search under a budget raises the one or lowers the other until
/// they meet. Among the smallest trees the first is taken: at every node the first feature, then
/// the first cut or set, that leads to one; so equal functions give equal trees.
///
/// expected_depth: over `rows`, or with every combination of bins once where there are none; among
/// equals fewest leaves. With rows only questions that matter to the function where they are asked
/// are tried.
///
/// Ends at `limit` states, or when `poll` throws StopSearch, with the best tree so far; never worse
/// than the given one without the splits whose sides are the same.
/// Throws TooManyCells and TooDeep where the expected depth cannot be counted.
[[nodiscard]] SmallestTree smallest_tree(const BinTree& tree,
                                         const std::vector<BinFeature>& features, Minimize minimize,
                                         const WeightedRows* rows, std::size_t limit,
                                         const PollFunction& poll);

}  // namespace orderless::smallest
