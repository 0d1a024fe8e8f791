#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/rashomon/measure.hpp"

namespace orderless::rashomon {

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

}  // namespace orderless::rashomon
