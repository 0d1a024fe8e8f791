#include <algorithm>
#include <deque>
#include <numeric>

#include "core/acquisition/problem.hpp"
#include "core/acquisition/splits.hpp"
#include "core/acquisition/unfold.hpp"

namespace orderless::acquisition {

namespace {

constexpr std::int64_t infinite = Acquisition::unlimited;

class Search {
 public:
  Search(const Acquisition& problem, std::size_t limit, const Clock& clock)
      : problem_(problem),
        limit_(limit),
        clock_(clock),
        splits_(problem, clock.poll),
        states_(splits_.states),
        by_cost_(problem.by_cost()) {}

  struct Found {
    PolicyTree tree;
    std::int64_t value, bound;
  };

  /// The best policy for some rows, from these leaves on. What time the writing down leaves, the
  /// search gets, which goes on from what was found on the way.
  Found found(const std::vector<std::uint32_t>& rows, const std::uint64_t* leaves,
              std::vector<std::uint8_t>& bought, Rest rest, double until) {
    if (states_.size() > limit_) states_.clear();
    Found best{{}, infinite, 0};
    const auto consider = [&](Mode mode) {
      PolicyTree tree = build(rows, leaves, bought, rest, until, mode);
      const std::int64_t value = splits_.value_of(tree);
      if (best.tree.size() > 0 && value >= best.value) return;
      best.value = value;
      best.tree = std::move(tree);
    };
    const Place place{rows, leaves, purchases_of(bought), rest};
    bool closed = problem_.class_of(leaves) >= 0;
    const auto search = [&](double deadline) {
      const std::int32_t id = splits_.state_of(place);
      solve_until(deadline, place, id);
      best.bound = std::max(best.bound, states_[id].lower);
      closed = states_[id].closed();
    };
    if (!closed) search(clock_.passed() + 0.6 * (until - clock_.passed()));
    if (!closed) {
      for (const Mode mode : {Mode::path, Mode::greedy, Mode::search}) consider(mode);
      if (best.bound < best.value) search(until);
    }
    if (closed) consider(Mode::closed);
    return best;
  }

  [[nodiscard]] std::int64_t missed() const { return splits_.missed(); }
  [[nodiscard]] std::size_t n_states() const { return std::max(n_states_, states_.size()); }

 private:
  enum class Mode { path, greedy, search, closed };

  [[nodiscard]] Purchases purchases_of(const std::vector<std::uint8_t>& bought) const {
    Purchases out = 0;
    for (std::size_t p = 0; p < bought.size(); ++p) out |= bought[p] != 0 ? splits_.bit(p) : 0;
    return out;
  }

  Level& level(std::size_t depth) {
    while (levels_.size() <= depth) levels_.emplace_back();
    return levels_[depth];
  }

  bool out_of_time(std::size_t rows) {
    n_seen_ += rows;
    if (n_seen_ >= 4096) {
      n_seen_ = 0;
      clock_.poll(states_.size());
      if (clock_.passed() > deadline_) stopped_ = true;
    }
    if (states_.size() > limit_) stopped_ = true;
    return stopped_;
  }

  void solve_until(double deadline, const Place& place, std::int32_t id) {
    deadline_ = deadline;
    stopped_ = false;
    solve(0, place, id, infinite);
    n_states_ = std::max(n_states_, states_.size());
  }

  /// The purchase with the lowest bound, which is brought up to date, and the bound of the next.
  /// Bounds only rise, so those of the others may be old.
  std::pair<Candidate, std::int64_t> lowest(std::int32_t id, std::int64_t weight) {
    const std::span<Candidate> all = states_.candidates(id);
    Candidate none{infinite, -1, 0, 0};
    while (true) {
      Candidate* first = &none;
      std::int64_t second = infinite;
      for (Candidate& one : all) {
        if (one.bound < first->bound) {
          second = first->bound;
          first = &one;
        } else {
          second = std::min(second, one.bound);
        }
      }
      if (first == &none) return {none, infinite};
      first->bound = splits_.total(*first, weight);
      if (first->bound <= second) return {*first, second};
    }
  }

