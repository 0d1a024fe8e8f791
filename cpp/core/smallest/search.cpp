#include "core/smallest/search.hpp"

#include <algorithm>
#include <bit>
#include <deque>
#include <optional>

#include "core/base/errors.hpp"
#include "core/bins/questions.hpp"
#include "core/smallest/apart.hpp"
#include "core/smallest/write.hpp"

namespace orderless::smallest {

namespace {

using Id = Residuals::Id;
using Question = Residuals::Question;
using Value = std::int64_t;

constexpr int leaf_bits = 20;              // expected depth: weight above, leaves below
constexpr std::size_t most_cells = 16384;  // looked at for one bound
constexpr std::int64_t few_cells = 64;     // looked at one by one
constexpr std::int32_t most_depth = 500;
constexpr std::int64_t small_effort = 100'000;  // steps, about 10 ms
constexpr std::int64_t steps_per_poll = 10'000;
constexpr std::size_t nodes_per_state = 20;
constexpr Value endless = std::int64_t{1} << 62;

/// A split of a state: its sides are states too. -1: none.
struct Split {
  Question question;
  std::int32_t yes = -1;
  std::int32_t no = -1;
  std::int64_t yes_scale = 1;
  std::int64_t no_scale = 1;
};

struct State {
  Id tree = 0;   // what is left
  Id given = 0;  // the same function with the fewest leaves seen
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

class Search {
 public:
  Search(Residuals& residuals, Weights& weights, Minimize minimize, std::size_t limit,
         const PollFunction& poll)
      : residuals_(residuals),
        weights_(weights),
        apart_(residuals),
        minimize_(minimize),
        limit_(limit),
        most_nodes_(residuals.size() + nodes_per_state * limit),
        poll_(poll) {}

  [[nodiscard]] SmallestTree run() {
    SmallestTree out;
    const std::int32_t root = state(residuals_.root(), weights_.root(residuals_.root()));
    out.weight = weights_.weight(states_[at(root)].context);
    try {
      polish(root);
      look_ahead(root);
      solve(root);
      if (states_[at(root)].low == states_[at(root)].high) {
        settle(root);
        out.first = true;
      }
    } catch (const StopSearch&) {
    }
    std::vector<std::uint8_t> seen(states_.size(), 0);
    raise(root, seen);
    refresh(root);
    write(out, root);
    out.n_states = states_.size();
    const State& top = states_[at(root)];
    const int shift = minimize_ == Minimize::expected_depth ? leaf_bits : 0;
    out.value = top.high >> shift;
    out.bound = std::min(top.low, top.high) >> shift;
    return out;
  }

 private:
  struct Pause {};

  // -- states ----------------------------------------------------------------------------------

  /// The state of a residual. Residuals that are the same function share one; certified, so a hash
  /// alone never decides.
  std::int32_t state(Id tree, std::int32_t context) {
    const std::uint64_t print =
        residuals_.fingerprint(tree) ^ static_cast<std::uint64_t>(context) * 0x9e3779b97f4a7c15U;
    std::vector<std::int32_t>& known = by_print_[print];
    for (const std::int32_t s : known) {
      State& other = states_[at(s)];
      if (other.context != context) continue;
      if (other.tree != tree) {
        if (residuals_.live(tree) != residuals_.live(other.tree)) continue;
        if (!residuals_.same(tree, other.tree)) continue;
      }
      if (tree != other.given && residuals_.n_leaves(tree) < residuals_.n_leaves(other.given)) {
        if (const Value own = value_of(tree, context); own < other.high) {
          other.high = own;
          other.given = tree;
          other.best = {};
        }
      }
      return s;
    }
    if (states_.size() >= limit_ || residuals_.size() > most_nodes_) {
      throw StopSearch{};
    }
    State fresh;
    fresh.tree = fresh.given = tree;
    fresh.context = context;
    fresh.high = value_of(tree, context);
    const std::int64_t leaves =
        residuals_.is_leaf(tree) ? 1 : std::max(residuals_.n_cuts(tree), 1) + 1;
    fresh.low =
        value(leaves, log2_up(leaves), residuals_.is_leaf(tree) ? 0 : weights_.weight(context));
    known.push_back(static_cast<std::int32_t>(states_.size()));
    states_.push_back(std::move(fresh));
    return known.back();
  }

