#include "core/acquisition/problem.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/hash.hpp"

namespace orderless::acquisition {

std::int32_t Acquisition::class_of(const std::uint64_t* leaves) const {
  const std::size_t n_classes = classes.size() / n_words;
  std::size_t first = 0;
  while (first < n_words && leaves[first] == 0) ++first;
  if (first == n_words) return -1;
  const std::uint64_t bit = leaves[first] & (~leaves[first] + 1);
  for (std::size_t c = 0; c < n_classes; ++c) {
    const std::uint64_t* own = classes.data() + c * n_words;
    if ((own[first] & bit) == 0) continue;
    std::size_t w = first;
    while (w < n_words && (leaves[w] & ~own[w]) == 0) ++w;
    if (w == n_words) return static_cast<std::int32_t>(c);
  }
  return -1;
}

void Acquisition::sort_by_outcome(std::span<std::uint32_t> rows, std::size_t purchase) const {
  std::stable_sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
    return outcome_of(a, purchase) < outcome_of(b, purchase);
  });
}

std::vector<std::size_t> Acquisition::by_cost() const {
  std::vector<std::size_t> order(n_purchases);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return cost[a] < cost[b]; });
  return order;
}

std::int32_t PolicyTree::add(std::int32_t from, std::int32_t how) {
  purchase.push_back(-1);
  label.push_back(-1);
  parent.push_back(from);
  outcome.push_back(how);
  weight.push_back(0);
  cost.push_back(0);
  worst.push_back(0);
  missed.push_back(0);
  return static_cast<std::int32_t>(purchase.size()) - 1;
}

void PolicyTree::append(const PolicyTree& other, std::int32_t from, std::int32_t how) {
  const auto shift = static_cast<std::int32_t>(size());
  for (std::size_t i = 0; i < other.size(); ++i) {
    const std::int32_t up = other.parent[i];
    const std::int32_t node = add(up < 0 ? from : up + shift, up < 0 ? how : other.outcome[i]);
    const auto at = static_cast<std::size_t>(node);
    purchase[at] = other.purchase[i];
    label[at] = other.label[i];
    weight[at] = other.weight[i];
    if (purchase[at] < 0) missed[at] = other.missed[i];
  }
}

void PolicyTree::sum_up(std::span<const std::int64_t> costs) {
  for (std::size_t i = 0; i < size(); ++i) {
    cost[i] = worst[i] = 0;
    if (purchase[i] >= 0) missed[i] = 0;
  }
  for (std::size_t i = size(); i-- > 0;) {
    if (purchase[i] >= 0) {
      const std::int64_t price = costs[static_cast<std::size_t>(purchase[i])];
      cost[i] += price * weight[i];
      worst[i] += price;
    }
    if (parent[i] < 0) continue;
    const auto up = static_cast<std::size_t>(parent[i]);
    cost[up] += cost[i];
    worst[up] = std::max(worst[up], worst[i]);
    missed[up] += missed[i];
  }
}

std::int32_t next_on_path(const Acquisition& problem, std::uint32_t row,
                          const std::vector<std::uint8_t>& bought) {
  std::size_t node = 0;
  while (true) {
    const std::int32_t purchase = problem.node_purchase[node];
    if (purchase < 0) return -1;
    const auto p = static_cast<std::size_t>(purchase);
    if (bought[p] == 0) return purchase;
    const auto to = static_cast<std::size_t>(problem.next_start[node]) +
                    static_cast<std::size_t>(problem.outcome_of(row, p));
    node = static_cast<std::size_t>(problem.next[to]);
  }
}

PolicyTree fixed_policy(const Acquisition& problem, Fixed kind, bool stop,
                        const PollFunction& poll) {
  std::vector<std::size_t> order(problem.n_purchases);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (kind == Fixed::greedy) order = problem.by_cost();
  PolicyTree out;
  std::vector<std::uint32_t> rows(problem.n_rows());
  std::iota(rows.begin(), rows.end(), 0U);
  std::vector<std::uint8_t> bought(problem.n_purchases, 0);
  std::size_t met = 0;
  const auto choose = [&](const Situation& here) -> std::int32_t {
    if ((++met & 1023U) == 0) poll(met);
    if (problem.free >= 0 && here.bought[static_cast<std::size_t>(problem.free)] == 0) {
      return problem.free;
    }
    if (kind == Fixed::path) return next_on_path(problem, here.rows.front(), here.bought);
    for (const std::size_t p : order) {
      if (here.bought[p] == 0) return static_cast<std::int32_t>(p);
    }
    return -1;
  };
  unfold(problem, out, -1, -1, rows, 0, rows.size(), problem.start.data(), bought,
         Rest{problem.budget, problem.questions}, stop, choose);
  out.sum_up(problem.cost);
  return out;
}

