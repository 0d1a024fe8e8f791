#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/rashomon/counts.hpp"
#include "core/rashomon/measure.hpp"

namespace orderless::rashomon {

/// Only the functions whose first field element is `value` modulo 2^bits; 0 bits: all of them.
struct Residue {
  std::uint64_t value = 0;
  int bits = 0;
  /// The bits that are looked at.
  [[nodiscard]] std::uint64_t low() const { return (std::uint64_t{1} << bits) - 1; }
};

/// What leaves weigh in a function's value, by what they say.
struct LabelValues {
  std::vector<std::int32_t> labels;  // rising; empty: 0, 1, 2, ...
  std::vector<Point> values;

  [[nodiscard]] const Point& of(std::int32_t label) const {
    if (labels.empty()) return values[static_cast<std::size_t>(label)];
    const auto found = std::lower_bound(labels.begin(), labels.end(), label);
    return values[static_cast<std::size_t>(found - labels.begin())];
  }
};

/// A function that some subtree is: its value under the measure, and a smallest tree.
struct Function {
  Point value{};
  std::int64_t errors = 0;
  std::uint32_t edge = 0;                   // of the graph's node; none for a leaf
  std::uint32_t on_true = 0, on_false = 0;  // functions of the sides
  std::uint16_t leaves = 0;                 // fewest
  std::uint16_t groups = 0;                 // what its trees ask, as AskedSets number it
};

/// Numbers for what trees ask (View::masks): the groups themselves, or, where features count,
/// numbers in the order in which sets are met. Throws TooManySets beyond 16 bits.
class AskedSets {
 public:
  AskedSets() = default;
  explicit AskedSets(const View& view) : numbered_(view.limits_features()) {}

  [[nodiscard]] std::uint16_t add(std::uint64_t asked) {
    if (!numbered_) return static_cast<std::uint16_t>(asked);
    const auto [found, is_new] = numbers_.try_emplace(asked, static_cast<std::uint16_t>(n()));
    if (is_new) {
      if (n() > 0xffffU) throw TooManySets();
      sets_.push_back(asked);
    }
    return found->second;
  }
  [[nodiscard]] std::uint64_t of(std::uint16_t number) const {
    return numbered_ ? sets_[number] : number;
  }

 private:
  [[nodiscard]] std::size_t n() const { return sets_.size(); }

  bool numbered_ = false;
  std::vector<std::uint64_t> sets_{0};  // number 0: nothing
  std::unordered_map<std::uint64_t, std::uint16_t> numbers_{{0, 0}};
};

/// Where functions are multiplied: a node of the graph, and what the measure sees of the way there.
/// Boxes that differ only in features that are not asked below share a place.
struct Places {
  std::vector<std::uint32_t> node;
  std::vector<std::int64_t> budget;
  std::vector<Point> mass;              // training rows: the measure of the rows there; else empty
  std::vector<std::size_t> edge_start;  // edges parallel to the node's
  std::vector<std::uint32_t> when_true, when_false;  // `absent` where the view has no such edge
  std::vector<Point> share;                          // of the true side; empty for training rows
  static constexpr std::uint32_t absent = 0xffffffffU;

  [[nodiscard]] std::size_t size() const { return node.size(); }
  [[nodiscard]] std::size_t bytes() const;
};

/// The distinct functions of the trees of a view. "Distinct" by a random measure: on the space of
/// the features, or on the training rows. Only distinct functions of the sides are multiplied.
class Functions {
 public:
  struct Options {
    bool listed = false;  // else they are only counted
    std::size_t limit = 0;
    Residue residue;
  };

  /// On the training rows if `measure` is null.
  Functions(std::shared_ptr<const Graph> graph, View view, SpaceMeasure* measure,
            LabelValues label_values, const Options& options, Meter& meter);

