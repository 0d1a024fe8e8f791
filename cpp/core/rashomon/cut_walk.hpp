#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/rashomon/best.hpp"
#include "core/rashomon/cuts.hpp"

// Two classes, columns in many long chains. One side of the cuts of a chain grows from cut to cut,
// and rows that join never make a tree cheaper: what was found for a smaller side is a bound that
// no tree of the larger one goes below. So only splits that were near the budget are looked at
// again, 32 neighbouring cuts of the second split at once.
namespace orderless::rashomon {

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
