#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/rashomon/counts.hpp"

namespace orderless::rashomon {

/// Ask what an edge of the graph asks; go on to these places.
struct MeasuredEdge {
  std::uint32_t edge = 0;  // among all edges of the graph
  std::uint32_t when_true = 0, when_false = 0;
};

/// Rows on which trees are measured, and, where leaves are measured by the shares of their training
/// rows, how fine: in 2^-bits-ths.
struct MeasuredRows {
  Rows rows;  // its classes: parts, whose weights add up to what is measured
  int share_bits = -1;
};

/// The trees of a view, with the weight of measured rows that comes to every leaf.
///
/// A node of the graph is a set of *training* rows: two ways that lead there can part other rows
/// differently. So a place here is a node together with the measured rows that come there, level
/// after level from the root, which is place 0. Leaves come last: they are shared where they are
/// one node and weigh the same. Where the measured rows are training rows, places are nodes.
/// Invariant: every edge leads to later places.
class Measured {
 public:
  /// Cost: edges x words of the measured rows, for every set of these that comes to a node.
  Measured(std::shared_ptr<const Graph> graph, View view, const MeasuredRows& rows, Meter& meter);

  [[nodiscard]] const Graph& graph() const { return *graph_; }
  [[nodiscard]] const View& view() const { return view_; }
  [[nodiscard]] const Reachable& reachable() const { return reachable_; }
  /// Whether the view has trees at all, before groups and leaves are looked at.
  [[nodiscard]] bool empty() const { return node_.empty(); }
  [[nodiscard]] std::size_t n_places() const { return node_.size(); }
  /// The first leaf.
  [[nodiscard]] std::size_t n_splits() const { return edge_start_.size() - 1; }
  [[nodiscard]] std::uint32_t node(std::size_t place) const { return node_[place]; }
  [[nodiscard]] std::span<const MeasuredEdge> of(std::size_t place) const {
    return {edges_.data() + edge_start_[place], edge_start_[place + 1] - edge_start_[place]};
  }
  [[nodiscard]] std::size_t n_parts() const { return n_parts_; }
  /// By part the weight that comes to a place, and in the end, with shares, the squared error of a
  /// leaf there.
  [[nodiscard]] std::span<const std::int64_t> weights(std::size_t place) const {
    return {weights_.data() + place * n_parts_, n_parts_};
  }
  [[nodiscard]] std::size_t bytes() const;

 private:
  friend class MeasuredBuilder;

  std::shared_ptr<const Graph> graph_;
  View view_;
  Reachable reachable_;
  std::size_t n_parts_;
  std::vector<std::uint32_t> node_;
  std::vector<std::int64_t> weights_;
  std::vector<std::size_t> edge_start_;
  std::vector<MeasuredEdge> edges_;
};

}  // namespace orderless::rashomon
