#include "core/acquisition/splits.hpp"

#include <algorithm>
#include <bit>

#include "core/base/hash.hpp"

namespace orderless::acquisition {

Splits::Splits(const Acquisition& problem, const PollFunction& poll)
    : problem_(problem), costs_(problem), certificates_(problem, costs_, poll) {
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
  for (std::size_t i = 0; i < 2 * problem.n_rows(); ++i) keys_.push_back(scatter(i));
}

void Splits::add(Sum& sum, std::uint32_t row, RowCosts::Spent least) const {
  const std::int64_t weight = problem_.weight[row];
  if (least.missed) {
    sum.missed += weight;
  } else {
    sum.cost += weight * least.cost;
    sum.most = std::max(sum.most, least.cost);
  }
}

std::int64_t Splits::value_of(const Sum& sum) const {
  return (sum.missed == 0 ? 0 : sum.missed * missed_) + (problem_.worst ? sum.most : sum.cost);
}

std::int64_t Splits::value_of(const PolicyTree& tree) const {
  const std::int64_t missed = tree.missed[0];
  return (missed == 0 ? 0 : missed * missed_) + (problem_.worst ? tree.worst[0] : tree.cost[0]);
}

RowCosts::Spent Splits::spent(std::uint32_t row, const Certificate& certificate,
                              const Place& place) const {
  const std::int64_t cost = certificate.cost;
  if (cost == Acquisition::unlimited || cost > place.rest.budget) return {0, true};
  const bool asks_more = std::popcount(certificate.purchases) > place.rest.questions &&
                         certificates_.asks_more_than(place.rest.questions, row, place.bought);
  return {cost, asks_more};
}

template <class CertificateOf>
std::int32_t Splits::state_with(const Place& place, CertificateOf&& certificate_of) {
  std::uint64_t key0 = 0, key1 = 0;
  for (const std::uint32_t row : place.rows) {
    key0 += keys_[2 * row];
    key1 += keys_[2 * row + 1];
  }
  for (std::size_t w = 0; w < problem_.n_words; ++w) {
    key0 = scatter(key0 ^ place.leaves[w]);
    key1 = scatter(key1 + place.leaves[w]);
  }
  if (problem_.may_stop) {
    key0 = scatter(key0 ^ static_cast<std::uint64_t>(place.rest.budget));
    key1 = scatter(key1 + static_cast<std::uint64_t>(place.rest.budget));
    key0 = scatter(key0 ^ static_cast<std::uint64_t>(place.rest.questions));
    key1 = scatter(key1 + static_cast<std::uint64_t>(place.rest.questions));
  }
  const auto [id, fresh] = states.find(key0, key1);
  if (!fresh) return id;
  State& state = states[id];
  state.upper = Acquisition::unlimited;
  Sum sum;
  if (place.rows.size() > 1) {
    for (std::size_t i = 0; i < place.rows.size(); ++i) {
      const std::uint32_t row = place.rows[i];
      add(sum, row,
          certificates_.exist() ? spent(row, certificate_of(i), place)
                                : costs_.at_least(row, place.leaves, place.rest));
    }
    state.lower = value_of(sum);
    return id;
  }
  const std::uint32_t row = place.rows[0];
  const Certificate own = certificates_.exist() ? certificate_of(0) : Certificate{};
  if (own.purchases != 0 && std::popcount(own.purchases) <= place.rest.questions) {
    const RowCosts::Spent exact = spent(row, own, place);
    const Purchases useful = own.purchases & certificates_.useful(row, place.bought);
    if (!exact.missed) {
      state.purchase = static_cast<std::int32_t>(certificates_.cheapest_of(useful));
    }
    add(sum, row, exact);
  } else {
    add(sum, row, costs_.exactly(row, place.leaves, place.rest, state.purchase));
  }
  state.lower = state.upper = value_of(sum);
  return id;
}

std::int32_t Splits::state_of(const Place& place) {
  return state_with(
      place, [&](std::size_t i) { return certificates_.cheapest(place.rows[i], place.bought); });
}

std::int32_t Splits::state_after(const Place& place, std::size_t purchase,
                                 std::span<const std::uint32_t> from) {
  return state_with(place, [&](std::size_t i) {
    return certificates_.after(place.rows[i], certain_[from[i]], place.bought, purchase);
  });
}

bool Splits::split(Level& level, const Place& place, std::size_t purchase) {
  const std::size_t words = problem_.n_words;
  const std::span<const std::uint32_t> rows = place.rows;
  order_.clear();
  for (const std::uint32_t row : rows) {
    const auto which = static_cast<std::size_t>(problem_.outcome_of(row, purchase));
    if (count_[which]++ == 0) order_.push_back(static_cast<std::int32_t>(which));
  }
  bool tells = order_.size() > 1;
  if (!tells) {
    const std::uint64_t* mask = problem_.mask(purchase, order_[0]);
    for (std::size_t w = 0; w < words; ++w) tells = tells || (place.leaves[w] & ~mask[w]) != 0;
    if (!tells) {
      count_[static_cast<std::size_t>(order_[0])] = 0;
      return false;
    }
  }
  std::sort(order_.begin(), order_.end());
  level.rows.resize(rows.size());
  level.from.resize(rows.size());
  level.parts.clear();
  level.leaves.resize(order_.size() * words);
  std::size_t begin = 0;
  for (const std::int32_t outcome : order_) {
    const auto which = static_cast<std::size_t>(outcome);
    std::uint64_t* left = level.leaves.data() + level.parts.size() * words;
    const std::uint64_t* mask = problem_.mask(purchase, outcome);
    for (std::size_t w = 0; w < words; ++w) left[w] = place.leaves[w] & mask[w];
    seen_[which] = begin;
    if (problem_.class_of(left) < 0) level.parts.push_back({begin, begin + count_[which]});
    begin += count_[which];
    count_[which] = 0;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t to =
        seen_[static_cast<std::size_t>(problem_.outcome_of(rows[i], purchase))]++;
    level.rows[to] = rows[i];
    level.from[to] = static_cast<std::uint32_t>(i);
  }
  return true;
}

Place Splits::place_of(const Level& level, std::size_t part, const Place& before,
                       std::size_t purchase) const {
  const auto [begin, end] = level.parts[part];
  return {{level.rows.data() + begin, end - begin},
          level.leaves.data() + part * problem_.n_words,
          before.bought | certificates_.bit(purchase),
          before.rest.after(problem_.cost[purchase])};
}

std::int64_t Splits::total(const Candidate& candidate, std::int64_t weight) {
  if (candidate.purchase < 0) return candidate.bound;
  const std::int64_t price = problem_.cost[static_cast<std::size_t>(candidate.purchase)];
  std::int64_t sum = problem_.worst ? price : price * weight, most = 0, missed = 0;
  for (const std::int32_t child : states.children(candidate)) {
    const std::int64_t lower = states[child].lower;
    if (problem_.worst) {
      missed += lower / missed_;
      most = std::max(most, lower % missed_);
    } else {
      sum += lower;
    }
  }
  return sum + most + (missed == 0 ? 0 : missed * missed_);
}

std::int64_t Splits::weight_of(std::span<const std::uint32_t> rows) const {
  std::int64_t weight = 0;
  for (const std::uint32_t row : rows) weight += problem_.weight[row];
  return weight;
}

void Splits::look(Level& level, const Place& place, std::int32_t id) {
  if (states[id].candidates != 0) return;
  certain_.clear();
  if (certificates_.exist()) {
    for (const std::uint32_t row : place.rows) {
      certain_.push_back(certificates_.cheapest(row, place.bought));
    }
  }
  const bool unlimited =
      place.rest.budget == Acquisition::unlimited && place.rest.questions == Acquisition::unlimited;
  states.begin_candidates(id);
  if (problem_.may_stop) states.add_candidate(id, weight_of(place.rows) * missed_, -1);
  for (std::size_t p = 0; p < problem_.n_purchases; ++p) {
    const bool free = static_cast<std::int32_t>(p) == problem_.free;
    if (free || !place.rest.allows(problem_.cost[p]) || !split(level, place, p)) continue;
    const bool enough = problem_.cost[p] == 0 && unlimited;  // knowing more is never worse
    if (enough) states.begin_candidates(id);
    states.add_candidate(id, 0, static_cast<std::int32_t>(p));
    for (std::size_t i = 0; i < level.parts.size(); ++i) {
      const auto [begin, end] = level.parts[i];
      states.add_child(
          state_after(place_of(level, i, place, p), p, {level.from.data() + begin, end - begin}));
    }
    if (enough) return;
  }
}

}  // namespace orderless::acquisition
