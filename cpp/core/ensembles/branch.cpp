#include <algorithm>
#include <limits>

#include "core/ensembles/search.hpp"

namespace orderless::ensembles {

namespace {

/// The first bin of a side in the order of bins, and the last.
std::int32_t first_bin(const Side& side, const LocalFeature& own) {
  return side.low <= side.high ? side.low : own.width - 1;
}
std::int32_t last_bin(const Side& side, const LocalFeature& own) {
  return side.more != 0 ? own.width - 1 : side.high;
}

}  // namespace

/// Where cutting costs both halves most; where no cut costs anything, in the middle of the feature
/// with most bins.
Search::Cut Search::best_cut(const Level& level, std::size_t goal) {
  const std::int64_t slack = level.lists[goal].bound() - goals_[goal].target;
  regrets_.find(level.lists[goal], level.alive, words_);
  Cut best;
  for (std::size_t f = 0; f < local_.features().size(); ++f) {
    if (level.alive.n(f) < 2) continue;
    const LocalFeature& own = local_.features()[f];
    below_.assign(at(own.width) + 1, 0);
    above_.assign(at(own.width) + 1, 0);
    const Lists& lists = level.lists[goal];
    for (const Factor& factor : lists.factors()) {
      const auto features = lists.features(factor);
      const auto k = std::ranges::find(features, static_cast<std::uint16_t>(f));
      if (k == features.end()) continue;
      const auto place = static_cast<std::size_t>(k - features.begin());
      if (own.ordered) {
        cost_ordered(lists, factor, place, own);
      } else {
        cost_unordered(lists, factor, place, level.alive, own);
      }
    }
    own.ordered ? cut_ordered(level, f, slack, best) : cut_unordered(level, f, slack, best);
  }
  return best;
}

/// Below a cut the best leaf is the first, from the largest on, that begins there; above likewise.
void Search::cost_ordered(const Lists& lists, const Factor& factor, std::size_t k,
                          const LocalFeature& own) {
  const std::int64_t* values = lists.values(factor);
  std::int32_t least = own.width;
  std::int32_t most = -1;
  for (std::size_t i = 0; i < factor.n_leaves; ++i) {
    const Side& side = lists.sides(factor, i)[k];
    const std::int64_t regret = values[0] - values[i];
    const std::int32_t first = first_bin(side, own);
    const std::int32_t last = last_bin(side, own);
    if (first < least) {
      below_[at(first)] += regret;
      below_[at(least)] -= regret;
      least = first;
    }
    if (last > most) {
      above_[at(std::max(most, 0))] += regret;
      above_[at(last)] -= regret;
      most = last;
    }
    if (least == 0 && most == own.width - 1) break;
  }
}

void Search::cost_unordered(const Lists& lists, const Factor& factor, std::size_t k,
                            const Alive& alive, const LocalFeature& own) {
  const std::size_t f = lists.features(factor)[k];
  const std::int64_t* values = lists.values(factor);
  std::int32_t only = -1;
  for (std::size_t i = 0; i < factor.n_leaves; ++i) {
    const std::uint64_t* set = &words_[lists.sides(factor, i)[k].more];
    std::int32_t n = 0;
    std::int32_t last = -1;
    for (std::int32_t b = 0; b < own.width; ++b) {
      if (alive.has(f, b) && has_bit(set, at(b))) {
        ++n;
        last = b;
      }
    }
    if (n == 1 && (only < 0 || only == last)) {
      only = last;
      continue;
    }
    if (only >= 0) above_[at(only)] += values[0] - values[i];
    return;
  }
}

void Search::cut_ordered(const Level& level, std::size_t f, std::int64_t slack, Cut& best) {
  const LocalFeature& own = local_.features()[f];
  const std::int32_t n = level.alive.n(f);
  std::int64_t below = 0;
  std::int64_t above = 0;
  std::int32_t seen = 0;
  for (std::int32_t b = 0; b + 1 < own.width; ++b) {
    below += below_[at(b)];
    above += above_[at(b)];
    if (!level.alive.has(f, b)) continue;
    ++seen;
    if (seen == n) break;
    weigh({f, b, false, 0, below > above}, below, above, slack, std::min(seen, n - seen), best);
  }
}

void Search::cut_unordered(const Level& level, std::size_t f, std::int64_t slack, Cut& best) {
  for (std::int32_t b = 0; b < local_.features()[f].width; ++b) {
    if (!level.alive.has(f, b)) continue;
    const std::int64_t below = regrets_.of(f, b);
    const std::int64_t above = above_[at(b)];
    weigh({f, b, true, 0, below > above}, below, above, slack, 1, best);
  }
}

/// The product of what both halves cost, as shares of the slack; the sum, and the bins of the
/// smaller half, where that is 0.
void Search::weigh(Cut cut, std::int64_t below, std::int64_t above, std::int64_t slack,
                   std::int32_t bins, Cut& best) {
  const double most = static_cast<double>(slack) + 1;
  const double one = std::min(static_cast<double>(below) / most, 1.0);
  const double other = std::min(static_cast<double>(above) / most, 1.0);
  cut.gain = one * other + 1e-3 * (one + other) + 1e-9 * bins;
  if (cut.gain > best.gain) best = cut;
}

}  // namespace orderless::ensembles
