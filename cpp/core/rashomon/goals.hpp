#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/rashomon/measured.hpp"

namespace orderless::rashomon {

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

}  // namespace orderless::rashomon
