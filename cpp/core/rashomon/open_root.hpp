#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/rashomon/counts.hpp"

namespace orderless::rashomon {

/// One way to make trees at the root: a column, and a cell of each side. No column: the leaf.
struct RootWay {
  std::int64_t cost = 0;
  std::int32_t leaves = 0;
  std::uint32_t edge = 0;                   // of the root; one more than there are: the leaf
  std::uint32_t on_true = 0, on_false = 0;  // cells in the tables of the sides
  Count n = 0;                              // trees of the view
};

/// The root where nearly every tree has a cost of its own, so that a table of all costs would be as
/// long as the set: sums of two sorted tables are counted, and listed between two costs, without
/// making them. Cost of a count: the cells of all sides, times the different numbers of leaves.
/// Precondition: no side has 2^63 trees, and all trees are fewer than 2^126.
class OpenRoot {
 public:
  OpenRoot(const Counts& counts, Meter& meter);

  /// How many trees of the view cost at most so much; of them those without trivial splits.
  [[nodiscard]] Count at_most(std::int64_t cost, bool nontrivial, Meter& meter) const;
  /// The ways with costs in low .. high, by cost, leaves, and a fixed order.
  [[nodiscard]] std::vector<RootWay> between(std::int64_t low, std::int64_t high) const;
  /// Trees that stand together, and how many are before them.
  struct Window {
    std::vector<RootWay> ways;
    Count before = 0;
  };
  /// A window with the tree at a position: all of one cost, or about so many.
  /// Precondition: there is such a tree.
  [[nodiscard]] Window around(Count position, Count about, Meter& meter) const;
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  /// The cells of a table that have as many leaves and the same groups, by cost.
  struct Kind {
    std::int32_t leaves = 0;
    std::uint64_t groups = 0;
    std::vector<std::int64_t> cost;
    std::vector<std::uint32_t> cell;
    std::vector<std::uint64_t> up_to, nontrivial;  // trees of each cell and all before it

    [[nodiscard]] static std::uint64_t own(const std::vector<std::uint64_t>& sums, std::size_t i) {
      return i == 0 ? sums[0] : sums[i] - sums[i - 1];
    }
  };
  using Side = std::vector<Kind>;

  [[nodiscard]] const Side& side(std::uint32_t node) const { return sides_.at(node); }
  /// Calls `use(edge, on_true, on_false, is_trivial)` for kinds that make trees of the view.
  template <class Use>
  void each_pair(Use&& use) const;
  [[nodiscard]] bool leaf_is_in() const;

  const Counts& counts_;
  const Graph& graph_;
  std::int64_t most_leaves_;
  std::unordered_map<std::uint32_t, Side> sides_;
  std::size_t bytes_ = 0;
};

}  // namespace orderless::rashomon
