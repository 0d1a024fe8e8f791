#pragma once

#include <cstdint>
#include <deque>
#include <span>
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

/// Lower bounds on every tree for what is left in a box, from cells that no tree can treat alike.
class Apart {
 public:
  explicit Apart(Residuals& residuals) : residuals_(residuals) {}

  struct Bounds {
    std::int64_t leaves = 1;  // cells of which no two fit into one pure box
    std::int32_t depth = 0;   // questions that some cell cannot do without
  };
  /// Tries one cell per leaf, where it changes class most. Cost: pairs of leaves x leaves.
  [[nodiscard]] Bounds bounds(Residuals::Id id);

  /// How many questions the path of a cell has at least: one for each direction (down or up an
  /// ordered feature, to another value of an unordered one) in which its class changes.
  [[nodiscard]] std::int32_t questions(Residuals::Id id, std::span<const std::int32_t> cell);

 private:
  using Id = Residuals::Id;
  using Cell = std::vector<std::int32_t>;  // a bin per feature; NaN: n_bins
  struct Corner {
    Cell cell;
    std::int32_t label;
  };
  void corners(Id id, bool low_first);
  /// Whether the cells lo .. hi (for unordered features: lo and hi) have a class but `label`.
  [[nodiscard]] bool impure(Id id, std::int32_t label) const;
  [[nodiscard]] bool goes(const Residuals::Node& node, bool yes) const;
  [[nodiscard]] bool reaches(const Residuals::Node& node, std::int32_t bin, bool yes) const;
  [[nodiscard]] std::int32_t label_of(Id id, std::span<const std::int32_t> cell) const;
  [[nodiscard]] bool apart(Id id, const Corner& a, const Corner& b);

  Residuals& residuals_;
  std::vector<Corner> corners_;
  Cell lo_, hi_;
  std::int32_t free_ = -1;  // an unordered feature that may have any value
};

/// Part of a tree to write: a state of a search, or (state -1) a residual as it stands.
struct TreePart {
  std::int32_t state = -1;
  Residuals::Id tree = 0;
};

/// What a state is written as: a split of two parts, or (no split) the residual in `yes`.
struct PartSplit {
  Residuals::Question question;
  TreePart yes, no;
  bool split = true;
};

/// Adds a node without children; gives its number.
std::int32_t write_node(const Residuals& residuals, SmallestTree& out,
                        const Residuals::Question& question);

/// Writes a tree, each node before its children, true branch first; `open(part)` says what a state
/// is written as.
template <class Open>
void write_tree(const Residuals& residuals, SmallestTree& out, TreePart root, Open&& open) {
  struct Hanging {
    TreePart part;
    std::int32_t parent;
    bool yes;
  };
  std::vector<Hanging> todo{{root, -1, true}};
  while (!todo.empty()) {
    Hanging step = todo.back();
    todo.pop_back();
    PartSplit here;
    here.split = false;
    if (step.part.state >= 0) {
      here = open(step.part);
      if (!here.split) step.part = here.yes;
    }
    if (!here.split) {
      const Residuals::Node& node = residuals.node(step.part.tree);
      here = {node, {-1, node.yes}, {-1, node.no}, node.feature >= 0};
    }
    const std::int32_t number = write_node(residuals, out, here.question);
    if (step.parent >= 0) {
      (step.yes ? out.when_true : out.when_false)[static_cast<std::size_t>(step.parent)] = number;
    }
    if (!here.split) continue;
    todo.push_back({here.no, number, false});
    todo.push_back({here.yes, number, true});
  }
}

/// The whole residual, without a search: for trees too deep to search.
[[nodiscard]] SmallestTree as_it_stands(const Residuals& residuals, bool leaves);

}  // namespace orderless::smallest
