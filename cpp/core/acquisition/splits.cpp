#include "core/acquisition/splits.hpp"

#include <algorithm>

#include "core/base/hash.hpp"

namespace orderless::acquisition {

Splits::Splits(const Acquisition& problem) : problem_(problem), costs_(problem) {
  std::int64_t all = 1, rows = 0;
  for (const std::int64_t cost : problem.cost) all += cost;
  for (const std::int64_t weight : problem.weight) rows += weight;
  // Whoever calls has seen to it that this, times the rows, is far from overflow.
  missed_ = problem.may_stop ? all * rows + 1 : Acquisition::unlimited;
  std::int64_t most = 0;
  for (std::size_t p = 0; p < problem.n_purchases; ++p) {
    most = std::max(most, problem.outcome_start[p + 1] - problem.outcome_start[p]);
  }
  count_.assign(static_cast<std::size_t>(most), 0);
  seen_.assign(count_.size(), 0);
}

std::int64_t Splits::bound(std::span<const std::uint32_t> rows, const std::uint64_t* leaves,
                           Rest rest) {
  std::int64_t sum = 0, most = 0, missed = 0;
  for (const std::uint32_t row : rows) {
    const RowCosts::Spent least = costs_.at_least(row, leaves, rest);
    const std::int64_t weight = problem_.weight[row];
    if (least.missed) {
      missed += weight;
    } else {
      sum += weight * least.cost;
      most = std::max(most, least.cost);
    }
  }
  return missed * (missed == 0 ? 0 : missed_) + (problem_.worst ? most : sum);
}

std::int64_t Splits::value_of(const PolicyTree& tree) const {
  const std::int64_t missed = tree.missed[0];
  return (missed == 0 ? 0 : missed * missed_) + (problem_.worst ? tree.worst[0] : tree.cost[0]);
}

std::int32_t Splits::state_of(std::span<const std::uint32_t> rows, const std::uint64_t* leaves,
                              Rest rest) {
  std::uint64_t key0 = 0, key1 = 0;
  for (const std::uint32_t row : rows) {
    key0 += scatter(2 * std::uint64_t{row});
    key1 += scatter(2 * std::uint64_t{row} + 1);
  }
  for (std::size_t w = 0; w < problem_.n_words; ++w) {
    key0 = scatter(key0 ^ leaves[w]);
    key1 = scatter(key1 + leaves[w]);
  }
  if (problem_.may_stop) {
    key0 = scatter(key0 ^ static_cast<std::uint64_t>(rest.budget));
    key1 = scatter(key1 + static_cast<std::uint64_t>(rest.budget));
    key0 = scatter(key0 ^ static_cast<std::uint64_t>(rest.questions));
    key1 = scatter(key1 + static_cast<std::uint64_t>(rest.questions));
  }
  const auto [id, fresh] = states.find(key0, key1);
  if (!fresh) return id;
  State& state = states[id];
  state.upper = Acquisition::unlimited;
  if (rows.size() == 1) {
    const RowCosts::Spent spent = costs_.exactly(rows[0], leaves, rest, state.purchase);
    const std::int64_t weight = problem_.weight[rows[0]];
    state.lower = spent.missed     ? weight * missed_
                  : problem_.worst ? spent.cost
                                   : weight * spent.cost;
    state.upper = state.lower;
  } else {
    state.lower = bound(rows, leaves, rest);
  }
  return id;
}

bool Splits::split(Level& level, std::span<const std::uint32_t> rows, const std::uint64_t* leaves,
                   Rest rest, std::size_t purchase) {
  const std::size_t words = problem_.n_words;
  order_.clear();
  for (const std::uint32_t row : rows) {
    const auto which = static_cast<std::size_t>(problem_.outcome_of(row, purchase));
    if (count_[which]++ == 0) order_.push_back(static_cast<std::int32_t>(which));
  }
  bool tells = order_.size() > 1;
  if (!tells) {
    const std::uint64_t* mask = problem_.mask(purchase, order_[0]);
    for (std::size_t w = 0; w < words; ++w) tells = tells || (leaves[w] & ~mask[w]) != 0;
    if (!tells) {
      count_[static_cast<std::size_t>(order_[0])] = 0;
      return false;
    }
  }
  std::sort(order_.begin(), order_.end());
  level.rows.resize(rows.size());
  level.children.clear();
  level.leaves.resize(order_.size() * words);
  std::size_t begin = 0;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const auto which = static_cast<std::size_t>(order_[i]);
    level.children.push_back({begin, begin + count_[which], -1, 0});
    seen_[which] = begin;
    begin += count_[which];
    count_[which] = 0;
    const std::uint64_t* mask = problem_.mask(purchase, order_[i]);
    for (std::size_t w = 0; w < words; ++w) level.leaves[i * words + w] = leaves[w] & mask[w];
  }
  for (const std::uint32_t row : rows) {
    level.rows[seen_[static_cast<std::size_t>(problem_.outcome_of(row, purchase))]++] = row;
  }
  for (std::size_t i = 0; i < level.children.size(); ++i) {
    Child& child = level.children[i];
    if (problem_.class_of(level.leaves.data() + i * words) >= 0) continue;
    child.state = state_of(rows_of(level, child), level.leaves.data() + i * words, rest);
    child.lower = states[child.state].lower;
  }
  return true;
}

std::int64_t Splits::total(const Level& level, std::int64_t price) const {
  std::int64_t sum = price, most = 0, missed = 0;
  for (const Child& child : level.children) {
    if (problem_.worst) {
      missed += child.lower / missed_;
      most = std::max(most, child.lower % missed_);
    } else {
      sum += child.lower;
    }
  }
  return sum + most + (missed == 0 ? 0 : missed * missed_);
}

std::int64_t Splits::weight_of(std::span<const std::uint32_t> rows) const {
  std::int64_t weight = 0;
  for (const std::uint32_t row : rows) weight += problem_.weight[row];
  return weight;
}

std::int64_t Splits::price(std::size_t purchase, std::int64_t weight) const {
  return problem_.worst ? problem_.cost[purchase] : problem_.cost[purchase] * weight;
}

void Splits::look(Level& level, std::span<const std::uint32_t> rows, const std::uint64_t* leaves,
                  Rest rest, std::int64_t weight) {
  level.candidates.clear();
  const bool unlimited =
      rest.budget == Acquisition::unlimited && rest.questions == Acquisition::unlimited;
  for (std::size_t p = 0; p < problem_.n_purchases; ++p) {
    const bool free = static_cast<std::int32_t>(p) == problem_.free;
    if (free || !rest.allows(problem_.cost[p])) continue;
    if (!split(level, rows, leaves, rest.after(problem_.cost[p]), p)) continue;
    level.candidates.push_back({total(level, price(p, weight)), static_cast<std::int32_t>(p)});
    if (problem_.cost[p] == 0 && unlimited) {  // knowing more for nothing is never worse
      level.candidates.assign(1, level.candidates.back());
      return;
    }
  }
  std::stable_sort(level.candidates.begin(), level.candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.bound < b.bound; });
}

}  // namespace orderless::acquisition
