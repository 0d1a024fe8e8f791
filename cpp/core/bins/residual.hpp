#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "core/base/bits.hpp"
#include "core/base/hash.hpp"
#include "core/bins/bins.hpp"

namespace orderless {

/// What is left of a tree inside a box: the questions that the box has not answered yet, without
/// splits of which both sides are the same tree. Equal trees have equal numbers (hash-consing), so
/// boxes on which the same is left share one number; that is exact, no hash decides.
///
/// A residual is a function on all values: no question is left beyond the ends of the box, so the
/// first and the last slice inside go on outside. Hence two boxes whose functions differ only by
/// bins that do not matter have residuals that are the same function.
class Residuals {
 public:
  using Id = std::int32_t;

  /// A question. Ordered: bins 0 .. a hold; b says where NaN goes (1 holds, 0 not, 2: NaN is not in
  /// the box); a = n_bins - 1 asks whether the value is known. Unordered: a and b are the masks of
  /// the bins in the box that hold and that do not.
  struct Question {
    std::int32_t feature = -1;
    std::int32_t a = 0;
    std::int32_t b = 0;
    bool operator==(const Question&) const = default;
  };
  /// A leaf has feature -1 and its class in `a`.
  struct Node : Question {
    Id yes = -1;
    Id no = -1;
  };
  /// What a residual shows of the box's side of one feature: NaN is in (ordered), or the mask.
  struct Live {
    std::int32_t feature;
    std::int32_t side;
    bool operator==(const Live&) const = default;
  };

  Residuals(const BinTree& tree, std::vector<BinFeature> features);

  [[nodiscard]] Id root() const { return root_; }
  [[nodiscard]] const Node& node(Id id) const { return nodes_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] bool is_leaf(Id id) const { return node(id).feature < 0; }
  [[nodiscard]] std::int64_t n_leaves(Id id) const { return leaves_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] std::int32_t depth(Id id) const { return depth_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  [[nodiscard]] const std::vector<BinFeature>& features() const { return features_; }
  [[nodiscard]] bool has(Id id, std::int32_t feature) const;

  /// What is left where the answer is yes, or no.
  [[nodiscard]] Id side(Id id, const Question& question, bool yes);
  /// What is left in one bin (NaN: bin n_bins).
  [[nodiscard]] Id slice(Id id, std::int32_t feature, std::int32_t bin);
  /// What is left of the numbers of an ordered feature, without NaN.
  [[nodiscard]] Id numbers(Id id, std::int32_t feature);

  /// Whether two residuals of one box, or slices of it, are the same function. Exact: different
  /// fingerprints are a no (they are functions of the function), equal ones are checked leaf by
  /// leaf. Cost: leaves of both; where fingerprints agree, pairs of leaves that meet.
  [[nodiscard]] bool same(Id a, Id b);
  [[nodiscard]] std::uint64_t fingerprint(Id id);

  /// The sides of the features that are still asked about, by feature.
  [[nodiscard]] std::vector<Live> live(Id id);

  /// The cuts of ordered features at which the function changes somewhere, as bits numbered from
  /// `first_cut(f)`; each is asked at least once by every tree for the function.
  [[nodiscard]] const std::uint64_t* cuts(Id id);
  [[nodiscard]] std::size_t n_cut_words() const { return n_cut_words_; }
  [[nodiscard]] std::size_t first_cut(std::size_t f) const { return first_cut_[f]; }
  [[nodiscard]] int n_cuts(Id id);

  // Masks of unordered bins.
  using Mask = Words;
  [[nodiscard]] const Mask& mask(std::int32_t id) const {
    return masks_[static_cast<std::size_t>(id)];
  }
  [[nodiscard]] std::int32_t mask_of(const Mask& mask);

 private:
  friend class ResidualBuilder;
  friend class ResidualPrint;

  struct Keep {  // part of a feature's values: bins lo .. hi and perhaps NaN; or a mask, in lo
    std::int32_t feature, lo, hi, nan;
  };
  [[nodiscard]] Id leaf(std::int32_t label);
  [[nodiscard]] Id make(Question question, Id yes, Id no);
  [[nodiscard]] Id restrict(Id id, std::int32_t keep);
  [[nodiscard]] Id restrict_own(const Node& node, std::int32_t keep);
  [[nodiscard]] std::int32_t keep_of(Keep keep);
  [[nodiscard]] bool equal(Id a, Id b);
  [[nodiscard]] std::int32_t meet(std::int32_t a, std::int32_t b);
  [[nodiscard]] bool empty(std::int32_t mask) const { return mask == 0; }
  [[nodiscard]] std::int32_t last(std::int32_t feature) const {
    return features_[static_cast<std::size_t>(feature)].n_bins - 1;
  }
  [[nodiscard]] bool ordered(std::int32_t feature) const {
    return features_[static_cast<std::size_t>(feature)].ordered;
  }

  std::vector<BinFeature> features_;
  std::vector<std::size_t> first_cut_;
  std::size_t n_feature_words_ = 0;
  std::size_t n_cut_words_ = 0;
  std::size_t n_mask_words_ = 1;
  Id root_ = 0;

  std::vector<Node> nodes_;
  std::vector<std::int64_t> leaves_;
  std::vector<std::int32_t> depth_;
  std::vector<std::uint64_t> has_;  // features asked, n_feature_words_ per node
  std::vector<std::uint64_t> cuts_;
  std::vector<std::uint8_t> cuts_known_;
  std::vector<std::uint64_t> print_;
  std::vector<std::uint8_t> print_known_;

  std::unordered_map<std::array<std::int32_t, 5>, Id, NumbersHash> by_node_;
  std::unordered_map<std::array<std::int32_t, 4>, std::int32_t, NumbersHash> by_keep_;
  std::unordered_map<std::array<std::int32_t, 2>, Id, NumbersHash> restricted_;
  std::unordered_map<std::array<std::int32_t, 2>, std::int32_t, NumbersHash> met_;
  std::vector<Keep> keeps_;
  std::vector<Mask> masks_;
  std::map<Mask, std::int32_t> by_mask_;
};

/// The questions with which a smallest tree for what is left in a box may begin, in a fixed order:
/// by feature, then by cut (where NaN is in the box: with the lower side, with the upper side, and
/// last whether the value is known) or by set.
///
/// Only cuts at which the function changes somewhere in the box are needed: let a split lie inside
/// a run of equal slices. Moving it to an end of the run leaves one side the same function as
/// before and makes the other a restriction of what it was, and a tree for a box is a tree for its
/// parts. So leaves and depth do not grow; the expected depth is linear in the share of the run
/// that goes each way if features are independent, so one of the two ends is no worse. The same
/// holds for unordered bins that the function does not tell apart.
struct Questions {
  std::vector<Residuals::Question> list;
  bool complete = true;  // false: some feature has too many sets, and only a few of them are there
};
[[nodiscard]] Questions questions(Residuals& residuals, Residuals::Id tree);

/// The unordered bins of the box, put together where the function does not tell them apart; first
/// bin first.
[[nodiscard]] std::vector<Residuals::Mask> groups_of(Residuals& residuals, Residuals::Id tree,
                                                     const Residuals::Live& live);

/// Per unordered feature the mask of the first bins of the groups that the whole function tells
/// apart.
[[nodiscard]] std::vector<std::int32_t> counted_bins(Residuals& residuals);

}  // namespace orderless
