#include "core/reasons/row_search.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

namespace orderless::reasons {

namespace {

constexpr std::size_t looked_at = 32;  // leaves among which the one with the fewest ways is taken

}  // namespace

const Part& RowSearch::side(const Place::State& state, std::size_t k) const {
  for (std::size_t i = 0; i < state.cut.size(); ++i) {
    if (state.cut[i] == k) return state.side[i];
  }
  return leaves_.full(k);
}

Part RowSearch::bin(std::size_t k, std::int32_t b, bool nan) const {
  if (leaves_.ordered(k)) return leaves_.interval(k, b, b, nan);
  Part out;
  out.bits.assign(leaves_.full(k).bits.size(), 0);
  set_bit(out.bits, at(b));
  return out;
}

RowSearch::Place RowSearch::begin(Must must) const {
  Place place;
  if (leaves_.possible().size() == 1) place.todo.push_back({{}, {}, std::move(must)});
  return place;
}

RowSearch::Sides RowSearch::any() {
  const std::size_t n = leaves_.n_words();
  const std::size_t n_features = leaves_.n_features();
  std::vector<Words> rest(n_features + 1, Words(n, 0));  // missed on those not widened yet
  for (std::size_t k = n_features; k-- > 0;) {
    for (std::size_t w = 0; w < n; ++w) rest[k][w] = rest[k + 1][w] | leaves_.missed_by(k)[w];
  }
  const Words all = first_bits(leaves_.n_others());
  Words so_far(n, 0), need(n), own(n);
  Sides found;
  for (std::size_t k = 0; k < n_features; ++k) {
    for (std::size_t w = 0; w < n; ++w) need[w] = all[w] & ~(so_far[w] | rest[k + 1][w]);
    found.push_back(widest(k, need));
    leaves_.misses(k, found[k], own.data());
    for (std::size_t w = 0; w < n; ++w) so_far[w] |= own[w];
  }
  return found;
}

/// The widest side around the row that misses some leaves, all of which the row misses here.
Part RowSearch::widest(std::size_t k, const Words& need) const {
  Part side = leaves_.full(k);
  const Part& row = leaves_.own(k);
  std::vector<std::pair<std::int32_t, std::int32_t>> taken;  // NaN alone: numbers to stay out of
  each_bit(need, [&](std::size_t leaf) {
    const Part away = leaves_.side_of(leaf, k);
    if (!leaves_.ordered(k)) {
      for (std::size_t w = 0; w < side.bits.size(); ++w) side.bits[w] &= ~away.bits[w];
      return;
    }
    side.nan = side.nan && !away.nan;
    if (away.first > away.last) return;
    if (!leaves_.some(k)) {
      taken.emplace_back(away.first, away.last);
    } else if (away.first > row.last) {
      side.last = std::min(side.last, away.first - 1);
    } else {
      side.first = std::max(side.first, away.last + 1);
    }
  });
  if (taken.empty()) return side;
  std::ranges::sort(taken);
  taken.emplace_back(leaves_.n_bins(k), leaves_.n_bins(k));
  Part gap = leaves_.interval(k, 1, 0, side.nan);  // the widest between them, the first of these
  std::int32_t from = 0;
  for (const auto& [first, last] : taken) {
    if (first - from > std::max(gap.last - gap.first + 1, 0)) {
      gap = leaves_.interval(k, from, first - 1, side.nan);
    }
    from = std::max(from, last + 1);
  }
  return gap;
}

std::optional<RowSearch::Sides> RowSearch::next(Place& place, const Goal* goal,
                                                const PollFunction& poll) {
  while (!place.todo.empty()) {
    const Place::State state = std::move(place.todo.back());
    place.todo.pop_back();
    leaves_.forget();
    if (!met(state) || (goal != nullptr && hopeless(state, *goal))) continue;
    if (no_bits(met_)) {
      Sides found;
      for (std::size_t k = 0; k < leaves_.n_features(); ++k) found.push_back(side(state, k));
      return found;
    }
    poll(n_looks_);
    std::vector<Way> chosen = fewest_ways(state);
    sort_ways(state, goal, chosen);
    push(place, state, chosen);
  }
  return std::nullopt;
}

/// The branches at a leaf are the ways to miss it: in each, one way is taken and all later ones are
/// ruled out, so no box comes twice.
void RowSearch::push(Place& place, const Place::State& state, const std::vector<Way>& ways) const {
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const std::size_t k = ways[i].k;
    Part left = leaves_.both(k, side(state, k), ways[i].keep);
    Place::State child{state.cut, state.side, state.must};
    for (std::size_t j = i + 1; j < ways.size(); ++j) {
      const std::size_t other = ways[j].k;  // what it keeps is ruled out: some of the rest is there
      Part rest = leaves_.full(other);
      if (!leaves_.ordered(other)) {
        for (std::size_t w = 0; w < rest.bits.size(); ++w) rest.bits[w] &= ~ways[j].keep.bits[w];
      } else {
        const Part& keep = ways[j].keep;
        const bool nan = rest.nan && !keep.nan;
        const bool low = keep.first > 0;  // an interval, so that only one end is cut off
        rest = keep.first > keep.last ? leaves_.interval(other, 0, rest.last, nan)
               : low                  ? leaves_.interval(other, 0, keep.first - 1, nan)
                                      : leaves_.interval(other, keep.last + 1, rest.last, nan);
      }
      child.must.emplace_back(other, std::move(rest));
    }
    const bool possible = std::ranges::all_of(child.must, [&](const auto& must) {
      return must.first != k || leaves_.meet(k, left, must.second);
    });
    if (!possible) continue;
    const auto place_of = std::ranges::find(child.cut, k);
    if (place_of == child.cut.end()) {
      child.cut.push_back(k);
      child.side.push_back(std::move(left));
    } else {
      child.side[static_cast<std::size_t>(place_of - child.cut.begin())] = std::move(left);
    }
    place.todo.push_back(std::move(child));
  }
}

