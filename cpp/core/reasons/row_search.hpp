#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/base/bits.hpp"
#include "core/base/errors.hpp"
#include "core/base/wide.hpp"
#include "core/bins/bins.hpp"

namespace orderless::reasons {

/// A tree over bins with the boxes of its leaves, kept for many rows. It owns no nodes.
class RowTree {
 public:
  RowTree(const BinTree& tree, std::vector<BinFeature> features);

  [[nodiscard]] const BoxLayout& layout() const { return layout_; }
  [[nodiscard]] std::size_t n_leaves() const { return leaves_.size(); }
  [[nodiscard]] std::int32_t label(std::size_t leaf) const {
    return tree_.leaf_class[leaves_[leaf]];
  }
  [[nodiscard]] const std::uint16_t* box(std::size_t leaf) const { return boxes_[leaf]; }
  [[nodiscard]] const BoxList& boxes() const { return boxes_; }

  /// Visits the leaves that a box meets, until `on_leaf(leaf)` returns false.
  template <class OnLeaf>
  void walk(const std::uint16_t* box, OnLeaf&& on_leaf) const {
    std::vector<std::int32_t> todo{0};
    while (!todo.empty()) {
      const std::size_t node = at(todo.back());
      todo.pop_back();
      if (tree_.feature[node] < 0) {
        const std::size_t leaf = leaf_of_[node];
        if (meets(leaf, box) && !on_leaf(leaf)) return;
        continue;
      }
      const auto [yes, no] = ways(node, box);
      if (no) todo.push_back(tree_.when_false[node]);
      if (yes) todo.push_back(tree_.when_true[node]);
    }
  }

 private:
  struct Ways {
    bool yes, no;
  };
  [[nodiscard]] Ways ways(std::size_t node, const std::uint16_t* box) const;

  /// Whether a leaf that every node of its path lets through is met: an interval is, a set need
  /// not be.
  [[nodiscard]] bool meets(std::size_t leaf, const std::uint16_t* box) const {
    for (const std::size_t f : sets_) {
      if (!layout_.sides_meet(f, boxes_[leaf], box)) return false;
    }
    return true;
  }

  BinTree tree_;
  BoxLayout layout_;
  BoxList boxes_;
  std::vector<std::size_t> leaves_;   // their nodes
  std::vector<std::size_t> leaf_of_;  // by node
  std::vector<std::size_t> sets_;     // features whose sides need not be intervals
};

/// Some bins of one feature. Ordered: an interval, empty as (n_bins, -1), and NaN.
struct Part {
  std::int32_t first = 0, last = -1;
  bool nan = false;
  Words bits;  // unordered
  bool operator==(const Part&) const = default;
};

/// One row, a box, among the leaves of a tree. Where it has one class, the leaves of all others
/// that are missed alike are one; those that fewer features miss come first.
class RowLeaves {
 public:
  RowLeaves(const RowTree& tree, std::vector<std::uint16_t> row);

  /// The classes it can get, sorted.
  [[nodiscard]] const std::vector<std::int32_t>& possible() const { return possible_; }
  [[nodiscard]] const std::vector<std::uint16_t>& row() const { return row_; }
  [[nodiscard]] const RowTree& tree() const { return tree_; }

  /// Features whose unknown values decide: two leaves of different classes that the row reaches
  /// differ on it alone. Cost: per feature that is not known, leaves x what one leaf meets.
  [[nodiscard]] std::vector<std::int32_t> unsettled(const PollFunction& poll) const;

  /// Leaves x features: 1 where the row misses a leaf.
  [[nodiscard]] std::vector<std::uint8_t> missed() const;

  /// Looks at the leaves of other classes; before anything below.
  void prepare();