  [[nodiscard]] std::size_t n() const { return n_; }
  /// Whether there is more than their number: all below needs that.
  [[nodiscard]] bool listed() const { return listed_; }
  /// Sorted by (cost of the cheapest tree, leaves, value).
  [[nodiscard]] std::span<const Function> all() const { return lists_[0]; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  /// How many trees of the view are this function, and how many without trivial splits.
  [[nodiscard]] std::uint64_t n_trees(std::size_t position) const;
  [[nodiscard]] std::uint64_t n_nontrivial(std::size_t position) const;

  /// Trees of each function by leaves, from its fewest on; likewise those without trivial splits.
  struct Sizes {
    std::span<const std::size_t> start;
    std::span<const std::uint64_t> trees, nontrivial;
  };
  [[nodiscard]] Sizes sizes() const {
    return {tallies_[0].start, tallies_[0].trees, tallies_[0].nontrivial};
  }

  /// A smallest tree of each function.
  [[nodiscard]] FlatTrees trees(std::span<const std::int64_t> positions, Meter& meter) const;
  /// Trees `start` .. `start + count` of one function, by leaves.
  [[nodiscard]] FlatTrees trees_of(std::size_t position, std::uint64_t start, std::uint64_t count,
                                   Meter& meter) const;

  /// Per row (0/1 columns) and class, how many functions say it.
  [[nodiscard]] std::vector<std::int64_t> votes(std::span<const std::uint8_t> table,
                                                std::size_t n_rows, Meter& meter) const;

  [[nodiscard]] const Graph& graph() const { return *graph_; }
  [[nodiscard]] std::int64_t cost(const Function& f) const {
    return graph_->costs.of(f.errors, f.leaves);
  }

 private:
  friend class FunctionTrees;
  template <class Use>
  friend class FunctionProducts;
  friend class Evaluator;

  /// Trees by number of leaves, from the fewest on: counts_[start .. end).
  struct Tally {
    std::vector<std::size_t> start;
    std::vector<std::uint64_t> trees, nontrivial;
  };

  void place_all(SpaceMeasure* measure, Meter& meter);
  void place_on_rows(Meter& meter);
  /// The number of what the trees of a split ask, at the root whatever they ask; none if they may
  /// not.
  [[nodiscard]] std::optional<std::uint16_t> number_of(std::uint32_t place, std::uint64_t asked) {
    if (place != 0) return view_.may(asked) ? std::optional(asked_.add(asked)) : std::nullopt;
    return view_.fits(asked) ? std::optional<std::uint16_t>(0) : std::nullopt;
  }
  /// Whether a function is one of trees that ask all this.
  [[nodiscard]] bool asks(std::uint32_t place, const Function& f, std::uint64_t asked) const {
    return place == 0 ? view_.fits(asked) : asked_.of(f.groups) == asked;
  }
  /// The place as a leaf, where the view has that.
  [[nodiscard]] std::optional<Function> leaf_at(std::uint32_t place, const Options& options) const;
  void fill(std::uint32_t place, const Options& options, Meter& meter);
  void count_root(const Options& options, Meter& meter);
  void tally(std::uint32_t place, const Residue& residue, Meter& meter);
  /// Adds the trees of a split, whose sides are functions, to the function that it is.
  void tally(std::uint32_t place, const Function& split, std::size_t position);
  [[nodiscard]] std::uint64_t sum(const std::vector<std::uint64_t>& counts,
                                  std::size_t position) const;
  [[nodiscard]] std::int64_t most_leaves(std::uint32_t place) const;
  /// Most leaves that a tree with these errors can have there.
  [[nodiscard]] std::int64_t most_leaves(std::uint32_t place, std::int64_t errors) const;

  std::shared_ptr<const Graph> graph_;
  View view_;
  std::vector<std::uint64_t> masks_;
  AskedSets asked_;
  Reachable reachable_;
  LabelValues label_values_;
  Places places_;
  std::vector<std::vector<Function>> lists_;  // per place, sorted by cost
  std::vector<Tally> tallies_;
  bool listed_ = false;
  std::size_t n_ = 0;
  std::size_t bytes_ = 0;
};

/// A function's place in the order: the first element of its value, and where it stands.
struct Standing {
  std::uint64_t value = 0;
  std::uint32_t number = 0;
};

/// Functions by (cost, leaves, value, groups). They are counted into cells of equal errors and
/// leaves, whose order is that of their cost; the values of a cell are random, so by their first
/// bits each is nearly where it belongs. Cost: linear.
[[nodiscard]] std::vector<Standing> in_order(const std::vector<Function>& functions,
                                             const Costs& costs);

/// Bytes that `in_order` holds per function.
inline constexpr std::size_t order_bytes = 2 * sizeof(Standing) + 8;

}  // namespace orderless::rashomon