  [[nodiscard]] static std::int32_t log2_up(std::int64_t n) {
    return static_cast<std::int32_t>(std::bit_width(static_cast<std::uint64_t>(n - 1)));
  }

  [[nodiscard]] Value value(std::int64_t leaves, std::int32_t depth, std::int64_t asked) const {
    if (minimize_ == Minimize::leaves) return leaves;
    return minimize_ == Minimize::depth ? depth : (asked << leaf_bits) + leaves;
  }

  /// What a residual costs as it stands.
  [[nodiscard]] Value value_of(Id tree, std::int32_t context) {
    if (minimize_ == Minimize::leaves) return residuals_.n_leaves(tree);
    if (minimize_ == Minimize::depth) return residuals_.depth(tree);
    return (weights_.asked(context, tree) << leaf_bits) + residuals_.n_leaves(tree);
  }

  [[nodiscard]] static Value scaled(Value value, std::int64_t scale) {
    const Value leaves = value & ((Value{1} << leaf_bits) - 1);
    return (value - leaves) * scale + leaves;
  }

  [[nodiscard]] Split split(const State& from, const Question& question, Id tree) {
    Split out;
    out.question = question;
    const std::int32_t context = from.context;
    for (const bool yes : {true, false}) {
      const Id left = residuals_.side(tree, question, yes);
      const Weights::Part part = weights_.side(context, question, yes, left);
      (yes ? out.yes : out.no) = state(left, part.context);
      (yes ? out.yes_scale : out.no_scale) = part.scale;
    }
    return out;
  }

  // -- values of splits ------------------------------------------------------------------------

  [[nodiscard]] Value join(const State& from, const Split& split, Value yes, Value no) const {
    if (minimize_ == Minimize::depth) return 1 + std::max(yes, no);
    if (minimize_ == Minimize::leaves) return yes + no;
    return (weights_.weight(from.context) << leaf_bits) + scaled(yes, split.yes_scale) +
           scaled(no, split.no_scale);
  }
  [[nodiscard]] Value low(const State& from, const Split& split) const {
    return join(from, split, states_[at(split.yes)].low, states_[at(split.no)].low);
  }
  [[nodiscard]] Value high(const State& from, const Split& split) const {
    return join(from, split, states_[at(split.yes)].high, states_[at(split.no)].high);
  }

  /// The most that one side may cost so that the split costs at most `budget`, given the least that
  /// the other side costs.
  [[nodiscard]] Value room(const State& from, const Split& split, bool yes, Value budget) const {
    if (minimize_ == Minimize::depth) return budget - 1;
    const Value other = yes ? scaled(states_[at(split.no)].low, split.no_scale)
                            : scaled(states_[at(split.yes)].low, split.yes_scale);
    const std::int64_t scale = yes ? split.yes_scale : split.no_scale;
    if (minimize_ == Minimize::leaves) return budget - other;
    const Value rest = budget - other - (weights_.weight(from.context) << leaf_bits);
    if (scale == 1 || rest < 0) return rest;
    if (scale == 0) return endless;
    const std::int64_t asked = rest >> leaf_bits;
    if (asked % scale == 0)
      return (asked / scale << leaf_bits) + (rest & ((Value{1} << leaf_bits) - 1));
    return ((asked / scale + 1) << leaf_bits) - 1;
  }

  // -- the search ------------------------------------------------------------------------------

  /// Counts steps of work, looks at the clock now and then, and ends an attempt of limited effort.
  void spend(std::int64_t steps) {
    since_poll_ += steps;
    if (since_poll_ > steps_per_poll) {
      since_poll_ = 0;
      poll_(states_.size());
    }
    if (!effort_) return;
    *effort_ -= steps;
    if (*effort_ < 0) throw Pause{};
  }

  void expand(std::int32_t s) {
    State& from = states_[at(s)];
    if (from.expanded) return;
    const Questions asked = questions(residuals_, from.tree);
    std::vector<Split> splits;
    splits.reserve(asked.list.size());
    for (const Question& question : asked.list) {
      spend(residuals_.n_leaves(from.tree));
      splits.push_back(split(from, question, from.tree));
    }
    from.splits = std::move(splits);
    from.complete = asked.complete;
    from.expanded = true;
  }

