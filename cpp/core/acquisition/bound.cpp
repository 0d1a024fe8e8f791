#include "core/acquisition/bound.hpp"

#include <algorithm>

namespace orderless::acquisition {

RowCosts::RowCosts(const Acquisition& problem)
    : problem_(problem),
      by_cost_(problem.by_cost()),
      ends_(problem.n_rows(), Range{0, 0}),
      left_(problem.n_words),
      some_(problem.n_words),
      outside_(problem.n_words),
      mask_(problem.n_purchases) {
  for (const std::size_t p : by_cost_) cost_.push_back(problem.cost[p]);
  std::vector<std::uint64_t> leaves(problem.n_words);
  for (std::uint32_t row = 0; row < problem.n_rows(); ++row) {
    std::copy(problem.start.begin(), problem.start.end(), leaves.begin());
    for (std::size_t p = 0; p < problem.n_purchases; ++p) {
      const std::uint64_t* mask = problem.mask_of(row, p);
      for (std::size_t w = 0; w < leaves.size(); ++w) leaves[w] &= mask[w];
    }
    ends_[row] = classes_of(leaves);
  }
}

RowCosts::Range RowCosts::classes_of(const std::vector<std::uint64_t>& leaves) const {
  const std::int32_t first = problem_.class_of(leaves.data());
  if (first < 0) return {0, 0};
  const std::size_t words = leaves.size(), n = problem_.classes.size() / words;
  const auto holds = [&](std::size_t c) {
    const std::uint64_t* own = problem_.classes.data() + c * words;
    for (std::size_t w = 0; w < words; ++w) {
      if ((leaves[w] & ~own[w]) != 0) return false;
    }
    return true;
  };
  auto end = static_cast<std::size_t>(first) + 1;
  while (end < n && holds(end)) ++end;
  return {static_cast<std::size_t>(first), end};
}

RowCosts::Spent RowCosts::bound(std::uint32_t row, std::vector<std::uint64_t>& left, Rest rest) {
  const std::size_t words = left.size(), n = by_cost_.size();
  for (std::size_t k = 0; k < n; ++k) mask_[k] = problem_.mask_of(row, by_cost_[k]);
  price_.assign(cost_.begin(), cost_.end());
  Spent out;
  std::int64_t count = 0;
  while (true) {
    std::uint64_t any = 0;
    for (const std::uint64_t word : left) any |= word;
    if (any == 0) break;
    std::copy(left.begin(), left.end(), some_.begin());
    std::size_t k = 0;
    for (; k < n; ++k) {
      any = 0;
      for (std::size_t w = 0; w < words; ++w) any |= some_[w] & mask_[k][w];
      if (any == 0) break;
      for (std::size_t w = 0; w < words; ++w) some_[w] &= mask_[k][w];
    }
    if (k == n) return {0, true};
    std::size_t word = 0;
    while (some_[word] == 0) ++word;
    const std::uint64_t bit = some_[word] & (~some_[word] + 1);
    std::int64_t pays = price_[k];
    bool alone = true;
    for (std::size_t j = k; j < n; ++j) {
      if ((mask_[j][word] & bit) != 0) continue;
      pays = std::min(pays, price_[j]);
      alone = alone && price_[j] == cost_[j];
    }
    out.cost += pays;
    count += alone && pays > 0 ? 1 : 0;
    for (; k < n; ++k) {
      if ((mask_[k][word] & bit) != 0) continue;
      price_[k] -= pays;
      if (price_[k] != 0) continue;
      for (std::size_t w = 0; w < words; ++w) left[w] &= mask_[k][w];
    }
  }
  out.missed = out.cost > rest.budget || count > rest.questions;
  return out;
}

RowCosts::Spent RowCosts::at_least(std::uint32_t row, const std::uint64_t* leaves, Rest rest) {
  Spent least{0, true};
  for_each_end(row, leaves, [&](const std::vector<std::uint64_t>& outside) {
    std::copy(outside.begin(), outside.end(), left_.begin());
    const Spent spent = bound(row, left_, rest);
    if (!spent.missed && (least.missed || spent.cost < least.cost)) least = spent;
    return !least.missed && least.cost == 0;
  });
  return least;
}

RowCosts::Spent RowCosts::exactly(std::uint32_t row, const std::uint64_t* leaves, Rest rest,
                                  std::int32_t& first) {
  if (levels_.empty()) levels_.resize(problem_.n_purchases + 1, left_);
  best_ = Acquisition::unlimited;
  best_first_ = -1;
  for_each_end(row, leaves, [&](const std::vector<std::uint64_t>& outside) {
    std::copy(outside.begin(), outside.end(), levels_[0].begin());
    search(row, 0, rest, 0, -1);
    return best_ == 0;
  });
  first = best_first_;
  return best_ < Acquisition::unlimited ? Spent{best_, false} : Spent{0, true};
}

void RowCosts::search(std::uint32_t row, std::size_t depth, Rest rest, std::int64_t spent,
                      std::int32_t first) {
  std::vector<std::uint64_t>& here = levels_[depth];
  std::copy(here.begin(), here.end(), left_.begin());
  const Spent least = bound(row, left_, rest);
  if (least.missed || spent + least.cost >= best_) return;
  // The leaf with the fewest purchases that exclude it: one of them must be made.
  std::size_t fewest = problem_.n_purchases + 1, word = here.size();
  std::uint64_t bit = 0;
  for (std::size_t w = 0; w < here.size(); ++w) {
    for (std::uint64_t rest_of = here[w]; rest_of != 0; rest_of &= rest_of - 1) {
      const std::uint64_t one = rest_of & (~rest_of + 1);
      std::size_t ways = 0;
      for (std::size_t p = 0; p < problem_.n_purchases && ways < fewest; ++p) {
        ways += (problem_.mask_of(row, p)[w] & one) == 0 ? 1 : 0;
      }
      if (ways < fewest) fewest = ways, word = w, bit = one;
    }
  }
  if (word == here.size()) {
    best_ = spent;
    best_first_ = first;
    return;
  }
  for (const std::size_t p : by_cost_) {
    const std::uint64_t* mask = problem_.mask_of(row, p);
    if ((mask[word] & bit) != 0 || !rest.allows(problem_.cost[p])) continue;
    for (std::size_t w = 0; w < here.size(); ++w) levels_[depth + 1][w] = here[w] & mask[w];
    search(row, depth + 1, rest.after(problem_.cost[p]), spent + problem_.cost[p],
           first < 0 ? static_cast<std::int32_t>(p) : first);
  }
}

}  // namespace orderless::acquisition
