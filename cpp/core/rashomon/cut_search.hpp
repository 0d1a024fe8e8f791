#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <span>
#include <vector>

#include "core/rashomon/best.hpp"
#include "core/rashomon/rows.hpp"

namespace orderless::rashomon {

// The inner loops over columns in chains, for the widest registers that the machine has.

/// Columns of a chain are rounded up to so many.
inline constexpr std::size_t lanes_at_once = 32;

/// Items that are added to the columns of one chain: each to those from its bin on.
template <class T>
struct Added {
  const std::uint32_t* items;
  std::size_t n_items;
  const std::uint16_t* bins;
  const T* amounts;  // of each item
  const T* steps;    // n zeros, and then n + 32 numbers of which all bits are 1
  T* to;
  std::size_t n;  // columns, whole lanes
  T* room;        // n + 1
};
void add_items(const Added<std::int16_t>& added);
void add_items(const Added<std::int32_t>& added);

/// The smallest and the largest number of some columns, and of what is left of all.
template <class T>
struct Extremes {
  const T* sign;
  const T* all;
  std::size_t n;
  T low, high, low_rest, high_rest;
};
void find_extremes(Extremes<std::int16_t>& extremes);
void find_extremes(Extremes<std::int32_t>& extremes);

// Two classes, columns in chains. With s the weight of class 1 less that of class 0, a split misses
// least where |s| + |s'| of its sides is largest; that is convex in s, so of all splits of a set by
// the columns of a chain those with the smallest and with the largest s are enough. One group of a
// chain after the other moves its items from the side where the columns are 0 to that where they
// are 1. While items of weight w move, the errors of a split change by w at most: so chains that
// were far from the best are seldom looked at, and groups that are far too dear are passed over.

/// What the sides of a group cost, and the group; -1: none.
struct BestGroup {
  std::int64_t cost = 0;
  std::int64_t group = -1;
};

/// Asks one group after the other. Invariant: T holds the weight of all items.
template <class T>
class Sweep {
 public:
  Sweep(const Cuts& cuts, const Costs& costs, Meter& meter);

  /// Calls use(group, on_true, on_false, split_true, split_false) for the groups whose sides, as
  /// trees of depth <= 1, cost at most `budget` together; no split of a side costs less than the
  /// last two say.
  template <class Use>
  void each(std::int64_t budget, Use&& use) {
    for (std::size_t chain = 0; chain < cuts_.n_chains(); ++chain) {
      walk(
          chain, [&] { return budget; },
          [&](std::size_t group, std::int64_t yes, std::int64_t no) {
            const Bounds splits = split_bounds();
            use(group, yes, no, splits.yes, splits.no);
          });
    }
  }

  /// The cheapest group, if its sides cost less than `upper`. Nothing costs less than `lower`. The
  /// chain of the group `first`, if there is one, is tried first.
  [[nodiscard]] BestGroup least(std::int64_t lower, std::int64_t upper, std::int64_t first) {
    BestGroup best{upper, -1};
    const std::size_t n = cuts_.n_chains();
    const std::size_t start = first < 0 ? 0 : cuts_.chain_of(static_cast<std::size_t>(first));
    for (std::size_t step = 0; step < n && best.cost > lower; ++step) {
      walk((start + step) % n, [&] { return best.cost > lower ? best.cost - 1 : std::int64_t{-1}; },
           [&](std::size_t group, std::int64_t yes, std::int64_t no) {
             best = {yes + no, static_cast<std::int64_t>(group)};
           });
    }
    return best;
  }

 private:
  /// What is known of a split of both sides by the columns of a chain: the errors it had when
  /// `done` items had moved.
  struct Known {
    std::uint32_t done = 0;
    std::int32_t weight = 0;  // of these items
    std::int32_t yes = 0, no = 0;
  };
  /// The costs of both sides, exact or bounds that no tree goes below.
  struct Bounds {
    std::int64_t yes = 0, no = 0;
  };

