#include "core/smallest/search.hpp"

#include <algorithm>
#include <optional>

#include "core/base/errors.hpp"
#include "core/bins/residual.hpp"
#include "core/smallest/states.hpp"

namespace orderless::smallest {

namespace {

using Id = Residuals::Id;
using Question = Residuals::Question;

constexpr std::size_t most_cells = 16384;  // looked at for one bound
constexpr std::int64_t few_cells = 64;     // looked at one by one
constexpr std::int32_t most_depth = 500;
constexpr std::int64_t small_effort = 100'000;  // steps, about 10 ms
constexpr std::int64_t steps_per_poll = 10'000;

class Search {
 public:
  Search(Residuals& residuals, Weights& weights, Minimize minimize, std::size_t limit,
         const PollFunction& poll)
      : residuals_(residuals),
        weights_(weights),
        apart_(residuals),
        states_(residuals, weights, minimize, limit),
        minimize_(minimize),
        poll_(poll) {}

  [[nodiscard]] SmallestTree run() {
    SmallestTree out;
    const std::int32_t root = states_.of(residuals_.root(), weights_.root(residuals_.root()));
    out.weight = weights_.weight(states_[root].context);
    try {
      polish(root);
      look_ahead(root);
      solve(root);
      if (states_[root].low == states_[root].high) {
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
    const State& top = states_[root];
    const int shift = minimize_ == Minimize::expected_depth ? leaf_bits : 0;
    out.value = top.high >> shift;
    out.bound = std::min(top.low, top.high) >> shift;
    return out;
  }

 private:
  struct Pause : std::exception {};

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
    State& from = states_[s];
    if (from.expanded) return;
    const Questions asked = questions(residuals_, from.tree);
    std::vector<Split> splits;
    splits.reserve(asked.list.size());
    for (const Question& question : asked.list) {
      spend(residuals_.n_leaves(from.tree));
      splits.push_back(states_.split(from, question, from.tree));
    }
    from.splits = std::move(splits);
    from.complete = asked.complete;
    from.expanded = true;
  }

  /// The better, dearer lower bounds.
  void bound(std::int32_t id) {
    State& s = states_[id];
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
    const Value better = states_.value(leaves, std::max(found.depth, log2_up(leaves)), asked);
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
    State& s = states_[id];
    const auto over = [&] { return s.low >= s.high || s.low > budget || s.tried >= budget; };
    if (over()) return;
    spend(1);
    bound(id);
    if (over()) return;
    expand(id);
    std::vector<std::pair<Value, std::int32_t>> order;
    order.reserve(s.splits.size());
    for (std::size_t i = 0; i < s.splits.size(); ++i) {
      order.emplace_back(states_.low(s, s.splits[i]), static_cast<std::int32_t>(i));
    }
    std::sort(order.begin(), order.end());
    Value least = endless;
    for (const auto& [guess, i] : order) {
      const Split& split = s.splits[at(i)];
      const Value target = std::min(budget, s.high - 1);
      try_split(s, split, target);
      if (const Value found = states_.high(s, split); found < s.high) {
        s.high = found;
        s.best = split;
      }
      least = std::min(least, states_.low(s, split));
      if (s.low >= s.high) break;
    }
    if (s.complete && s.low < s.high) s.low = std::max(s.low, std::min(least, s.high));
    s.tried = std::max(s.tried, budget);
  }

  /// Searches both sides as far as the split may still cost at most `target`.
  void try_split(const State& s, const Split& split, Value target) {
    if (states_.low(s, split) > target) return;
    bound(split.yes);
    if (states_.low(s, split) > target) return;
    bound(split.no);
    if (states_.low(s, split) > target) return;
    // The side with less to find out first: it is cheap, and may be enough.
    const State& yes = states_[split.yes];
    const State& no = states_[split.no];
    const bool first = residuals_.n_leaves(yes.given) <= residuals_.n_leaves(no.given);
    for (const bool side : {first, !first}) {
      search(side ? split.yes : split.no, states_.room(s, split, side, target));
      if (states_.low(s, split) > target) return;
    }
  }

  /// Raises the budget until the value is known, or nothing more can be found out.
  void solve(std::int32_t id) {
    State& s = states_[id];
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
    State& s = states_[id];
    while (s.low < s.high && !residuals_.is_leaf(s.given)) {
      const Id before = s.given;
      const Question asked = residuals_.node(before);  // a copy: the split adds nodes
      const Split own = states_.split(s, asked, before);
      if (s.given != before) continue;  // the split is not needed: one side is enough
      if (own.yes == id || own.no == id) break;
      polish(own.yes);
      polish(own.no);
      if (states_.high(s, own) < s.high) {
        s.high = states_.high(s, own);
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
    if (states_[id].low >= states_[id].high) return;
    expand(id);
    for (const Split& split : states_[id].splits) {
      bound(split.yes);
      bound(split.no);
    }
    std::vector<std::uint8_t> seen(states_.size(), 0);
    raise(id, seen);
  }

  /// Finds, at every node of the tree, the first split that leads to a smallest tree.
  void settle(std::int32_t id) {
    State& s = states_[id];
    if (residuals_.is_leaf(s.tree) || s.first >= 0) return;
    spend(1);
    expand(id);
    for (std::size_t i = 0; i < s.splits.size(); ++i) {
      const Split& split = s.splits[i];
      try_split(s, split, s.high);
      if (states_.high(s, split) > s.high || states_.low(s, split) > s.high) continue;
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
    State& s = states_[id];
    if (seen[at(id)] != 0 || !s.expanded || !s.complete || s.low >= s.high) return;
    seen[at(id)] = 1;
    Value least = endless;
    for (const Split& split : s.splits) {
      raise(split.yes, seen);
      raise(split.no, seen);
      least = std::min(least, states_.low(s, split));
    }
    s.low = std::max(s.low, std::min(least, s.high));
  }

  /// Brings the values of the best trees up to date: parts may have got better since.
  Value refresh(std::int32_t id) {
    State& s = states_[id];
    if (s.best.yes >= 0) {
      const Value yes = refresh(s.best.yes);
      const Value no = refresh(s.best.no);
      s.high = std::min(s.high, states_.join(s, s.best, yes, no));
    }
    return s.high;
  }

  void write(SmallestTree& out, std::int32_t root) const {
    write_tree(residuals_, out, {root, 0}, [&](const TreePart& part) -> PartSplit {
      const State& s = states_[part.state];
      if (s.best.yes < 0) return {{}, {-1, s.given}, {-1, -1}, false};
      return {s.best.question, {s.best.yes, -1}, {s.best.no, -1}, true};
    });
  }

  Residuals& residuals_;
  Weights& weights_;
  Apart apart_;
  States states_;
  Minimize minimize_;
  const PollFunction& poll_;
  std::int64_t since_poll_ = 0;
  std::optional<std::int64_t> effort_;
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
