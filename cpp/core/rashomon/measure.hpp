#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/rashomon/rows.hpp"
#include "core/same/fingerprint.hpp"
#include "core/tree/tree.hpp"

namespace orderless::rashomon {

using same::FeatureWeights;

/// 1 / a; of 0 it is 0.
[[nodiscard]] Point inverse(const Point& a);

/// What the columns mean: column j is 1 where the condition of node j of `conditions` holds
/// (one_is_true) or where it does not. Only feature, threshold, nan_true and sets are read. A
/// feature of -1: the column is constant.
struct Meaning {
  TreeView conditions;
  std::span<const std::uint8_t> one_is_true;
};

/// A random measure over the space of the features: every feature is cut into bins by all its
/// conditions, and each bin has a weight; so weights and class values are those of `fingerprints`,
/// and a function's value here is its fingerprint. A box is a bit set over the bins of all
/// features.
class SpaceMeasure {
 public:
  SpaceMeasure(const Meaning& meaning, std::span<const Domain> domains,
               std::span<const FeatureWeights> weights);

  [[nodiscard]] std::size_t n_words() const { return n_words_; }
  /// Whether no two columns are about one feature: then a box says nothing that matters.
  [[nodiscard]] bool independent() const { return independent_; }
  /// The bins of the feature that a column is about.
  [[nodiscard]] const std::uint64_t* feature_bins(std::size_t column) const {
    return feature_bins_.data() + column * n_words_;
  }
  /// The bins of that feature where the column is 1.
  [[nodiscard]] const std::uint64_t* one_bins(std::size_t column) const {
    return one_.data() + column * n_words_;
  }
  [[nodiscard]] std::size_t n_columns() const { return alone_.size(); }
  [[nodiscard]] std::size_t n_bins() const { return n_bins_; }
  /// The part of a box where a column is 1, or 0.
  void cut(const std::uint64_t* box, std::size_t column, bool is_one, std::uint64_t* out) const;
  [[nodiscard]] Words whole() const;
  /// Which share of a box's weight has the column at 1.
  [[nodiscard]] Point share(const std::uint64_t* box, std::size_t column);

 private:
  std::size_t n_words_ = 0;
  bool independent_ = true;
  std::vector<Point> weight_;  // per bin
  Words one_;                  // per column: bins where it is 1
  Words feature_bins_;         // per column
  std::vector<Point> alone_;   // per column: its share of the whole
  std::size_t n_bins_ = 0;
  Numbers sides_;  // sides whose inverse weight is known
  std::vector<Point> inverses_;
};

}  // namespace orderless::rashomon