  [[nodiscard]] std::size_t n_features() const { return full_.size(); }
  [[nodiscard]] std::size_t n_others() const { return n_others_; }
  [[nodiscard]] std::size_t n_words() const { return n_words_; }
  [[nodiscard]] bool ordered(std::size_t k) const { return tree_.layout().feature(k).ordered; }
  [[nodiscard]] bool nan(std::size_t k) const {
    return ordered(k) && tree_.layout().feature(k).nan;
  }
  [[nodiscard]] std::int32_t n_bins(std::size_t k) const {
    return tree_.layout().feature(k).n_bins;
  }
  /// Whether the row may be a number; where it is NaN alone, a box's numbers need not touch it.
  [[nodiscard]] bool some(std::size_t k) const { return some_[k]; }
  [[nodiscard]] const Part& full(std::size_t k) const { return full_[k]; }
  [[nodiscard]] const Part& own(std::size_t k) const { return own_[k]; }
  /// The part of a leaf of another class on a feature that misses it; of numbers, up to the far
  /// end.
  [[nodiscard]] Part side_of(std::size_t leaf, std::size_t k) const;
  [[nodiscard]] bool misses_leaf(std::size_t leaf, std::size_t k) const {
    return has_bit(missed_by(k), leaf);
  }
  /// The leaves of others that the row misses on a feature.
  [[nodiscard]] const std::uint64_t* missed_by(std::size_t k) const {
    return missed_.data() + k * n_words_;
  }

  /// Of those, the ones that a part misses too.
  void misses(std::size_t k, const Part& part, std::uint64_t* out);
  /// Frees what can be made again, where it is much; no pointer into it is kept.
  void forget();

  [[nodiscard]] bool meet(std::size_t k, const Part& a, const Part& b) const;
  [[nodiscard]] Part both(std::size_t k, const Part& a, const Part& b) const;
  [[nodiscard]] Part interval(std::size_t k, std::int32_t first, std::int32_t last, bool nan) const;
  [[nodiscard]] Part part_of(std::size_t k, const std::uint16_t* box) const;
  void write(std::size_t k, const Part& part, std::uint16_t* box) const;

 private:
  struct Key {
    std::int32_t lo, hi;
    bool nan;
  };
  [[nodiscard]] std::optional<Key> key(std::size_t leaf, std::size_t k) const;
  struct Codes {
    std::vector<std::uint64_t> flat;  // by other
    std::vector<std::size_t> start;   // by feature, and the end
  };
  std::uint32_t write_codes(std::size_t leaf, const Codes& codes, std::uint64_t* out) const;
  void find_others(Codes& codes);
  void find_missed(std::size_t k, const Codes& codes);
  const Words& table(std::vector<Words>& rows, std::size_t k, std::int32_t end, bool below);

  const RowTree& tree_;
  std::vector<std::uint16_t> row_;
  std::vector<std::int32_t> possible_;
  std::vector<Part> full_, own_;
  std::vector<bool> some_;
  bool prepared_ = false;
  std::size_t n_others_ = 0, n_words_ = 0, kept_ = 0;
  std::vector<std::size_t> source_;                 // a leaf of the tree, by other
  std::vector<std::vector<std::int32_t>> lo_, hi_;  // ordered: by feature, by other
  Words missed_, with_nan_;                         // by feature
  std::vector<std::vector<Words>> above_, below_;   // ordered: by feature and end; made when asked
  std::vector<Words> has_;                          // unordered: by feature, then bin
};

/// The reasons of one row: all maximal boxes around it on which its class is certain.
///
/// Each leaf of another class must be missed on some feature, and no wider box may do. These are
/// minimal hitting sets, and the search is that of Murakami and Uno ("Efficient algorithms for
/// dualizing large-scale hypergraphs", 2014), with sides of boxes in place of elements: every cut
/// that a box has made must be the only one that misses some leaf, and a branch ends as soon as one
/// is not.
class RowSearch {
 public:
  using Sides = std::vector<Part>;
  using Must = std::vector<std::pair<std::size_t, Part>>;  // parts that a side must have some of
  using Value = std::pair<Wide, std::int32_t>;             // costs of the features, conditions

