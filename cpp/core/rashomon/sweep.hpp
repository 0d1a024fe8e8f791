#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <span>
#include <vector>

#include "core/rashomon/best.hpp"
#include "core/rashomon/cuts.hpp"
#include "core/rashomon/sweep_loops.hpp"

// Two classes, columns in chains. With s the weight of class 1 less that of class 0, a split misses
// least where |s| + |s'| of its sides is largest; that is convex in s, so of all splits of a set by
// the columns of a chain those with the smallest and with the largest s are enough. One group of a
// chain after the other moves its items from the side where the columns are 0 to that where they
// are 1. While items of weight w move, the errors of a split change by w at most: so chains that
// were far from the best are seldom looked at, and groups that are far too dear are passed over.
namespace orderless::rashomon {

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

}  // namespace orderless::rashomon