  /// The better, dearer lower bounds.
  void bound(std::int32_t id) {
    State& s = states_[at(id)];
    if (s.bounded || s.low >= s.high) return;
    const std::int64_t size = residuals_.n_leaves(s.given);
    spend(size * size);
    s.bounded = true;
    const Apart::Bounds found = apart_.bounds(s.given);
    const std::int64_t leaves =
        std::max<std::int64_t>(found.leaves, std::max(residuals_.n_cuts(s.tree), 1) + 1);
    std::int64_t asked = 0;
    if (minimize_ == Minimize::expected_depth) {
      asked = asked_at_least(s);
    }
    const Value better = value(leaves, std::max(found.depth, log2_up(leaves)), asked);
    s.low = std::max(s.low, better);
  }

  [[nodiscard]] std::int64_t asked_at_least(const State& s) {
    const std::int64_t weight = weights_.weight(s.context);
    if (weights_.kind() == Weights::Kind::bins && weight > few_cells) {
      return std::max(weight, weights_.asked_at_least(s.context, s.given));
    }
    std::int64_t asked = 0;
    std::int64_t seen = 0;
    weights_.cells(s.context, most_cells, [&](std::span<const std::int32_t> cell, std::int64_t n) {
      asked += n * std::max(apart_.questions(s.given, cell), 1);
      seen += n;
    });
    return asked + weight - seen;
  }

  /// Afterwards the state's value is known, or it is more than the budget.
  void search(std::int32_t id, Value budget) {
    State& s = states_[at(id)];
    const auto over = [&] { return s.low >= s.high || s.low > budget || s.tried >= budget; };
    if (over()) return;
    spend(1);
    bound(id);
    if (over()) return;
    expand(id);
    std::vector<std::pair<Value, std::int32_t>> order;
    order.reserve(s.splits.size());
    for (std::size_t i = 0; i < s.splits.size(); ++i) {
      order.emplace_back(low(s, s.splits[i]), static_cast<std::int32_t>(i));
    }
    std::sort(order.begin(), order.end());
    Value least = endless;
    for (const auto& [guess, i] : order) {
      const Split& split = s.splits[at(i)];
      const Value target = std::min(budget, s.high - 1);
      try_split(s, split, target);
      if (const Value found = high(s, split); found < s.high) {
        s.high = found;
        s.best = split;
      }
      least = std::min(least, low(s, split));
      if (s.low >= s.high) break;
    }
    if (s.complete && s.low < s.high) s.low = std::max(s.low, std::min(least, s.high));
    s.tried = std::max(s.tried, budget);
  }

  /// Searches both sides as far as the split may still cost at most `target`.
  void try_split(const State& s, const Split& split, Value target) {
    if (low(s, split) > target) return;
    bound(split.yes);
    if (low(s, split) > target) return;
    bound(split.no);
    if (low(s, split) > target) return;
    // The side with less to find out first: it is cheap, and may be enough.
    const State& yes = states_[at(split.yes)];
    const State& no = states_[at(split.no)];
    const bool first = residuals_.n_leaves(yes.given) <= residuals_.n_leaves(no.given);
    for (const bool side : {first, !first}) {
      search(side ? split.yes : split.no, room(s, split, side, target));
      if (low(s, split) > target) return;
    }
  }

  /// Raises the budget until the value is known, or nothing more can be found out.
  void solve(std::int32_t id) {
    State& s = states_[at(id)];
    bound(id);
    Value budget = -1;
    while (s.low < s.high && s.tried < s.high - 1) {
      const Value from = std::max(s.low, budget + 1);
      const Value step = minimize_ == Minimize::expected_depth ? (s.high - from) / 8 : 0;
      budget = std::min(from + step, s.high - 1);
      search(id, budget);
    }
  }

  /// Solves small parts of the given tree first, so that the best known tree is good early.
  void polish(std::int32_t id) {
    State& s = states_[at(id)];
    while (s.low < s.high && !residuals_.is_leaf(s.given)) {
      const Id before = s.given;
      const Question asked = residuals_.node(before);  // a copy: the split adds nodes
      const Split own = split(s, asked, before);
      if (s.given != before) continue;  // the split is not needed: one side is enough
      if (own.yes == id || own.no == id) break;
      polish(own.yes);
      polish(own.no);
      if (high(s, own) < s.high) {
        s.high = high(s, own);
        s.best = own;
      }
      break;
    }
    try {
      effort_ = small_effort;
      solve(id);
    } catch (const Pause&) {
    }
    effort_.reset();
  }

