#include "core/ensembles/evaluate.hpp"

#include <vector>

namespace orderless::ensembles {

namespace {

/// The sum of one score over leaves, in numbers of type T.
template <class T>
double added(const Sum& sum, std::span<const std::int32_t> leaves, std::size_t s) {
  T total = sum.base_last() ? T{0} : static_cast<T>(sum.base(s));
  for (std::size_t t = 0; t < leaves.size(); ++t) {
    if (sum.score(t) >= 0 && at(sum.score(t)) != s) continue;
    total += static_cast<T>(sum.values(leaves[t])[s]);
  }
  if (sum.base_last()) total += static_cast<T>(sum.base(s));
  return static_cast<double>(total);
}

std::int64_t whole_sum(const Sum& sum, std::span<const std::int32_t> leaves, std::size_t s) {
  std::int64_t total = sum.whole_base(s);
  for (const std::int32_t leaf : leaves) total += sum.whole(leaf)[s];
  return total;
}

/// A sum as the library divides it, in its own precision: sums that differ can be equal then.
double divided(const Sum& sum, double total) {
  if (sum.single()) return static_cast<float>(total) / static_cast<float>(sum.divisor());
  return total / sum.divisor();
}

/// How many cuts the score is above; -1 if the library may not tell it from one of them.
std::int32_t cuts_below(const Sum& sum, std::span<const std::int32_t> leaves, double score) {
  std::int32_t n = 0;
  for (const double cut : sum.cuts()) n += score > cut ? 1 : 0;
  if (sum.window() > 0) {
    const std::int64_t own = whole_sum(sum, leaves, 0);
    const std::int64_t near = sum.whole_window() + sum.slack(0);
    for (const std::int64_t cut : sum.whole_cuts()) {
      if (own - near <= cut && own + near > cut) return -1;
    }
  }
  return n;
}

}  // namespace

std::int32_t largest(const Sum& sum, std::span<const double> sums) {
  std::size_t best = 0;
  for (std::size_t s = 1; s < sums.size(); ++s) {
    if (divided(sum, sums[s]) > divided(sum, sums[best])) best = s;
  }
  if (sum.window() > 0) {
    for (std::size_t s = 0; s < (sum.either() ? sums.size() : best); ++s) {
      if (s != best && sums[best] - sums[s] <= sum.window()) return -1;
    }
  }
  return static_cast<std::int32_t>(best);
}

std::int32_t replay_leaves(const Sum& sum, std::span<const std::int32_t> leaves,
                           std::span<double> sums) {
  for (std::size_t s = 0; s < sums.size(); ++s) {
    sums[s] = sum.single() ? added<float>(sum, leaves, s) : added<double>(sum, leaves, s);
  }
  switch (sum.rule()) {
    case Rule::largest:
      return largest(sum, sums);
    case Rule::cuts:
      return cuts_below(sum, leaves, sums[0]);
    case Rule::number:
      break;
  }
  return -1;
}

std::int32_t replay(const Sum& sum, std::span<const std::int32_t> cell, std::span<double> sums) {
  std::vector<std::int32_t> leaves(sum.n_trees());
  for (std::size_t t = 0; t < leaves.size(); ++t) leaves[t] = sum.leaf(t, cell);
  return replay_leaves(sum, leaves, sums);
}

}  // namespace orderless::ensembles