  /// Calls use(group, on_true, on_false) for the groups of a chain whose sides cost at most
  /// budget() together; that may fall.
  template <class Budget, class Use>
  void walk(std::size_t chain, Budget&& budget, Use&& use) {
    begin();
    const std::uint32_t* items = cuts_.items(chain);
    std::int64_t resume = 0;
    for (std::size_t group = cuts_.start[chain]; group < cuts_.start[chain + 1]; ++group) {
      for (; at_ < cuts_.n_upto[group]; ++at_) {
        sign_ += signs_[items[at_]];
        weight_ += weights_[items[at_]];
      }
      if (weight_ < resume) continue;
      const std::int64_t most = budget();
      if (most < 0) return;
      const Bounds found = look(items, most);
      const std::int64_t excess = found.yes + found.no - most;
      if (excess <= 0) {
        use(group, found.yes, found.no);
      } else {
        resume = weight_ + (excess + costs_.error - 1) / costs_.error;
      }
    }
    meter_.step(cuts_.n_items() + 1);
  }

  void begin();
  /// The cheapest trees of depth <= 1 of both sides; where they cost more than `budget` together,
  /// bounds that do so, too.
  [[nodiscard]] Bounds look(const std::uint32_t* items, std::int64_t budget);
  /// No split of the sides costs less.
  [[nodiscard]] Bounds split_bounds() const;
  /// Brings what is known of a chain up to date.
  void refresh(std::size_t chain, const std::uint32_t* items);
  [[nodiscard]] std::int64_t leaf_cost(bool yes) const;

  const Cuts& cuts_;
  Costs costs_;
  Meter& meter_;
  std::vector<std::size_t> lane_;   // of each chain: where its columns begin, and the end
  std::vector<T> signs_, weights_;  // of each item
  std::vector<T> sign_of_;          // of each column: of the items where it and the group are 1
  std::vector<T> all_sign_of_;      // of each column: of all items where it is 1
  std::vector<T> steps_, room_;
  std::vector<Known> known_, at_first_;
  std::uint32_t at_ = 0;  // items that have moved
  std::int32_t sign_ = 0, weight_ = 0, all_sign_ = 0, all_weight_ = 0;
};

/// Whether 16 bits hold all weights.
[[nodiscard]] bool is_light(const Cuts& cuts);

/// Calls use(sweep) with a sweep of the narrowest numbers that suffice.
template <class Use>
auto with_sweep(const Cuts& cuts, const Costs& costs, Meter& meter, Use&& use) {
  if (is_light(cuts)) {
    Sweep<std::int16_t> sweep(cuts, costs, meter);
    return use(sweep);
  }
  Sweep<std::int32_t> sweep(cuts, costs, meter);
  return use(sweep);
}

// The cheapest trees where columns come in chains. The more rows, the dearer the best tree, and w
// more rows by w errors at most: so between two cuts of a chain that are known, no cut is looked
// at where that leaves nothing to find.

/// As sides_of_depth_2, of a part in chains; where two sides cost more than `budget` together they
/// may have bounds that no tree goes below, and that do so, too.
/// Cost: groups^2 x (columns and items) at most.
[[nodiscard]] SideCosts cut_sides_of_depth_2(const Rows& part, const Costs& costs,
                                             std::int64_t budget, Meter& meter);

/// The least that a tree of depth <= 3, or <= 2, costs, of a part in chains; `leaf` is what a leaf
/// costs.
[[nodiscard]] std::int64_t cut_least_of_depth_3(const Rows& part, const Costs& costs,
                                                std::int64_t leaf, Meter& meter);
[[nodiscard]] std::int64_t cut_least_of_depth_2(const Rows& part, const Costs& costs,
                                                std::int64_t leaf, Meter& meter);

// Two classes, columns in many long chains. One side of the cuts of a chain grows from cut to cut,
// and rows that join never make a tree cheaper: what was found for a smaller side is a bound that
// no tree of the larger one goes below. So only splits that were near the budget are looked at
// again, 32 neighbouring cuts of the second split at once.

inline constexpr std::size_t walk_lanes = 32;

/// A split of the side into two, and what is known of both.
struct WalkSplit {
  struct Half {
    std::int64_t best = 0;   // the cheapest tree of depth <= 1
    std::int64_t split = 0;  // no split of it costs less
    Leaf leaf;
  };
  std::uint32_t group = 0, end = 0;  // cuts that part the side alike
  Half yes, no;
};

/// Some rows, to which more are added.
/// Precondition: two classes, and 16 bits hold all weights.
class GrowingSide {
 public:
  GrowingSide(const Cuts& cuts, const Costs& costs, Meter& meter);

  /// No rows.
  void clear();
  void add(std::span<const std::uint32_t> items);
  [[nodiscard]] std::int64_t leaf_cost() const;