/// Finds the leaves that a box still meets; false if no maximal box is inside.
bool RowSearch::met(const Place::State& state) {
  ++n_looks_;
  const std::size_t n = leaves_.n_words();
  missed_.resize(state.cut.size() * n);
  once_.assign(n, 0);
  twice_.assign(n, 0);
  for (std::size_t i = 0; i < state.cut.size(); ++i) {
    std::uint64_t* own = missed_.data() + i * n;
    leaves_.misses(state.cut[i], state.side[i], own);
    for (std::size_t w = 0; w < n; ++w) {
      twice_[w] |= once_[w] & own[w];
      once_[w] |= own[w];
    }
  }
  met_ = first_bits(leaves_.n_others());
  for (std::size_t w = 0; w < n; ++w) met_[w] &= ~once_[w];
  only_.resize(n);
  for (std::size_t i = 0; i < state.cut.size(); ++i) {
    const std::uint64_t* own = missed_.data() + i * n;
    for (std::size_t w = 0; w < n; ++w) only_[w] = (own[w] & ~twice_[w]) | met_[w];
    if (!zones_touched(state.cut[i], state.side[i], only_.data())) return false;
  }
  return true;
}

bool RowSearch::touched(std::size_t k, const Part& zone, const std::uint64_t* only) {
  some_.resize(leaves_.n_words());
  leaves_.misses(k, zone, some_.data());
  const std::uint64_t* all = leaves_.missed_by(k);
  for (std::size_t w = 0; w < some_.size(); ++w) {
    if ((only[w] & all[w] & ~some_[w]) != 0) return true;
  }
  return false;
}

/// Whether each of the parts beyond a side is touched by one of these leaves: that is what makes a
/// box maximal. A box that still shrinks may end anywhere between the row and the first bin beyond
/// its end, so that whole stretch is one part; when no leaf is met any more, only its last bin can
/// be touched, and the test is exact.
bool RowSearch::zones_touched(std::size_t k, const Part& side, const std::uint64_t* only) {
  const std::int32_t n = leaves_.n_bins(k);
  if (leaves_.nan(k) && !side.nan && !touched(k, leaves_.interval(k, 1, 0, true), only)) {
    return false;
  }
  const bool numbers = side.first <= side.last;
  if (!leaves_.ordered(k) || !numbers) {
    for (std::int32_t b = 0; b < n; ++b) {
      const bool inside = !leaves_.ordered(k) && has_bit(side.bits, at(b));
      if (!inside && !touched(k, bin(k, b), only)) return false;
    }
    return true;
  }
  const Part& row = leaves_.own(k);
  const std::int32_t row_first = leaves_.some(k) ? row.first : side.last;
  const std::int32_t row_last = leaves_.some(k) ? row.last : side.first;
  if (side.last < n - 1 &&
      !touched(k, leaves_.interval(k, row_last + 1, side.last + 1, false), only)) {
    return false;
  }
  return side.first == 0 ||
         touched(k, leaves_.interval(k, side.first - 1, row_first - 1, false), only);
}