namespace {

/// Random numbers that are the same on every machine.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(scatter(seed)) {}
  std::uint64_t next() { return scatter(state_++); }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  std::size_t below(std::size_t n) {
    return static_cast<std::size_t>(uniform() * static_cast<double>(n));
  }

 private:
  std::uint64_t state_;
};

class Learner {
 public:
  Learner(const Acquisition& problem, const LearningOptions& options)
      : problem_(problem), options_(options), n_(problem.n_purchases) {}

  void initialise() {
    std::vector<std::uint32_t> rows(problem_.n_rows());
    std::iota(rows.begin(), rows.end(), 0U);
    std::vector<std::int32_t> state(n_, -1);
    std::vector<std::uint8_t> bought(n_, 0);
    walk(rows, 0, rows.size(), state, bought);
  }

  void learn(const PollFunction& poll) {
    std::vector<double> upto(problem_.n_rows());
    double total = 0;
    for (std::size_t i = 0; i < upto.size(); ++i) {
      upto[i] = total += static_cast<double>(problem_.weight[i]);
    }
    Dice dice(options_.seed);
    for (std::size_t episode = 0; episode < options_.episodes; ++episode) {
      if ((episode & 255U) == 0) poll(episode);
      const auto place = std::upper_bound(upto.begin(), upto.end(), dice.uniform() * total);
      const auto row = static_cast<std::uint32_t>(
          std::min<std::ptrdiff_t>(place - upto.begin(), std::ssize(upto) - 1));
      run(row, dice);
    }
  }

  /// The best purchase that is left in a state of the table; -1 if it is not there.
  std::int32_t best(const std::vector<std::int32_t>& state, const Rest& rest) const {
    const auto found = place_.find(text(state));
    return found == place_.end() ? -1 : best_at(found->second, state, rest);
  }

  void give(Learned& out) {
    out.states = std::move(states_);
    out.values = std::move(values_);
  }

 private:
  static std::u32string text(const std::vector<std::int32_t>& state) {
    std::u32string key(state.size(), U'\0');
    for (std::size_t p = 0; p < state.size(); ++p) key[p] = static_cast<char32_t>(state[p] + 1);
    return key;
  }

  std::size_t place(const std::vector<std::int32_t>& state) {
    const auto [found, fresh] = place_.try_emplace(text(state), place_.size());
    if (fresh) {
      states_.insert(states_.end(), state.begin(), state.end());
      values_.resize(values_.size() + n_, 0.0);
    }
    return found->second;
  }

  std::int32_t best_at(std::size_t at, const std::vector<std::int32_t>& state,
                       const Rest& rest) const {
    std::int32_t chosen = -1;
    for (std::size_t p = 0; p < n_; ++p) {
      if (state[p] >= 0 || !rest.allows(problem_.cost[p])) continue;
      if (chosen < 0 ||
          values_[at * n_ + p] > values_[at * n_ + static_cast<std::size_t>(chosen)]) {
        chosen = static_cast<std::int32_t>(p);
      }
    }
    return chosen;
  }

