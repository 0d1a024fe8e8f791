#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/base/bits.hpp"
#include "core/bins/bins.hpp"
#include "core/rows/reach.hpp"

namespace orderless::ensembles {

/// How scores become a class: the largest, of equals the first; how many cuts the only score is
/// above; not at all.
enum class Rule { largest, cuts, number };

/// What a Sum is made of; it is copied.
struct SumParts {
  BinTree nodes;                        // all trees; a leaf's class is its place in `values`
  std::span<const std::int32_t> roots;  // of each tree
  std::span<const std::int32_t> score;  // per tree the only score that it adds to, -1: all
  std::span<const double> values;       // leaves x scores, as the library has them
  std::span<const std::int64_t> whole;  // the same in whole numbers
  std::span<const double> base;
  std::span<const std::int64_t> whole_base, slack;
  bool single = false;  // the library adds float32
  bool base_last = false;
  double divisor = 1;  // of the sums before the largest is looked for; cuts are not divided
  Rule rule = Rule::largest;
  std::span<const double> cuts;
  std::span<const std::int64_t> whole_cuts;  // rounded down
  double window = 0;  // of sums that are this close the library may make equal ones
  std::int64_t whole_window = 0;
  bool either = false;  // of two that close the later may be put first
  std::int32_t n_classes = 0;
};

/// A node over bins. A leaf has feature -1, and `cut` is its place in the values; at an unordered
/// feature `cut` is where the words of its set begin.
struct Node {
  std::int32_t feature, cut, yes, no;
};

/// Some bin of each feature; NaN, where it is a value, comes after the others.
using Cell = std::vector<std::int32_t>;

/// What an answer is about: the sum of the scores times these weights.
using Weights = std::vector<std::int64_t>;

/// Trees over bins that are added up. Immutable: asked from several threads.
class Sum {
 public:
  Sum(const SumParts& parts, std::vector<BinFeature> features);
  /// The same sum where facts hold. `facts`: trees over the same bins that say what is possible; a
  /// leaf's class is 0 where it is, 1 where it is not. No two of them ask about one feature.
  Sum(const Sum& own, const BinTree& facts, std::span<const std::int32_t> roots);

  [[nodiscard]] std::size_t n_features() const { return features_.size(); }
  [[nodiscard]] const BinFeature& feature(std::size_t f) const { return features_[f]; }
  /// The bins of a feature, and NaN where it is a value.
  [[nodiscard]] std::int32_t width(std::size_t f) const {
    return features_[f].n_bins + (has_nan(f) ? 1 : 0);
  }
  [[nodiscard]] bool has_nan(std::size_t f) const {
    return features_[f].ordered && features_[f].nan;
  }
  /// Where the bins of a feature begin among the bins of all.
  [[nodiscard]] std::size_t first_bin(std::size_t f) const { return first_bin_[f]; }
  [[nodiscard]] std::size_t n_bins() const { return first_bin_.back(); }
  [[nodiscard]] std::size_t set_words(std::size_t f) const {
    return words_for(at(features_[f].n_bins));
  }

  [[nodiscard]] std::size_t n_trees() const { return score_.size(); }
  /// The trees of facts come behind those that are added up.
  [[nodiscard]] std::size_t n_with_facts() const { return roots_.size(); }
  /// Whether this is the leaf of what facts exclude.
  [[nodiscard]] bool impossible(std::int32_t leaf) const { return leaf == impossible_; }
  /// Whether facts leave a cell.
  [[nodiscard]] bool possible(std::span<const std::int32_t> cell) const {
    for (std::size_t t = n_trees(); t < n_with_facts(); ++t) {
      if (impossible(leaf(t, cell))) return false;
    }
    return true;
  }
  [[nodiscard]] std::int32_t root(std::size_t tree) const { return roots_[tree]; }
  [[nodiscard]] const Node& node(std::int32_t i) const { return nodes_[at(i)]; }
  [[nodiscard]] bool nan_true(std::int32_t i) const { return nan_true_[at(i)] != 0; }
  /// The bins for which the condition of a node about an unordered feature holds.
  [[nodiscard]] const std::uint64_t* set(const Node& node) const { return &words_[at(node.cut)]; }
  [[nodiscard]] bool holds(std::int32_t i, const Node& node, std::int32_t bin) const {
    const auto f = at(node.feature);
    if (!features_[f].ordered) return has_bit(set(node), at(bin));
    return bin == features_[f].n_bins ? nan_true(i) : bin <= node.cut;
  }

