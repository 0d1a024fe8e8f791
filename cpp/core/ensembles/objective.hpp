#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/ensembles/sum.hpp"

namespace orderless::ensembles {

/// A feature of which a box leaves more than one bin that some tree tells apart. The bins that no
/// tree tells apart are one; NaN, where it is possible, is the last.
struct LocalFeature {
  std::size_t feature = 0;
  bool ordered = true;
  bool nan = false;         // the last bin is NaN
  std::int32_t width = 0;   // bins, with NaN
  std::size_t first = 0;    // its first bin among all local bins
  std::size_t n_words = 0;  // that a set of its bins takes, where it is unordered
  [[nodiscard]] std::int32_t n_numbers() const { return width - (nan ? 1 : 0); }
};

/// As Node, over local features and bins.
struct LocalNode {
  std::int32_t feature, cut, yes, no;
  bool nan_true;
};

/// Some of the bins of a local feature. Ordered: low .. high (low > high: none), and NaN if `more`.
/// Unordered: `more` is where its words begin.
struct Side {
  std::uint16_t low, high;
  std::uint32_t more;
};

/// The trees of a sum, restricted to a box: what the box decides is gone, leaves that add the same
/// are one, and trees that are constant only count.
class Local {
 public:
  /// `allowed`: the bins of all features, nonzero where the box has them.
  Local(const Sum& sum, std::span<const std::uint8_t> allowed);

  [[nodiscard]] const Sum& sum() const { return sum_; }
  [[nodiscard]] const std::vector<LocalFeature>& features() const { return features_; }
  [[nodiscard]] std::size_t n_bins() const { return n_bins_; }
  [[nodiscard]] const std::vector<LocalNode>& nodes() const { return nodes_; }
  /// Of the trees that are not constant.
  [[nodiscard]] const std::vector<std::int32_t>& roots() const { return roots_; }
  /// The trees of facts that are not constant come last; no cell of the box is possible if one of
  /// the others is.
  [[nodiscard]] std::size_t n_facts() const { return roots_.size() - first_fact_; }
  [[nodiscard]] std::int32_t fact(std::size_t t) const { return roots_[first_fact_ + t]; }
  [[nodiscard]] bool impossible() const { return impossible_; }
  [[nodiscard]] bool possible(std::span<const std::int32_t> cell) const {
    for (std::size_t t = 0; t < n_facts(); ++t) {
      if (sum_.impossible(nodes_[at(leaf(fact(t), cell))].cut)) return false;
    }
    return !impossible_;
  }
  /// Of those that ask about a feature.
  [[nodiscard]] const std::vector<std::int32_t>& asking(std::size_t f) const { return asking_[f]; }
  /// The leaves of the trees that are.
  [[nodiscard]] const std::vector<std::int32_t>& constant() const { return constant_; }
  [[nodiscard]] const Words& words() const { return words_; }  // of sets

  [[nodiscard]] bool holds(const LocalNode& node, std::int32_t bin) const {
    const LocalFeature& own = features_[at(node.feature)];
    if (!own.ordered) return has_bit(&words_[at(node.cut)], at(bin));
    return own.nan && bin == own.width - 1 ? node.nan_true : bin <= node.cut;
  }
  /// The leaf node that a local cell comes to.
  [[nodiscard]] std::int32_t leaf(std::int32_t root, std::span<const std::int32_t> cell) const {
    std::int32_t i = root;
    while (nodes_[at(i)].feature >= 0) {
      const LocalNode& here = nodes_[at(i)];
      i = holds(here, cell[at(here.feature)]) ? here.yes : here.no;
    }
    return i;
  }
  /// The local bin of a feature that a bin of the sum is in; some other, if the box has it not.
  [[nodiscard]] std::int32_t bin_of(std::size_t f, std::int32_t bin) const;
  /// The local cell of a cell of the sum; other bins where the box has them not.
  [[nodiscard]] std::vector<std::int32_t> near(std::span<const std::int32_t> cell) const;
  /// A cell of the sum's own bins that a local cell stands for.
  [[nodiscard]] Cell cell(std::span<const std::int32_t> local) const;

  /// The local bins, nonzero where a cell has the same leaves as this one whatever its others are:
  /// a box.
  [[nodiscard]] std::vector<std::uint8_t> around(std::span<const std::int32_t> cell) const;

 private:
  friend class Restrict;

  const Sum& sum_;
  std::vector<LocalFeature> features_;
  std::size_t n_bins_ = 0;
  std::vector<std::int32_t> bin_;  // the sum's own bin by local bin
  Cell known_;                     // by feature of the sum: its first bin in the box
  std::vector<LocalNode> nodes_;
  std::vector<std::int32_t> roots_, constant_;
  std::size_t first_fact_ = 0;
  bool impossible_ = false;                        // the whole box
  std::vector<std::vector<std::int32_t>> asking_;  // by feature: roots
  std::vector<std::vector<std::int32_t>> group_;   // by unordered feature: local bin by bin, or -1
  Words words_;
};

/// What a leaf that facts exclude is worth: whatever else a cell has, it is below all that are
/// possible. `values`: what nodes of the local trees add at most, without facts.
[[nodiscard]] std::int64_t out_of_reach(const Local& local, std::span<const std::int64_t> values);

/// A local cell that is possible; without facts the middle one. Empty if there is none: no two
/// trees of facts ask about one feature, so each can be looked at by itself.
[[nodiscard]] std::vector<std::int32_t> some_possible(const Local& local);

/// What is to be large in a box: a sum of the leaves' values, and a start. What facts exclude is
/// smaller than all that is possible.
class Objective {
 public:
  /// `coarse`: in units of 2^coarse, rounded up: for weights with which sums would pass 61 bits.
  Objective(const Local& local, const Weights& weights, int coarse = 0);

  [[nodiscard]] const Local& local() const { return *local_; }
  /// The sum of the base and of the trees that are constant in the box.
  [[nodiscard]] std::int64_t constant() const { return constant_; }
  /// What a leaf of the local trees adds; of other nodes the largest below them.
  [[nodiscard]] std::int64_t value(std::int32_t node) const { return values_[at(node)]; }
  /// No completion has more: the sum of each tree's largest leaf.
  [[nodiscard]] std::int64_t bound() const { return bound_; }
  [[nodiscard]] std::int64_t at_cell(std::span<const std::int32_t> cell) const;

 private:
  void leave_out_impossible();

  const Local* local_;
  std::int64_t constant_;
  std::int64_t bound_;
  std::vector<std::int64_t> values_;
};

/// Bins of one local feature that are not wanted (nonzero); without any, all are. They are the
/// caller's, and may become more while they are used.
struct Barred {
  std::size_t feature = 0;
  std::span<const std::uint8_t> bins;
  [[nodiscard]] bool has(std::size_t f, std::size_t bin) const {
    return !bins.empty() && f == feature && bins[bin] != 0;
  }
};

/// Climbs from a cell: sets one feature after the other to its best bin, given the others, until
/// none is better. Gives what the cell has in the end; stops as soon as that is `enough`. A cell
/// that has no barred bin gets none. Cost: for each step the trees that ask about the feature.
std::int64_t climb(const Objective& objective, std::vector<std::int32_t>& cell, std::int64_t enough,
                   const Barred& barred = {});

/// What a cell would have with each bin of a feature.
[[nodiscard]] std::vector<std::int64_t> by_bin(const Objective& objective,
                                               std::span<const std::int32_t> cell, std::size_t f);

}  // namespace orderless::ensembles
