#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
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

/// What leaves measure: at a leaf that says `label`, the sum over parts of weight x factor.
struct Factors {
  std::vector<std::int64_t> table;   // part after part, by place of the label
  std::vector<std::int32_t> labels;  // rising; empty: labels are places
  std::size_t n_labels = 0;

  [[nodiscard]] std::size_t place(std::int32_t label) const;
  [[nodiscard]] std::int64_t of(std::span<const std::int64_t> weights, std::int32_t label) const;
};

/// A subtree: what it costs and measures, and what a view looks at.
struct Step {
  std::int64_t cost = 0;
  std::int64_t measure = 0;
  std::int32_t leaves = 0;
  std::uint64_t groups = 0;  // what it asks, see View::masks
};

/// The smallest measure for every cost: at each place the steps of which no other is as cheap and
/// measures as little. A step's tree is found again from the steps below, so none is stored.
/// Invariant: no sum of measures leaves 62 bits; the caller sees to that.
class Goal {
 public:
  /// Cost: edges x the products of their sides' steps within the budget.
  Goal(std::shared_ptr<const Measured> measured, Factors factors, Meter& meter);

  /// The view's own: rising in cost, falling in measure. Empty where it has no trees.
  [[nodiscard]] const std::vector<Step>& front() const { return front_; }
  /// A tree for each of some steps of the front.
  [[nodiscard]] FlatTrees trees(std::span<const std::int64_t> positions, Meter& meter) const;
  [[nodiscard]] std::size_t bytes() const {
    return steps_.capacity() * sizeof(Step) + start_.capacity() * 8;
  }

 private:
  [[nodiscard]] std::span<const Step> steps(std::size_t place) const {
    const std::size_t at = measured_->n_places() - 1 - place;
    return {steps_.data() + start_[at], start_[at + 1] - start_[at]};
  }
  [[nodiscard]] Step leaf(std::size_t place) const;
  void fill(std::size_t place, std::vector<Step>& out, Meter& meter) const;
  /// Adds the products of an edge's sides; the first `n_thin` steps are thin already.
  void pair(const MeasuredEdge& edge, std::uint32_t node, std::size_t n_thin,
            std::vector<Step>& out, Meter& meter) const;
  /// Leaves the steps of which no other is as good in all that counts, by rising cost.
  void thin(std::vector<Step>& steps) const;

  std::shared_ptr<const Measured> measured_;
  Factors factors_;
  std::vector<std::uint64_t> masks_;
  bool plain_;                      // the view looks neither at leaves nor at what is asked
  std::vector<Step> steps_;         // from the last place to the first
  std::vector<std::size_t> start_;  // of the steps of each place, in this order
  std::vector<Step> front_;
};

/// Subtrees whose measures lie between `low` and `high`: the cheapest of them, and what it
/// measures.
struct Spread {
  std::int64_t cost = 0;
  std::int64_t measure = 0;
  std::int64_t low = 0, high = 0;
  std::int32_t leaves = 0;
  std::uint64_t groups = 0;  // what it asks, see View::masks
};

/// The tree whose measure is nearest to a number: no sum over leaves, so every place has a list of
/// the measures that there are, each with its cheapest subtree. Where these are more than `most`,
/// neighbours become one, which keeps their ends: then the nearest is known to lie between what the
/// ends allow and what a tree has.
class Nearest {
 public:
  Nearest(std::shared_ptr<const Measured> measured, Factors factors, std::int64_t wanted,
          std::size_t most, Meter& meter);

  /// Whether the view has a tree.
  [[nodiscard]] bool found() const { return distance_ >= 0; }
  /// How far the tree's measure is from the number; no tree is nearer than `at_least`.
  [[nodiscard]] std::int64_t distance() const { return distance_; }
  [[nodiscard]] std::int64_t at_least() const { return at_least_; }
  [[nodiscard]] std::int64_t measure() const { return best_.measure; }
  [[nodiscard]] std::int64_t cost() const { return best_.cost; }
  [[nodiscard]] FlatTrees tree(Meter& meter) const;

 private:
  using List = std::vector<Spread>;

  [[nodiscard]] Spread leaf(std::size_t place) const;
  template <class Take>
  void pairs(std::size_t place, const Take& take, Meter& meter) const;
  [[nodiscard]] std::pair<std::uint64_t, std::int32_t> kind(const Spread& tree) const;
  /// Makes one of those that are equal in all but cost, the cheapest; sorts by kind and measure.
  void join_equal(List& list) const;
  /// Makes one of neighbours, until there are few.
  void join_near(List& list, std::size_t most) const;
  [[nodiscard]] std::size_t most(std::size_t place) const;
  void fill(std::size_t place, List& out, Meter& meter) const;
  void look(const Spread& tree);
  void aim(Meter& meter);
  void aim_at(const MeasuredEdge& edge, bool yes, Meter& meter);
  [[nodiscard]] Spread together(const Edge& asked, const Spread& a, const Spread& b) const;
  [[nodiscard]] bool fits(const Spread& tree) const;

  std::shared_ptr<const Measured> measured_;
  Factors factors_;
  std::int64_t wanted_;
  std::size_t most_;
  std::vector<std::uint64_t> masks_;
  std::vector<List> lists_;  // by rising cost
  Spread best_;
  std::int64_t distance_ = -1, at_least_ = -1;
};

}  // namespace orderless::rashomon