  [[nodiscard]] std::size_t n_scores() const { return base_.size(); }
  [[nodiscard]] std::int32_t score(std::size_t tree) const { return score_[tree]; }
  [[nodiscard]] const double* values(std::int32_t leaf) const {
    return &values_[at(leaf) * n_scores()];
  }
  [[nodiscard]] const std::int64_t* whole(std::int32_t leaf) const {
    return &whole_[at(leaf) * n_scores()];
  }
  [[nodiscard]] double base(std::size_t s) const { return base_[s]; }
  [[nodiscard]] std::int64_t whole_base(std::size_t s) const { return whole_base_[s]; }
  [[nodiscard]] std::int64_t slack(std::size_t s) const { return slack_[s]; }
  [[nodiscard]] bool exact() const { return exact_; }  // no slack at all
  [[nodiscard]] bool single() const { return single_; }
  [[nodiscard]] bool base_last() const { return base_last_; }
  [[nodiscard]] double divisor() const { return divisor_; }

  [[nodiscard]] Rule rule() const { return rule_; }
  [[nodiscard]] std::span<const double> cuts() const { return cuts_; }
  [[nodiscard]] std::span<const std::int64_t> whole_cuts() const { return whole_cuts_; }
  [[nodiscard]] double window() const { return window_; }
  [[nodiscard]] std::int64_t whole_window() const { return whole_window_; }
  [[nodiscard]] bool either() const { return either_; }
  [[nodiscard]] std::int32_t n_classes() const { return n_classes_; }

  [[nodiscard]] const std::int64_t* whole_bases() const { return whole_base_.data(); }
  /// Refuses weights with which sums could pass 61 bits, so that no difference of two overflows.
  void check(const Weights& weights) const;

  /// Where a cell ends up.
  [[nodiscard]] std::int32_t leaf(std::size_t tree, std::span<const std::int32_t> cell) const {
    std::int32_t i = roots_[tree];
    while (nodes_[at(i)].feature >= 0) {
      const Node& here = nodes_[at(i)];
      i = holds(i, here, cell[at(here.feature)]) ? here.yes : here.no;
    }
    return nodes_[at(i)].cut;
  }

  /// Whether two leaves of a tree add the same, also to the library's own sum.
  [[nodiscard]] bool same(std::int32_t a, std::int32_t b) const;

 private:
  void take_nodes(const BinTree& nodes, std::size_t n_leaves);
  void check_parts(const SumParts& parts) const;
  void check_depth() const;
  void check_room() const;

  std::vector<BinFeature> features_;
  std::vector<std::size_t> first_bin_{0};
  std::vector<Node> nodes_;
  std::vector<std::uint8_t> nan_true_;
  Words words_;  // of sets
  std::vector<std::int32_t> roots_, score_;
  std::int32_t impossible_ = -1;  // its place in the values
  std::vector<double> values_;
  std::vector<std::int64_t> whole_;
  std::vector<double> base_;
  std::vector<std::int64_t> whole_base_, slack_;
  bool exact_ = true, single_, base_last_;
  double divisor_;
  Rule rule_;
  std::vector<double> cuts_;
  std::vector<std::int64_t> whole_cuts_;
  double window_;
  std::int64_t whole_window_;
  bool either_;
  std::int32_t n_classes_;
};

/// Gives a box by its number; the room may be used for it.
using BoxAt =
    std::function<std::span<const std::uint8_t>(std::size_t i, std::vector<std::uint8_t>& room)>;

/// For each of n boxes the number of the first that is equal to it.
/// Cost: each is looked at once, and once more where two are equal.
[[nodiscard]] std::vector<std::size_t> first_alike(std::size_t n, const BoxAt& box);

/// How the values of a feature fall into its bins. Ordered: bin i holds the numbers above cut i - 1
/// and at most cut i, as rows compare them. Unordered: the bin of each value.
struct RowFeature {
  std::size_t column = 0;  // among the columns of rows
  std::vector<double> cuts;
  std::vector<std::int32_t> bins;
};

/// Rows as boxes of a sum's bins. What a column says of a row is as in core/rows: a number, or a
/// range, or a value, or some values; NaN is unknown, or a value where the feature says so.
class RowBins {
 public:
  RowBins(const Sum& sum, std::vector<RowFeature> features);

  /// The bins of rows first .. first + n - 1, row by row; -1 where a feature has several.
  void cells(std::span<const rows::Column> columns, std::size_t first, std::size_t n,
             std::span<std::int32_t> out) const;
  /// The bins that a row can have: those of all features, nonzero where it can.
  void box(std::span<const rows::Column> columns, std::size_t row,
           std::span<std::uint8_t> out) const;

 private:
  void numbers(std::size_t f, const rows::Column& column, std::size_t first, std::size_t n,
               std::int32_t* out) const;
  void box_between(std::size_t f, const rows::Column& column, std::size_t row,
                   std::uint8_t* out) const;
  void box_of(std::size_t f, const rows::Column& column, std::size_t row, std::uint8_t* out) const;
  [[nodiscard]] std::int32_t bin(std::size_t f, double value) const;

  const Sum* sum_;
  std::vector<RowFeature> features_;
};

}  // namespace orderless::ensembles