  /// The paper's Algorithm 7, over purchases: a purchase that was made costs nothing again.
  double walk(std::vector<std::uint32_t>& rows, std::size_t begin, std::size_t end,
              std::vector<std::int32_t>& state, std::vector<std::uint8_t>& bought) {
    const bool free = problem_.free >= 0 && bought[static_cast<std::size_t>(problem_.free)] == 0;
    const std::int32_t purchase =
        free ? problem_.free : next_on_path(problem_, rows[begin], bought);
    if (purchase < 0) return options_.reward;
    const auto p = static_cast<std::size_t>(purchase);
    const std::size_t at = free ? 0 : place(state);
    problem_.sort_by_outcome(std::span(rows).subspan(begin, end - begin), p);
    double sum = 0, total = 0;
    bought[p] = 1;
    for (std::size_t i = begin; i < end;) {
      const std::int32_t which = problem_.outcome_of(rows[i], p);
      double share = 0;
      std::size_t j = i;
      for (; j < end && problem_.outcome_of(rows[j], p) == which; ++j) {
        share += static_cast<double>(problem_.weight[rows[j]]);
      }
      state[p] = which;
      sum += share * walk(rows, i, j, state, bought);
      total += share;
      i = j;
    }
    state[p] = -1;
    bought[p] = 0;
    const double value = sum / total - static_cast<double>(problem_.cost[p]);
    if (!free) values_[at * n_ + p] = value;
    return value;
  }

  void run(std::uint32_t row, Dice& dice) {
    std::vector<std::int32_t> state(n_, -1);
    std::vector<std::uint64_t> leaves(problem_.start.begin(), problem_.start.end());
    const auto buy = [&](std::size_t p) {
      state[p] = problem_.outcome_of(row, p);
      const std::uint64_t* mask = problem_.mask_of(row, p);
      for (std::size_t w = 0; w < leaves.size(); ++w) leaves[w] &= mask[w];
    };
    Rest rest{problem_.budget, problem_.questions};
    if (problem_.free >= 0) buy(static_cast<std::size_t>(problem_.free));
    std::vector<std::size_t> open;
    std::size_t at = place(state);
    while (problem_.class_of(leaves.data()) < 0) {
      std::int32_t chosen = best_at(at, state, rest);
      if (chosen < 0) return;  // nothing is affordable
      if (dice.uniform() < options_.exploration) {
        open.clear();
        for (std::size_t p = 0; p < n_; ++p) {
          if (state[p] < 0 && rest.allows(problem_.cost[p])) open.push_back(p);
        }
        chosen = static_cast<std::int32_t>(open[dice.below(open.size())]);
      }
      const auto p = static_cast<std::size_t>(chosen);
      buy(p);
      rest = rest.after(problem_.cost[p]);
      double target = -static_cast<double>(problem_.cost[p]);
      std::size_t to = at;
      if (problem_.class_of(leaves.data()) >= 0) {
        target += options_.reward;
      } else {
        to = place(state);
        const std::int32_t then = best_at(to, state, rest);
        if (then >= 0) target += options_.gamma * values_[to * n_ + static_cast<std::size_t>(then)];
      }
      double& value = values_[at * n_ + p];
      value += options_.alpha * (target - value);
      at = to;
    }
  }

  const Acquisition& problem_;
  const LearningOptions& options_;
  std::size_t n_;
  std::unordered_map<std::u32string, std::size_t> place_;
  std::vector<std::int32_t> states_;
  std::vector<double> values_;
};

}  // namespace

Learned learned_policy(const Acquisition& problem, const LearningOptions& options,
                       const PollFunction& poll) {
  Learner learner(problem, options);
  learner.initialise();
  learner.learn(poll);
  Learned out;
  std::vector<std::uint32_t> rows(problem.n_rows());
  std::iota(rows.begin(), rows.end(), 0U);
  std::vector<std::uint8_t> bought(problem.n_purchases, 0);
  std::vector<std::int32_t> state(problem.n_purchases);
  const auto choose = [&](const Situation& here) -> std::int32_t {
    if (problem.free >= 0 && here.bought[static_cast<std::size_t>(problem.free)] == 0) {
      return problem.free;
    }
    for (std::size_t p = 0; p < state.size(); ++p) {
      state[p] = here.bought[p] != 0 ? problem.outcome_of(here.rows.front(), p) : -1;
    }
    const std::int32_t chosen = learner.best(state, here.rest);
    return chosen >= 0 ? chosen : next_on_path(problem, here.rows.front(), here.bought);
  };
  unfold(problem, out.tree, -1, -1, rows, 0, rows.size(), problem.start.data(), bought,
         Rest{problem.budget, problem.questions}, true, choose);
  out.tree.sum_up(problem.cost);
  learner.give(out);
  return out;
}

}  // namespace orderless::acquisition
