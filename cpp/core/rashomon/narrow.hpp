#pragma once

#include <cstdint>
#include <vector>

#include "core/rashomon/graph.hpp"

namespace orderless::rashomon {

/// What a tree must ask at one place near its root.
struct Question {
  std::vector<std::uint8_t> columns;             // one of these
  std::int32_t when_true = -1, when_false = -1;  // what comes next; -1: anything
};

/// What is asked of the paths of a tree, each by itself.
struct Narrowing {
  std::int64_t least_weight = 0;      // of the training rows of every leaf
  std::vector<Question> first;        // from the root on; empty: any
  std::vector<std::int32_t> feature;  // of each column; empty: nothing is paid for
  std::vector<std::int64_t> price;    // of each feature, paid once on a path; from 0 on
  std::int64_t most_paid = 0;         // on a path
};

/// The graph of those trees of a graph that meet all of it; optimum and bound stay. Nodes are told
/// apart also by the question that is due, what is left to pay, and which of the features below are
/// paid for already: so their number can grow by the sets of features that a path can have.
/// A node at which a question is due cannot be a leaf: as one it would cost `unreachable`.
/// Cost: nodes x columns x words for the weights; then nodes and edges of the result.
[[nodiscard]] Graph narrow(const Graph& graph, const Narrowing& narrowing, Meter& meter);

}  // namespace orderless::rashomon
