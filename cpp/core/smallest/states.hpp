#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "core/base/bits.hpp"
#include "core/bins/residual.hpp"
#include "core/smallest/search.hpp"
#include "core/smallest/weights.hpp"

namespace orderless::smallest {

/// What a tree costs: leaves, depth, or questions over all rows above `leaf_bits` and leaves below.
using Value = std::int64_t;
inline constexpr int leaf_bits = 20;
inline constexpr Value endless = std::int64_t{1} << 62;

/// A split of a state: its sides are states too. -1: none.
struct Split {
  Residuals::Question question;
  std::int32_t yes = -1;
  std::int32_t no = -1;
  std::int64_t yes_scale = 1;
  std::int64_t no_scale = 1;
};

struct State {
  Residuals::Id tree = 0;   // what is left
  Residuals::Id given = 0;  // the same function with the fewest leaves seen
  std::int32_t context = 0;
  Value low = 0;     // no tree has less
  Value high = 0;    // a tree that has this is known: `best`, or `given` where there is none
  Value tried = -1;  // budget that has been searched
  bool bounded = false;
  bool expanded = false;
  bool complete = true;  // every split that could be needed is there
  Split best;
  std::int32_t first = -1;  // the first of the best splits, once known
  std::vector<Split> splits;
};

/// The states of a search, and what splits of them cost. References to states stay valid.
class States {
 public:
  States(Residuals& residuals, Weights& weights, Minimize minimize, std::size_t limit);

  [[nodiscard]] std::size_t size() const { return states_.size(); }
  [[nodiscard]] State& operator[](std::int32_t id) { return states_[at(id)]; }
  [[nodiscard]] const State& operator[](std::int32_t id) const { return states_[at(id)]; }

  /// The state of a residual. Residuals that are the same function share one; certified, so a hash
  /// alone never decides. Throws StopSearch where there are too many.
  [[nodiscard]] std::int32_t of(Residuals::Id tree, std::int32_t context);
  [[nodiscard]] Split split(const State& from, const Residuals::Question& question,
                            Residuals::Id tree);

  [[nodiscard]] Value value(std::int64_t leaves, std::int32_t depth, std::int64_t asked) const;
  /// What a split costs, given what its sides cost.
  [[nodiscard]] Value join(const State& from, const Split& split, Value yes, Value no) const;
  [[nodiscard]] Value low(const State& from, const Split& split) const {
    return join(from, split, (*this)[split.yes].low, (*this)[split.no].low);
  }
  [[nodiscard]] Value high(const State& from, const Split& split) const {
    return join(from, split, (*this)[split.yes].high, (*this)[split.no].high);
  }
  /// The most that one side may cost so that the split costs at most `budget`, given the least that
  /// the other side costs.
  [[nodiscard]] Value room(const State& from, const Split& split, bool yes, Value budget) const;

 private:
  [[nodiscard]] Value value_of(Residuals::Id tree, std::int32_t context);

  Residuals& residuals_;
  Weights& weights_;
  Minimize minimize_;
  std::size_t limit_;
  std::size_t most_nodes_;
  std::deque<State> states_;
  std::unordered_map<std::uint64_t, std::vector<std::int32_t>> by_print_;
};

/// The depth that a tree of so many leaves has at least.
[[nodiscard]] std::int32_t log2_up(std::int64_t n);

}  // namespace orderless::smallest