  /// One step ahead with the better bounds, so that there is a good bound should time run out.
  void look_ahead(std::int32_t id) {
    if (states_[at(id)].low >= states_[at(id)].high) return;
    expand(id);
    for (const Split& split : states_[at(id)].splits) {
      bound(split.yes);
      bound(split.no);
    }
    std::vector<std::uint8_t> seen(states_.size(), 0);
    raise(id, seen);
  }

  /// Finds, at every node of the tree, the first split that leads to a smallest tree.
  void settle(std::int32_t id) {
    State& s = states_[at(id)];
    if (residuals_.is_leaf(s.tree) || s.first >= 0) return;
    spend(1);
    expand(id);
    for (std::size_t i = 0; i < s.splits.size(); ++i) {
      const Split& split = s.splits[i];
      try_split(s, split, s.high);
      if (high(s, split) > s.high || low(s, split) > s.high) continue;
      solve(split.yes);
      solve(split.no);
      settle(split.yes);
      settle(split.no);
      s.best = split;
      s.first = static_cast<std::int32_t>(i);
      return;
    }
    throw StopSearch{};  // the given tree is as small, but asks for a set that was not tried
  }

  // -- the tree --------------------------------------------------------------------------------

  /// Brings the lower bounds up to date, where a search was ended before it did.
  void raise(std::int32_t id, std::vector<std::uint8_t>& seen) {
    State& s = states_[at(id)];
    if (seen[at(id)] != 0 || !s.expanded || !s.complete || s.low >= s.high) return;
    seen[at(id)] = 1;
    Value least = endless;
    for (const Split& split : s.splits) {
      raise(split.yes, seen);
      raise(split.no, seen);
      least = std::min(least, low(s, split));
    }
    s.low = std::max(s.low, std::min(least, s.high));
  }

  /// Brings the values of the best trees up to date: parts may have got better since.
  Value refresh(std::int32_t id) {
    State& s = states_[at(id)];
    if (s.best.yes >= 0) {
      const Value yes = refresh(s.best.yes);
      const Value no = refresh(s.best.no);
      s.high = std::min(s.high, join(s, s.best, yes, no));
    }
    return s.high;
  }

  void write(SmallestTree& out, std::int32_t root) const {
    write_tree(residuals_, out, {root, 0}, [&](const TreePart& part) -> PartSplit {
      const State& s = states_[at(part.state)];
      if (s.best.yes < 0) return {{}, {-1, s.given}, {-1, -1}, false};
      return {s.best.question, {s.best.yes, -1}, {s.best.no, -1}, true};
    });
  }

  Residuals& residuals_;
  Weights& weights_;
  Apart apart_;
  Minimize minimize_;
  std::size_t limit_;
  std::size_t most_nodes_;
  const PollFunction& poll_;
  std::int64_t since_poll_ = 0;
  std::optional<std::int64_t> effort_;
  std::deque<State> states_;
  std::unordered_map<std::uint64_t, std::vector<std::int32_t>> by_print_;
};

}  // namespace

SmallestTree smallest_tree(const BinTree& tree, const std::vector<BinFeature>& features,
                           Minimize minimize, const WeightedRows* rows, std::size_t limit,
                           const PollFunction& poll) {
  Residuals residuals(tree, features);
  const bool weighed = minimize == Minimize::expected_depth;
  const Id root = residuals.root();
  if (weighed && residuals.n_leaves(root) >> (leaf_bits - 1) != 0) {
    throw TooManyCells();
  }
  if (residuals.depth(root) > most_depth) {  // the search would go as deep as the tree
    if (weighed) throw TooDeep();
    return as_it_stands(residuals, minimize == Minimize::leaves);
  }
  if (!weighed) {
    Weights weights(residuals);
    return Search(residuals, weights, minimize, limit, poll).run();
  }
  if (rows != nullptr) {
    Weights weights(residuals, *rows);
    return Search(residuals, weights, minimize, limit, poll).run();
  }
  Weights weights(residuals, counted_bins(residuals));
  return Search(residuals, weights, minimize, limit, poll).run();
}

}  // namespace orderless::smallest
