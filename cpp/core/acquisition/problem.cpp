#include "core/acquisition/problem.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/acquisition/unfold.hpp"

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

}  // namespace orderless::acquisition
