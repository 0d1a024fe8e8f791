#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/rashomon/meter.hpp"
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

/// The columns about one feature, each question once: equal and opposite columns are one.
struct FeatureQuestions {
  std::size_t feature = 0;  // its first bin
  std::vector<std::size_t> columns;
  bool nested = false;  // as cuts of a number are: of two, one holds wherever the other does
};

/// Of all features, by first bin. Cost: columns^2 of a feature x words.
[[nodiscard]] std::vector<FeatureQuestions> questions(const SpaceMeasure& measure);

/// Two bins of a feature that only one question, under one or several names, tells apart.
struct Neighbours {
  std::size_t feature = 0;  // its first bin
  std::size_t cut = 0;      // the first column that is the question
  std::size_t one = 0, other = 0;
};

/// All of them, by feature and cut. Cost: bins x columns of a feature.
[[nodiscard]] std::vector<Neighbours> neighbours(const SpaceMeasure& measure);

/// Where a function changes: pairs of leaves of one of its trees that say different things and
/// differ in the bins of one feature alone. A box is constant iff it cuts none of them. Each is a
/// bit of `alive`.
class Faces {
 public:
  Faces() = default;
  /// Nodes in preorder, the true branch first.
  Faces(const SpaceMeasure& measure, std::span<const Neighbours> neighbours,
        std::span<const std::int32_t> column, std::span<const std::int32_t> label);

  [[nodiscard]] Words all() const;
  /// Whether the tree asks about the feature of a column.
  [[nodiscard]] bool uses(std::size_t column) const;
  /// The bins of all features that the tree asks about.
  [[nodiscard]] const Words& bins() const { return used_; }
  /// Of `alive`, what is left in a box that is smaller in one feature: that of `column`.
  void narrow(Words& alive, const Words& box, std::size_t column) const;
  /// How many splits a tree needs at least to tell apart what is alive: every place where one
  /// question alone changes the answer takes a split of its own.
  [[nodiscard]] std::int64_t least_splits(const Words& alive) const;
  /// What the tree says at some point of a box.
  [[nodiscard]] std::int32_t label_in(const Words& box) const;

 private:
  struct Leaf {
    Words box;
    std::int32_t label;
  };
  struct Face {
    std::size_t feature = 0, cut = 0;  // first bin; the column that parts it, or `any_cut`
    Words from, to;                    // the bins on either side; elsewhere what both leaves share
  };
  static constexpr std::size_t any_cut = ~std::size_t{0};

  std::size_t read(std::size_t node, const Words& box);
  void add_faces(const Leaf& a, const Leaf& b, std::span<const Neighbours> neighbours,
                 std::vector<Face>& out) const;
  void index(const std::vector<Face>& faces);

  const SpaceMeasure* measure_ = nullptr;
  std::vector<std::int32_t> column_, label_;
  std::vector<std::size_t> false_child_;
  std::vector<Leaf> leaves_;
  struct Asked {
    std::size_t feature;  // its first bin
    const std::uint64_t* bins;
  };
  std::vector<Asked> features_;  // that are asked about
  Words used_;
  std::size_t n_faces_ = 0, n_words_ = 0;
  Words from_, to_;                // per bin: the faces that have it on one side, on the other
  Words groups_;                   // masks of the faces of one cut
  std::vector<std::uint8_t> any_;  // per group: faces of any cut, the last group of its feature
};

/// A feature along which labels must not fall, or must not rise.
struct Direction {
  std::size_t column = 0;  // some column about the feature, whose values have an order
  bool rises = true;
  bool has_nan = false;  // the feature's last bin is NaN, which is not more or less than any value
};

/// Whether trees are monotone as functions of the features: of any two points of the space that
/// differ in one such feature alone, the one with more of it gets no smaller label (no larger one).
/// Per tree: pairs of leaves x features that it asks.
[[nodiscard]] std::vector<std::uint8_t> monotone(const FlatTreesView& trees,
                                                 const SpaceMeasure& measure,
                                                 std::span<const Direction> directions,
                                                 Meter& meter);

}  // namespace orderless::rashomon