  /// Closes a state, or raises its lower bound to the allowance, unless it is stopped: follows the
  /// purchase with the lowest bound, until another one has it.
  void solve(std::size_t depth, const Place& place, std::int32_t id, std::int64_t allowance) {
    if (out_of_time(place.rows.size())) return;
    splits_.look(level(depth), place, id);
    const std::int64_t weight = splits_.weight_of(place.rows);
    while (true) {
      const auto [candidate, second] = lowest(id, weight);
      State& state = states_[id];
      state.lower = std::max(state.lower, candidate.bound);
      bool closed = true;
      for (const std::int32_t child : states_.children(candidate)) {
        closed = closed && states_[child].closed();
      }
      if (closed) {
        state.upper = state.lower;
        state.purchase = candidate.purchase;
        return;
      }
      if (candidate.bound >= allowance || stopped_) return;
      const std::int64_t beyond = second + 1 + candidate.bound / 512;
      follow(depth, place, candidate, weight, std::min(allowance, beyond));
    }
  }

  /// Closes all states that a purchase leads to, or raises its bound.
  void follow(std::size_t depth, const Place& place, const Candidate& candidate,
              std::int64_t weight, std::int64_t enough) {
    Level& here = level(depth);
    const auto p = static_cast<std::size_t>(candidate.purchase);
    splits_.split(here, place, p);
    while (!stopped_) {
      const std::int64_t sum = splits_.total(candidate, weight);
      if (sum >= enough) return;
      const std::span<const std::int32_t> children = states_.children(candidate);
      std::size_t next = 0;
      while (next < children.size() && states_[children[next]].closed()) ++next;
      if (next == children.size()) return;
      const std::int32_t child = children[next];
      const std::int64_t most =
          problem_.worst ? enough - problem_.cost[p] : enough - (sum - states_[child].lower);
      solve(depth + 1, splits_.place_of(here, next, place, p), child, most);
    }
  }

  /// The purchase that looks best in a state which was not closed: what open states cost is taken
  /// to be a sixteenth more than is proven, so that purchases which leave less open go first.
  std::int32_t guess(std::int32_t id, std::int64_t weight) {
    std::int64_t least = infinite;
    std::int32_t chosen = -1;
    for (const Candidate& one : states_.candidates(id)) {
      std::int64_t sum = splits_.total(one, weight), most = 0;
      for (const std::int32_t child : states_.children(one)) {
        if (states_[child].closed()) continue;
        const std::int64_t more = states_[child].lower % splits_.missed() / 16;
        sum += problem_.worst ? 0 : more;
        most = std::max(most, more);
      }
      sum += problem_.worst ? most : 0;
      if (sum < least) least = sum, chosen = one.purchase;
    }
    return chosen;
  }

  /// The purchase with which the policy goes on: what the search found. Where it has not finished,
  /// a search of what is left with a share of the time, and then a guess.
  std::int32_t next(const Situation& here, double until, Mode mode, double& left) {
    if (mode == Mode::search) {
      if (clock_.passed() > until) return next_on_path(problem_, here.rows.front(), here.bought);
      if (states_.size() > limit_) states_.clear();
    }
    const Place place{here.rows, here.leaves, purchases_of(here.bought), here.rest};
    const std::int32_t id = splits_.state_of(place);
    if (states_[id].closed()) return states_[id].purchase;
    const auto weight = static_cast<double>(splits_.weight_of(here.rows));
    const double now = clock_.passed();
    solve_until(now + 0.5 * std::min(1.0, weight / left) * (until - now), place, id);
    if (states_[id].closed()) {
      left -= weight;
      return states_[id].purchase;
    }
    splits_.look(level(0), place, id);
    return guess(id, splits_.weight_of(here.rows));
  }

  /// Writes a policy down.
  PolicyTree build(std::vector<std::uint32_t> rows, const std::uint64_t* leaves,
                   std::vector<std::uint8_t>& bought, Rest rest, double until, Mode mode) {
    PolicyTree out;
    auto left = static_cast<double>(splits_.weight_of(rows));
    const auto choose = [&](const Situation& here) -> std::int32_t {
      if ((++n_steps_ & 127U) == 0) clock_.poll(states_.size());
      if (mode == Mode::path) return next_on_path(problem_, here.rows.front(), here.bought);
      if (mode == Mode::search || mode == Mode::closed) return next(here, until, mode, left);
      for (const std::size_t p : by_cost_) {
        if (here.bought[p] == 0) return static_cast<std::int32_t>(p);
      }
      return -1;
    };
    const std::size_t n = rows.size();
    unfold(problem_, out, -1, -1, rows, 0, n, leaves, bought, rest, true, choose);
    out.sum_up(problem_.cost);
    return out;
  }