  /// What is sought: a reason that is worth less than `below`.
  struct Goal {
    std::vector<Wide> costs;
    bool free = true;  // whether all costs are 0
    std::optional<Value> below = {};
  };

  /// Where a search has come to: go on with `next`.
  struct Place {
    struct State {
      std::vector<std::size_t> cut;  // the features that are not whole, and what is left of them
      Sides side;
      Must must;
    };
    std::vector<State> todo;
  };

  explicit RowSearch(RowLeaves& leaves) : leaves_(leaves) { leaves_.prepare(); }

  /// Where all reasons can be found from, each once; none if several classes are possible.
  [[nodiscard]] Place begin(Must must = {}) const;
  /// The next reason, and with a goal the next that is worth less; none when there are no more.
  [[nodiscard]] std::optional<Sides> next(Place& place, const Goal* goal, const PollFunction& poll);
  /// One reason, without search: the row is widened feature by feature, each as far as it goes.
  [[nodiscard]] Sides any();
  /// The reason that costs least, then has fewest conditions, then is first.
  [[nodiscard]] Sides best(std::vector<Wide> costs, const PollFunction& poll);

  /// How reasons are ordered: fewest conditions, then widest on the first feature, the second, ...
  [[nodiscard]] std::vector<std::int32_t> rank(const Sides& sides) const;
  [[nodiscard]] std::vector<std::uint16_t> write(const Sides& sides) const;

  /// Features that alone keep some leaf of another class away: they are in all reasons.
  [[nodiscard]] std::vector<std::int32_t> necessary() const;
  /// Features that are in some reason. A feature is, if and only if for some leaf the row, widened
  /// just so far that it meets the leaf on every other feature, is still certain: any reason around
  /// that box must then miss the leaf on this feature.
  [[nodiscard]] std::vector<std::int32_t> relevant(const PollFunction& poll);

  /// How many boxes were looked at.
  [[nodiscard]] std::size_t n_looks() const { return n_looks_; }

 private:
  struct Way {
    std::size_t k;
    Part keep;
  };

  [[nodiscard]] Part widest(std::size_t k, const Words& need) const;
  [[nodiscard]] bool met(const Place::State& state);
  [[nodiscard]] bool touched(std::size_t k, const Part& zone, const std::uint64_t* only);
  [[nodiscard]] bool zones_touched(std::size_t k, const Part& side, const std::uint64_t* only);
  [[nodiscard]] std::vector<Way> ways(std::size_t leaf) const;
  [[nodiscard]] std::vector<Way> fewest_ways(const Place::State& state) const;
  void sort_ways(const Place::State& state, const Goal* goal, std::vector<Way>& ways);
  void push(Place& place, const Place::State& state, const std::vector<Way>& ways) const;
  [[nodiscard]] const Part& side(const Place::State& state, std::size_t k) const;

  [[nodiscard]] Value value(const Sides& sides, const std::vector<Wide>& costs) const;
  [[nodiscard]] std::int32_t conditions(std::size_t k, const Part& side) const;
  [[nodiscard]] std::int32_t least(std::size_t k, const Part& side) const;
  [[nodiscard]] bool hopeless(const Place::State& state, const Goal& goal);
  template <class Use>
  void apart(const Place::State& state, bool whole, Use&& use);
  void rivals(std::size_t leaf, bool whole, std::uint64_t* out);
  [[nodiscard]] bool one_end(std::size_t k) const;
  [[nodiscard]] std::vector<std::vector<Part>> directions(std::size_t k) const;
  [[nodiscard]] std::vector<Part> towards(std::size_t k, std::size_t leaf) const;
  [[nodiscard]] bool alone(std::size_t k, std::size_t leaf, const PollFunction& poll);
  [[nodiscard]] Part bin(std::size_t k, std::int32_t b, bool nan = false) const;

  RowLeaves& leaves_;
  std::size_t n_looks_ = 0;
  Words met_;                         // of the last look
  Words once_, twice_, only_, some_;  // scratch
  Words missed_;
};

}  // namespace orderless::reasons