  /// The cheapest tree of depth <= 2, if it costs less than `upper`; else that. No tree costs less
  /// than `lower`.
  [[nodiscard]] std::int64_t least(std::int64_t lower, std::int64_t upper);

  /// Calls use(split) for the splits whose sides, as trees of depth <= 1, cost at most `budget`
  /// together, by ascending group.
  template <class Use>
  void each(std::int64_t budget, Use&& use) {
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      if (blocks_[b].least > budget) continue;
      refresh(b, budget);
      if (blocks_[b].least > budget) continue;
      for (std::size_t l = 0; l < blocks_[b].n; ++l) {
        if (costs_yes_[l] + costs_no_[l] > budget || !parts(b, l)) continue;
        use(split(b, l));
      }
    }
  }

  [[nodiscard]] std::size_t bytes() const;

 private:
  using Lanes16 = std::array<std::int16_t, walk_lanes>;
  using Lanes32 = std::array<std::int32_t, walk_lanes>;
  /// Up to 32 neighbouring cuts of a chain.
  struct Block {
    std::uint32_t chain = 0, first = 0, n = 0;  // first: in the chain
    std::int64_t least = 0;                     // no split of them costs less
  };
  /// The items of the side by their bin in a chain.
  struct Order {
    std::size_t stamp = 0;
    std::vector<std::uint16_t> item;
    std::vector<std::int16_t> sign;
    std::vector<std::uint8_t> ends;  // whether the next item is of another bin
  };

  void refresh(std::size_t block, std::int64_t budget);
  void pass(std::size_t block, std::size_t chain);
  void order(std::size_t chain);
  /// Whether a cut parts the side, and differs from the one before.
  [[nodiscard]] bool parts(std::size_t block, std::size_t lane) const;
  [[nodiscard]] WalkSplit split(std::size_t block, std::size_t lane) const;
  void weigh_sides(const Block& block);
  void weigh_known(std::size_t block);
  [[nodiscard]] std::int16_t* known(std::size_t block, std::size_t chain) {
    return known_.data() + (block * cuts_.n_chains() + chain) * 2 * walk_lanes;
  }

  const Cuts& cuts_;
  Costs costs_;
  Meter& meter_;
  std::vector<Block> blocks_;
  std::vector<std::int16_t> known_;  // per block and chain: errors of both sides, or bounds
  std::vector<Order> orders_;
  std::vector<std::uint8_t> in_;                       // of each item
  std::vector<std::int16_t> signs_;                    // of each item
  std::vector<std::int16_t> sign_upto_, weight_upto_;  // per block and lane
  std::vector<std::uint32_t> in_bin_;                  // per chain and bin: items of the side
  std::vector<std::size_t> bin_start_;
  std::size_t stamp_ = 0, n_in_ = 0, best_block_ = 0;
  std::int32_t sign_ = 0, weight_ = 0;

  // Of the block at hand.
  std::vector<std::uint8_t> fresh_;  // chains
  Lanes32 costs_yes_{}, costs_no_{}, low_yes_{}, low_no_{}, split_yes_{}, split_no_{};
  Lanes32 leaf_yes_{}, leaf_no_{};
};

/// Whether the rows are such that sides may grow: two classes, and small numbers suffice.
[[nodiscard]] bool walk_suffices(const Rows& part, const Costs& costs);

/// Calls use(group, items) for the cuts of a chain, one after the other, with the items that join
/// the side where they are 1; not `rising`: from the last on, the side where they are 0.
template <class Use>
void each_side(const Cuts& cuts, std::size_t chain, bool rising, Use&& use) {
  const std::span<const std::uint32_t> items(cuts.items(chain), cuts.n_items());
  std::size_t done = 0;
  for (std::size_t step = cuts.start[chain]; step < cuts.start[chain + 1]; ++step) {
    const std::size_t group = rising ? step : cuts.start[chain] + cuts.start[chain + 1] - 1 - step;
    const std::size_t upto = rising ? cuts.n_upto[group] : items.size() - cuts.n_upto[group];
    use(group, items.subspan(rising ? done : items.size() - upto, upto - done));
    done = upto;
  }
}

/// As sides_of_depth_2. Precondition: walk_suffices.
[[nodiscard]] SideCosts walk_sides(const Cuts& cuts, const Costs& costs, Meter& meter);

}  // namespace orderless::rashomon
