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
        splits_(problem),
        states_(splits_.states) {}

  struct Part {
    PolicyTree tree;
    std::int64_t value, bound;
  };

  /// The best policy for some rows, from these leaves on.
  Part part(std::vector<std::uint32_t> rows, const std::uint64_t* leaves,
            std::vector<std::uint8_t>& bought, Rest rest, double until) {
    Part best{{}, 0, 0};
    if (problem_.class_of(leaves) >= 0) {
      best.tree = build(rows, leaves, bought, rest, until, Mode::look);
      return best;
    }
    best.tree = build(rows, leaves, bought, rest, until, Mode::look);
    best.value = splits_.value_of(best.tree);
    for (const Mode mode : {Mode::path, Mode::greedy}) {
      consider(best, build(rows, leaves, bought, rest, until, mode));
    }
    const std::int32_t id = splits_.state_of(rows, leaves, rest);
    deadline_ = clock_.passed() + 0.6 * (until - clock_.passed());
    stopped_ = false;
    std::int64_t lower = states_[id].lower;
    while (lower < best.value && !stopped_ && !states_[id].closed()) {
      const std::int64_t gap = best.value - lower;
      const std::int64_t allowance = lower + (gap > 8 ? (gap + 3) / 4 : gap);
      solve(0, rows, leaves, rest, id, allowance);
      lower = std::max(lower, states_[id].lower);
    }
    n_states_ = std::max(n_states_, states_.size());
    const bool closed = states_[id].closed();
    if (closed || stopped_) {
      consider(best, build(rows, leaves, bought, rest, until, Mode::solve));
    }
    best.bound = closed ? best.value : std::min(lower, best.value);
    return best;
  }

  [[nodiscard]] std::int64_t missed() const { return splits_.missed(); }
  [[nodiscard]] std::size_t n_states() const { return std::max(n_states_, states_.size()); }

 private:
  enum class Mode { look, path, greedy, solve };

  void consider(Part& best, PolicyTree tree) const {
    const std::int64_t value = splits_.value_of(tree);
    if (value < best.value) best.value = value, best.tree = std::move(tree);
  }

  Level& level(std::size_t depth) {
    while (levels_.size() <= depth) levels_.emplace_back();
    return levels_[depth];
  }

  bool out_of_time() {
    if ((++n_steps_ & 127U) == 0) {
      clock_.poll(states_.size());
      if (clock_.passed() > deadline_) stopped_ = true;
    }
    if (states_.size() > limit_) stopped_ = true;
    return stopped_;
  }

  /// Closes a state, or raises its lower bound to the allowance, unless it is stopped.
  void solve(std::size_t depth, std::span<const std::uint32_t> rows, const std::uint64_t* leaves,
             Rest rest, std::int32_t id, std::int64_t allowance) {
    if (out_of_time()) return;
    Level& here = level(depth);
    const std::int64_t weight = splits_.weight_of(rows);
    splits_.look(here, rows, leaves, rest, weight);
    const std::vector<Candidate> candidates = here.candidates;
    std::int64_t best = problem_.may_stop ? weight * splits_.missed() : infinite;
    std::int32_t chosen = -1;
    std::int64_t failed = infinite;  // the least that a purchase which was given up costs
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      const std::int64_t enough = std::min(allowance, best);
      if (candidates[c].bound >= enough) {
        failed = std::min(failed, candidates[c].bound);
        break;
      }
      const auto p = static_cast<std::size_t>(candidates[c].purchase);
      const std::int64_t own = splits_.price(p, weight);
      const Rest left = rest.after(problem_.cost[p]);
      splits_.split(here, rows, leaves, left, p);
      std::int64_t sum = splits_.total(here, own);
      for (std::size_t i = 0; i < here.children.size() && sum < enough; ++i) {
        Child& child = here.children[i];
        if (child.state < 0 || states_[child.state].closed()) continue;
        const std::int64_t most = problem_.worst ? enough - own : enough - (sum - child.lower);
        solve(depth + 1, splits_.rows_of(here, child), here.leaves.data() + i * problem_.n_words,
              left, child.state, most);
        child.lower = states_[child.state].lower;
        sum = splits_.total(here, own);
        if (stopped_) {
          std::int64_t least = std::min({failed, best, sum});
          if (c + 1 < candidates.size()) least = std::min(least, candidates[c + 1].bound);
          states_[id].lower = std::max(states_[id].lower, least);
          return;
        }
      }
      if (sum < enough) {
        best = sum;
        chosen = candidates[c].purchase;
      } else {
        failed = std::min(failed, sum);
      }
    }
    State& state = states_[id];
    if (best < allowance) {
      state.lower = state.upper = best;
      state.purchase = chosen;
    } else {
      state.lower = std::max(state.lower, std::min(failed, best));
    }
  }

  /// Writes a policy down. look: the purchase with the lowest bound; solve: what the search found,
  /// and where it has not finished, a search of what is left with a share of the time.
  PolicyTree build(std::vector<std::uint32_t> rows, const std::uint64_t* leaves,
                   std::vector<std::uint8_t>& bought, Rest rest, double until, Mode mode) {
    PolicyTree out;
    double left = static_cast<double>(splits_.weight_of(rows));
    const auto cheapest = [&](const Situation& here) {
      std::int32_t first = -1;
      for (std::size_t p = 0; p < problem_.n_purchases; ++p) {
        const bool better =
            first < 0 || problem_.cost[p] < problem_.cost[static_cast<std::size_t>(first)];
        if (here.bought[p] == 0 && better) first = static_cast<std::int32_t>(p);
      }
      return first;
    };
    const auto choose = [&](const Situation& here) -> std::int32_t {
      if ((++n_steps_ & 127U) == 0) clock_.poll(states_.size());
      if (mode == Mode::path) return next_on_path(problem_, here.rows.front(), here.bought);
      if (mode == Mode::greedy) return cheapest(here);
      if (clock_.passed() > until) return next_on_path(problem_, here.rows.front(), here.bought);
      if (states_.size() > limit_) states_.clear();
      std::int32_t id = splits_.state_of(here.rows, here.leaves, here.rest);
      const std::int64_t weight = splits_.weight_of(here.rows);
      if (mode == Mode::solve && !states_[id].closed()) {
        const double now = clock_.passed();
        const double share = std::min(1.0, static_cast<double>(weight) / left);
        if (until > now) {
          deadline_ = now + 0.5 * share * (until - now);
          stopped_ = false;
          solve(0, here.rows, here.leaves, here.rest, id, infinite);
          n_states_ = std::max(n_states_, states_.size());
        }
        if (states_[id].closed()) left -= static_cast<double>(weight);
      }
      if (states_[id].closed()) return states_[id].purchase;
      Level& scratch = level(0);
      splits_.look(scratch, here.rows, here.leaves, here.rest, weight);
      if (scratch.candidates.empty()) return -1;
      if (problem_.may_stop && scratch.candidates[0].bound >= weight * splits_.missed()) return -1;
      return scratch.candidates[0].purchase;
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
  std::deque<Level> levels_;
  std::size_t n_states_ = 0, n_steps_ = 0;
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
  const auto add = [&](const Search::Part& part, std::int32_t from, std::int32_t how) {
    out.tree.append(part.tree, from, how);
    bound_missed += part.bound / search.missed();
    const std::int64_t cost = part.bound % search.missed();
    bound = problem.worst ? std::max(bound, cost) : bound + cost;
    value += part.value - part.bound;
  };
  if (problem.free < 0 || problem.class_of(problem.start.data()) >= 0) {
    add(search.part(rows, problem.start.data(), bought, rest, clock.limit), -1, -1);
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
      add(search.part(own, leaves.data(), bought, rest, now + share * (clock.limit - now)), 0,
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
  Splits splits(problem);
  std::vector<std::uint32_t> rows = all_rows(problem);
  std::int64_t bound = 0, missed = 0;
  std::vector<std::uint64_t> leaves(problem.n_words);
  for (const std::uint32_t row : rows) {  // one by one: what is free is known
    std::copy(problem.start.begin(), problem.start.end(), leaves.begin());
    if (problem.free >= 0) {
      const std::uint64_t* mask = problem.mask_of(row, static_cast<std::size_t>(problem.free));
      for (std::size_t w = 0; w < leaves.size(); ++w) leaves[w] &= mask[w];
    }
    if (problem.class_of(leaves.data()) >= 0) continue;
    const std::int64_t own =
        splits.bound({&row, 1}, leaves.data(), {problem.budget, problem.questions});
    missed += own / splits.missed();
    const std::int64_t cost = own % splits.missed();
    bound = problem.worst ? std::max(bound, cost) : bound + cost;
  }
  return {bound, missed};
}

}  // namespace orderless::acquisition
