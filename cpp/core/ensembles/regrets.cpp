#include <algorithm>

#include "core/ensembles/lists.hpp"

namespace orderless::ensembles {

Regrets::Regrets(const Local& local)
    : local_(&local),
      regret_(local.n_bins() + local.features().size()),
      dead_(local.n_bins() + local.features().size()) {}

void Regrets::find(const Lists& lists, const Alive& alive, const Words& words) {
  std::ranges::fill(regret_, 0);
  std::ranges::fill(dead_, 0);
  for (const Factor& own : lists.factors()) {
    const auto features = lists.features(own);
    for (std::size_t k = 0; k < features.size(); ++k) {
      if (local_->features()[features[k]].ordered) {
        ordered(lists, own, k, alive);
      } else {
        unordered(lists, own, k, alive, words);
      }
    }
  }
  for (std::size_t f = 0; f < local_->features().size(); ++f) {
    if (!local_->features()[f].ordered) continue;
    const std::size_t first = place(f, 0);
    for (std::size_t b = 1; b < at(local_->features()[f].width); ++b) {
      regret_[first + b] += regret_[first + b - 1];
      dead_[first + b] += dead_[first + b - 1];
    }
  }
}

/// Where leaf after leaf first covers a part of the gaps, the best that meets that part is found.
/// What is added is written as steps: from a bin on, and behind another no more.
void Regrets::ordered(const Lists& lists, const Factor& own, std::size_t k, const Alive& alive) {
  const std::size_t f = lists.features(own)[k];
  const std::int32_t width = local_->features()[f].width;
  const std::int64_t* values = lists.values(own);
  gaps_.assign(1, {0, width - 1});
  for (std::size_t i = 0; i < own.n_leaves && !gaps_.empty(); ++i) {
    const Side& side = lists.sides(own, i)[k];
    const std::int64_t regret = values[0] - values[i];
    if (side.low <= side.high) cover(f, side.low, side.high, regret, alive);
    if (side.more != 0) cover(f, width - 1, width - 1, regret, alive);
  }
  for (const Gap& gap : gaps_) {
    ++dead_[place(f, gap.low)];
    --dead_[place(f, gap.high) + 1];
  }
}

void Regrets::cover(std::size_t f, std::int32_t low, std::int32_t high, std::int64_t regret,
                    const Alive& alive) {
  fewer_.clear();
  const auto keep = [&](std::int32_t a, std::int32_t b) {
    if (a <= b && alive.between(f, a, b) > 0) fewer_.push_back({a, b});
  };
  for (const Gap& gap : gaps_) {
    const std::int32_t a = std::max(gap.low, low);
    const std::int32_t b = std::min(gap.high, high);
    if (a > b) {
      fewer_.push_back(gap);
      continue;
    }
    if (regret != 0) {
      regret_[place(f, a)] += regret;
      regret_[place(f, b) + 1] -= regret;
    }
    keep(gap.low, a - 1);
    keep(b + 1, gap.high);
  }
  gaps_.swap(fewer_);
}

void Regrets::unordered(const Lists& lists, const Factor& own, std::size_t k, const Alive& alive,
                        const Words& words) {
  const std::size_t f = lists.features(own)[k];
  const LocalFeature& feature = local_->features()[f];
  const std::int64_t* values = lists.values(own);
  for (std::int32_t b = 0; b < feature.width; ++b) {
    if (!alive.has(f, b)) continue;
    std::size_t i = 0;
    while (i < own.n_leaves && !has_bit(&words[lists.sides(own, i)[k].more], at(b))) ++i;
    if (i == own.n_leaves) {
      dead_[place(f, b)] = 1;
    } else {
      regret_[place(f, b)] += values[0] - values[i];
    }
  }
}

}  // namespace orderless::ensembles