  const Acquisition& problem_;
  std::size_t limit_;
  const Clock& clock_;
  Splits splits_;
  States& states_;
  std::vector<std::size_t> by_cost_;
  std::deque<Level> levels_;
  std::size_t n_states_ = 0, n_steps_ = 0, n_seen_ = 0;
  double deadline_ = 0;
  bool stopped_ = false;
};

std::vector<std::uint32_t> all_rows(const Acquisition& problem) {
  std::vector<std::uint32_t> rows(problem.n_rows());
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

}  // namespace

Cheapest cheapest_policy(const Acquisition& problem, std::size_t limit, const Clock& clock) {
  Search search(problem, limit, clock);
  Cheapest out;
  std::vector<std::uint32_t> rows = all_rows(problem);
  std::vector<std::uint8_t> bought(problem.n_purchases, 0);
  const Rest rest{problem.budget, problem.questions};
  std::int64_t bound = 0, bound_missed = 0, value = 0;
  const auto add = [&](const Search::Found& part, std::int32_t from, std::int32_t how) {
    out.tree.append(part.tree, from, how);
    bound_missed += part.bound / search.missed();
    const std::int64_t cost = part.bound % search.missed();
    bound = problem.worst ? std::max(bound, cost) : bound + cost;
    value += part.value - part.bound;
  };
  if (problem.free < 0 || problem.class_of(problem.start.data()) >= 0) {
    add(search.found(rows, problem.start.data(), bought, rest, clock.limit), -1, -1);
  } else {
    const auto p = static_cast<std::size_t>(problem.free);
    problem.sort_by_outcome(rows, p);
    out.tree.add(-1, -1);
    out.tree.purchase[0] = problem.free;
    bought[p] = 1;
    std::vector<std::uint64_t> leaves(problem.n_words);
    std::int64_t left =
        std::accumulate(problem.weight.begin(), problem.weight.end(), std::int64_t{0});
    out.tree.weight[0] = left;
    for (std::size_t i = 0; i < rows.size();) {
      const std::int32_t which = problem.outcome_of(rows[i], p);
      std::vector<std::uint32_t> own;
      std::int64_t weight = 0;
      for (; i < rows.size() && problem.outcome_of(rows[i], p) == which; ++i) {
        own.push_back(rows[i]);
        weight += problem.weight[rows[i]];
      }
      const std::uint64_t* mask = problem.mask(p, which);
      for (std::size_t w = 0; w < leaves.size(); ++w) leaves[w] = problem.start[w] & mask[w];
      const double now = clock.passed();
      const double share = static_cast<double>(weight) / static_cast<double>(left);
      add(search.found(own, leaves.data(), bought, rest, now + share * (clock.limit - now)), 0,
          which);
      left -= weight;
    }
  }
  out.tree.sum_up(problem.cost);
  out.bound = bound;
  out.bound_missed = bound_missed;
  out.proven = value == 0;
  out.n_states = search.n_states();
  return out;
}

std::pair<std::int64_t, std::int64_t> least_cost(const Acquisition& problem) {
  RowCosts costs(problem);
  std::int64_t bound = 0, missed = 0;
  std::vector<std::uint64_t> leaves(problem.n_words);
  for (std::uint32_t row = 0; row < problem.n_rows(); ++row) {
    std::copy(problem.start.begin(), problem.start.end(), leaves.begin());
    if (problem.free >= 0) {
      const std::uint64_t* mask = problem.mask_of(row, static_cast<std::size_t>(problem.free));
      for (std::size_t w = 0; w < leaves.size(); ++w) leaves[w] &= mask[w];
    }
    if (problem.class_of(leaves.data()) >= 0) continue;
    const RowCosts::Spent least =
        costs.at_least(row, leaves.data(), {problem.budget, problem.questions});
    if (least.missed) {
      missed += problem.weight[row];
    } else {
      bound =
          problem.worst ? std::max(bound, least.cost) : bound + problem.weight[row] * least.cost;
    }
  }
  return {bound, missed};
}

}  // namespace orderless::acquisition
