#include "core/acquisition/bound.hpp"

#include <algorithm>
#include <bit>

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

namespace {

constexpr std::size_t most_sets = std::size_t{1} << 24;  // 128 MB

std::size_t lowest(Purchases some) { return static_cast<std::size_t>(std::countr_zero(some)); }

}  // namespace

Certificates::Certificates(const Acquisition& problem, RowCosts& costs, const PollFunction& poll)
    : problem_(problem), by_cost_(problem.by_cost()), bit_(problem.n_purchases, 0) {
  if (problem.n_purchases > 64) return;
  for (std::size_t k = 0; k < by_cost_.size(); ++k) {
    cost_.push_back(problem.cost[by_cost_[k]]);
    bit_[by_cost_[k]] = Purchases{1} << k;
  }
  price_.resize(cost_.size());
  rows_.reserve(problem.n_rows());
  for (std::uint32_t row = 0; row < problem.n_rows(); ++row) {
    if (row % 1024 == 1023) poll(row);
    const std::size_t begin = ends_.size();
    costs.for_each_end(row, problem.start.data(), [&](const std::vector<std::uint64_t>& outside) {
      add_end(row, outside);
      return sets_.size() > most_sets;
    });
    rows_.push_back({begin, ends_.size()});
    if (sets_.size() <= most_sets) continue;
    rows_.clear();
    return;
  }
}

void Certificates::add_end(std::uint32_t row, std::span<const std::uint64_t> outside) {
  std::vector<Purchases>& excluding = stack_;
  excluding.assign(64 * outside.size(), 0);
  for (std::size_t p = 0; p < problem_.n_purchases; ++p) {
    const std::uint64_t* mask = problem_.mask_of(row, p);
    for (std::size_t w = 0; w < outside.size(); ++w) {
      for (std::uint64_t gone = outside[w] & ~mask[w]; gone != 0; gone &= gone - 1) {
        excluding[64 * w + lowest(gone)] |= bit_[p];
      }
    }
  }
  std::size_t n = 0;
  for (std::size_t w = 0; w < outside.size(); ++w) {
    for (std::uint64_t leaves = outside[w]; leaves != 0; leaves &= leaves - 1) {
      excluding[n++] = excluding[64 * w + lowest(leaves)];
    }
  }
  excluding.resize(n);
  std::sort(excluding.begin(), excluding.end(), [](Purchases a, Purchases b) {
    const int left = std::popcount(a), right = std::popcount(b);
    return left != right ? left < right : a < b;
  });
  const std::size_t begin = sets_.size();
  for (const Purchases set : excluding) {
    bool holds = false;
    for (std::size_t i = begin; i < sets_.size() && !holds; ++i) holds = (sets_[i] & ~set) == 0;
    if (!holds) sets_.push_back(set);
  }
  // Sets whose cheapest purchase is the dearest pay first.
  std::stable_sort(sets_.begin() + static_cast<std::ptrdiff_t>(begin), sets_.end(),
                   [](Purchases a, Purchases b) { return lowest(a) > lowest(b); });
  ends_.push_back({begin, sets_.size()});
}

std::size_t Certificates::cheapest_of(Purchases some) const { return by_cost_[lowest(some)]; }

Certificate Certificates::cheapest(std::uint32_t row, Purchases bought) {
  best_ = {};
  floor_ = 0;
  improve(row, bought);
  best_.useful = useful(row, bought);
  return best_;
}

Purchases Certificates::useful(std::uint32_t row, Purchases bought) const {
  Purchases out = 0;
  for (std::size_t e = rows_[row].begin; e < rows_[row].end; ++e) {
    for (std::size_t i = ends_[e].begin; i < ends_[e].end; ++i) {
      if ((sets_[i] & bought) == 0) out |= sets_[i];
    }
  }
  return out;
}

Certificate Certificates::after(std::uint32_t row, const Certificate& before, Purchases bought,
                                std::size_t purchase) {
  const Purchases one = bit_[purchase];
  if ((before.useful & one) == 0) return before;
  const std::int64_t rest = before.cost - problem_.cost[purchase];
  if ((before.purchases & one) != 0) return {rest, before.purchases ^ one, 0};
  best_ = before;
  floor_ = rest;
  improve(row, bought | one);
  return best_;
}

bool Certificates::asks_more_than(std::int64_t questions, std::uint32_t row,
                                  Purchases bought) const {
  for (std::size_t e = rows_[row].begin; e < rows_[row].end; ++e) {
    std::int64_t count = 0;
    Purchases met = bought;
    for (std::size_t i = ends_[e].begin; i < ends_[e].end; ++i) {
      if ((sets_[i] & met) != 0) continue;
      met |= sets_[i];
      ++count;
    }
    if (count <= questions) return false;
  }
  return true;
}

void Certificates::improve(std::uint32_t row, Purchases bought) {
  for (std::size_t e = rows_[row].begin; e < rows_[row].end && best_.cost > floor_; ++e) {
    stack_.clear();
    for (std::size_t i = ends_[e].begin; i < ends_[e].end; ++i) {
      if ((sets_[i] & bought) == 0) stack_.push_back(sets_[i]);
    }
    search(0, 0, 0);
  }
}

std::int64_t Certificates::ascend(std::size_t begin, std::int64_t enough) {
  std::copy(cost_.begin(), cost_.end(), price_.begin());
  std::int64_t sum = 0;
  for (std::size_t i = begin; i < stack_.size() && sum < enough; ++i) {
    if (stack_[i] == 0) return enough;
    std::int64_t pays = price_[lowest(stack_[i])];
    for (Purchases some = stack_[i] & (stack_[i] - 1); some != 0; some &= some - 1) {
      pays = std::min(pays, price_[lowest(some)]);
    }
    if (pays == 0) continue;
    sum += pays;
    for (Purchases some = stack_[i]; some != 0; some &= some - 1) price_[lowest(some)] -= pays;
  }
  return sum;
}

void Certificates::search(std::size_t begin, std::int64_t spent, Purchases chosen) {
  const std::size_t end = stack_.size();
  if (begin == end) {
    if (spent < best_.cost) best_.cost = spent, best_.purchases = chosen;
    return;
  }
  const std::int64_t least = spent + ascend(begin, best_.cost - spent);
  if (least >= best_.cost) return;
  // What is left of a price comes on top for whoever buys it.
  Purchases dear = 0;
  std::size_t branch = begin;
  for (std::size_t k = 0; k < cost_.size(); ++k) {
    if (price_[k] >= best_.cost - least) dear |= Purchases{1} << k;
  }
  for (std::size_t i = begin; i < end; ++i) {
    stack_[i] &= ~dear;
    if (std::popcount(stack_[i]) < std::popcount(stack_[branch])) branch = i;
  }
  Purchases tried = 0;
  for (Purchases some = stack_[branch]; some != 0 && best_.cost > floor_; some &= some - 1) {
    const Purchases one = some & (~some + 1);
    for (std::size_t i = begin; i < end; ++i) {
      if ((stack_[i] & one) == 0) stack_.push_back(stack_[i] & ~tried);
    }
    search(end, spent + cost_[lowest(one)], chosen | one);
    stack_.resize(end);
    tried |= one;
  }
}

}  // namespace orderless::acquisition