/// The ways in which a box around the row can miss a leaf.
std::vector<RowSearch::Way> RowSearch::ways(std::size_t leaf) const {
  std::vector<Way> out;
  for (std::size_t k = 0; k < leaves_.n_features(); ++k) {
    if (!leaves_.misses_leaf(leaf, k)) continue;
    Part keep = leaves_.full(k);
    const Part away = leaves_.side_of(leaf, k);
    if (!leaves_.ordered(k)) {
      for (std::size_t w = 0; w < keep.bits.size(); ++w) keep.bits[w] &= ~away.bits[w];
      out.push_back({k, std::move(keep)});
      continue;
    }
    const std::int32_t end = leaves_.n_bins(k) - 1;
    if (leaves_.some(k)) {
      const bool nan = keep.nan && !away.nan;
      const bool none = away.first > away.last;
      keep = none             ? leaves_.interval(k, 0, end, nan)
             : away.first > 0 ? leaves_.interval(k, 0, away.first - 1, nan)
                              : leaves_.interval(k, away.last + 1, end, nan);
      out.push_back({k, std::move(keep)});
      continue;
    }
    // NaN alone: stay below the leaf, or above it.
    if (away.first > 0) out.push_back({k, leaves_.interval(k, 0, away.first - 1, true)});
    if (away.last < end) out.push_back({k, leaves_.interval(k, away.last + 1, end, true)});
    if (away.first == 0 && away.last == end) out.push_back({k, leaves_.interval(k, 1, 0, true)});
  }
  return out;
}

/// The ways to miss a leaf that leaves few choices.
std::vector<RowSearch::Way> RowSearch::fewest_ways(const Place::State& state) const {
  std::vector<Way> fewest;
  bool first = true;
  std::size_t looks = 0;
  for (std::size_t w = 0; w < met_.size(); ++w) {
    for (std::uint64_t bits = met_[w]; bits != 0; bits &= bits - 1) {
      std::vector<Way> own = ways(w * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
      std::erase_if(own, [&](const Way& way) {
        const Part left = leaves_.both(way.k, side(state, way.k), way.keep);
        return std::ranges::any_of(state.must, [&](const auto& must) {
          return must.first == way.k && !leaves_.meet(way.k, left, must.second);
        });
      });
      if (first || own.size() < fewest.size()) fewest = std::move(own);
      first = false;
      if (fewest.size() < 2 || ++looks == looked_at) return fewest;
    }
  }
  return fewest;
}

/// Orders the ways: what comes last is tried first, and with nothing ruled out.
void RowSearch::sort_ways(const Place::State& state, const Goal* goal, std::vector<Way>& ways) {
  struct Promise {
    Wide cost;
    std::int32_t conditions;
    int missed;
    std::size_t at;
  };
  std::vector<Promise> promises;
  some_.resize(leaves_.n_words());
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const std::size_t k = ways[i].k;
    const Part& old = side(state, k);
    const Part left = leaves_.both(k, old, ways[i].keep);
    leaves_.misses(k, left, some_.data());
    Promise promise{0, 0, 0, i};
    for (std::size_t w = 0; w < some_.size(); ++w)
      promise.missed += std::popcount(met_[w] & some_[w]);
    if (goal != nullptr) {
      promise.cost = old == leaves_.full(k) ? goal->costs[k] : Wide(0);
      promise.conditions = least(k, old) - least(k, left);
    }
    promises.push_back(promise);
  }
  std::ranges::stable_sort(promises, [](const Promise& a, const Promise& b) {
    if (a.cost != b.cost) return a.cost > b.cost;
    return std::tie(a.conditions, a.missed) < std::tie(b.conditions, b.missed);
  });
  std::vector<Way> sorted;
  sorted.reserve(promises.size());
  for (const Promise& promise : promises) sorted.push_back(std::move(ways[promise.at]));
  ways = std::move(sorted);
}

}  // namespace orderless::reasons
