#include <algorithm>
#include <bit>

#include "core/reasons/row_search.hpp"

namespace orderless::reasons {

/// Branch and bound; leaves that have no way in common each need one of their own. Among equals the
/// first is found by asking again, feature by feature, for one that is wider.
RowSearch::Sides RowSearch::best(std::vector<Wide> costs, const PollFunction& poll) {
  const bool free = std::ranges::all_of(costs, [](const Wide& cost) { return cost == Wide(0); });
  Goal goal{std::move(costs), free};
  Sides found;
  Place place = begin();
  while (auto sides = next(place, &goal, poll)) {
    found = std::move(*sides);
    goal.below = value(found, goal.costs);
  }
  if (goal.below) ++goal.below->second;
  Must fixed;
  for (std::size_t k = 0; k < leaves_.n_features(); ++k) {
    for (const std::vector<Part>& outwards : directions(k)) {
      std::optional<Part> furthest;
      for (const Part& unit : outwards) {
        if (!leaves_.meet(k, found[k], unit)) {
          Must must = fixed;
          must.emplace_back(k, unit);
          Place again = begin(std::move(must));
          auto wider = next(again, &goal, poll);
          if (!wider) break;
          found = std::move(*wider);
        }
        furthest = unit;
      }
      if (furthest) fixed.emplace_back(k, *furthest);
    }
  }
  return found;
}

/// What a side can have beyond the row, as bins that follow each other outwards.
std::vector<std::vector<Part>> RowSearch::directions(std::size_t k) const {
  std::vector<std::vector<Part>> out;
  const Part& row = leaves_.own(k);
  const std::int32_t n = leaves_.n_bins(k);
  const Part missing = leaves_.interval(k, 1, 0, true);
  if (!leaves_.ordered(k) || !leaves_.some(k)) {
    for (std::int32_t b = 0; b < n; ++b) {
      if (!leaves_.meet(k, bin(k, b), row)) out.push_back({bin(k, b)});
    }
    if (leaves_.nan(k) && !row.nan) out.push_back({missing});
    return out;
  }
  out.resize(3);
  for (std::int32_t b = row.last + 1; b < n; ++b) out[0].push_back(bin(k, b));
  for (std::int32_t b = row.first - 1; b >= 0; --b) out[1].push_back(bin(k, b));
  if (leaves_.nan(k) && !row.nan) out[2].push_back(missing);
  return out;
}

std::vector<std::int32_t> RowSearch::rank(const Sides& sides) const {
  std::vector<std::int32_t> out{0};
  for (std::size_t k = 0; k < sides.size(); ++k) {
    const Part& side = sides[k];
    const Part& row = leaves_.own(k);
    out[0] += conditions(k, side);
    if (leaves_.ordered(k) && leaves_.some(k)) {  // how many bins outwards, on either end
      out.push_back(row.last - side.last);
      out.push_back(side.first - row.first);
      out.push_back(side.nan && !row.nan ? -1 : 0);
      continue;
    }
    for (const std::vector<Part>& unit : directions(k)) {
      out.push_back(leaves_.meet(k, side, unit[0]) ? -1 : 0);
    }
  }
  return out;
}

std::vector<std::uint16_t> RowSearch::write(const Sides& sides) const {
  std::vector<std::uint16_t> box(leaves_.row().size());
  for (std::size_t k = 0; k < sides.size(); ++k) leaves_.write(k, sides[k], box.data());
  return box;
}

RowSearch::Value RowSearch::value(const Sides& sides, const std::vector<Wide>& costs) const {
  Value out{0, 0};
  for (std::size_t k = 0; k < sides.size(); ++k) {
    if (sides[k] == leaves_.full(k)) continue;
    out.first += costs[k];
    out.second += conditions(k, sides[k]);
  }
  return out;
}

/// As BoxLayout::n_conditions counts.
std::int32_t RowSearch::conditions(std::size_t k, const Part& side) const {
  if (side == leaves_.full(k)) return 0;
  if (!leaves_.ordered(k) || side.first > side.last) return 1;
  return std::max((side.first > 0 ? 1 : 0) + (side.last < leaves_.n_bins(k) - 1 ? 1 : 0), 1);
}

/// A bound on the conditions of every side inside this one.
std::int32_t RowSearch::least(std::size_t k, const Part& side) const {
  const std::int32_t n = conditions(k, side);
  return leaves_.some(k) ? n : std::min(n, 1);  // "is missing" is shorter than two bounds
}

/// Whether no box inside is worth less than the goal's bound.
bool RowSearch::hopeless(const Place::State& state, const Goal& goal) {
  if (!goal.below) return false;
  Value least_value{0, 0};
  const bool done = no_bits(met_);
  for (std::size_t i = 0; i < state.cut.size(); ++i) {
    const std::size_t k = state.cut[i];
    least_value.first += goal.costs[k];
    least_value.second += done ? conditions(k, state.side[i]) : least(k, state.side[i]);
  }
  if (!done && !goal.free && least_value.first <= goal.below->first) {
    apart(state, true, [&](std::size_t leaf) {
      std::optional<Wide> cheapest;
      for (std::size_t k = 0; k < leaves_.n_features(); ++k) {
        if (!leaves_.misses_leaf(leaf, k)) continue;
        if (!cheapest || goal.costs[k] < *cheapest) cheapest = goal.costs[k];
      }
      if (cheapest) least_value.first += *cheapest;
    });
  }
  if (least_value.first == goal.below->first && least_value.second < goal.below->second) {
    apart(state, false, [&](std::size_t) { ++least_value.second; });
  }
  return least_value >= *goal.below;
}

/// Gives leaves that need new cuts, no two of them the same. `whole`: on new features; otherwise at
/// new ends.
template <class Use>
void RowSearch::apart(const Place::State& state, bool whole, Use&& use) {
  const std::size_t n = leaves_.n_words();
  Words open = met_;
  Words missed(n);
  const auto without = [&](std::size_t k, const Part& part) {  // those that have some of this
    leaves_.misses(k, part, missed.data());
    const std::uint64_t* all = leaves_.missed_by(k);
    for (std::size_t w = 0; w < n; ++w) open[w] &= ~(all[w] & ~missed[w]);
  };
  for (std::size_t i = 0; i < state.cut.size(); ++i) {
    const std::size_t k = state.cut[i];
    if (whole || one_end(k)) {
      without(k, leaves_.full(k));
      continue;
    }
    const Part& row = leaves_.own(k);
    const std::int32_t end = leaves_.n_bins(k) - 1;
    if (state.side[i].first > 0) without(k, leaves_.interval(k, 0, row.first - 1, false));
    if (state.side[i].last < end) without(k, leaves_.interval(k, row.last + 1, end, false));
  }
  Words near(n);
  for (std::size_t w = 0; w < n; ++w) {
    while (open[w] != 0) {
      const std::size_t leaf = w * 64 + static_cast<std::size_t>(std::countr_zero(open[w]));
      use(leaf);
      rivals(leaf, whole, near.data());
      for (std::size_t v = 0; v < n; ++v) open[v] &= ~near[v];
    }
  }
}

/// Whether a side is counted as one condition, or its ends cannot be counted one by one.
bool RowSearch::one_end(std::size_t k) const {
  return !leaves_.ordered(k) || leaves_.nan(k) || !leaves_.some(k);
}

/// The leaves that can be missed on a feature (or at an end) on which this one can.
void RowSearch::rivals(std::size_t leaf, bool whole, std::uint64_t* out) {
  const std::size_t n = leaves_.n_words();
  std::fill(out, out + n, 0);
  Words missed(n);
  for (std::size_t k = 0; k < leaves_.n_features(); ++k) {
    if (!leaves_.misses_leaf(leaf, k)) continue;
    Part part = leaves_.full(k);
    if (!whole && !one_end(k)) {
      const Part& row = leaves_.own(k);
      const bool above = leaves_.side_of(leaf, k).first > row.last;
      part = above ? leaves_.interval(k, row.last + 1, leaves_.n_bins(k) - 1, false)
                   : leaves_.interval(k, 0, row.first - 1, false);
    }
    leaves_.misses(k, part, missed.data());
    const std::uint64_t* all = leaves_.missed_by(k);
    for (std::size_t w = 0; w < n; ++w) out[w] |= all[w] & ~missed[w];
  }
}

// -- features --------------------------------------------------------------------------------

std::vector<std::int32_t> RowSearch::necessary() const {
  std::vector<std::int32_t> out;
  const std::size_t n = leaves_.n_words();
  Words once(n, 0), twice(n, 0);
  for (std::size_t k = 0; k < leaves_.n_features(); ++k) {
    const std::uint64_t* own = leaves_.missed_by(k);
    for (std::size_t w = 0; w < n; ++w) {
      twice[w] |= once[w] & own[w];
      once[w] |= own[w];
    }
  }
  for (std::size_t k = 0; k < leaves_.n_features(); ++k) {
    const std::uint64_t* own = leaves_.missed_by(k);
    bool alone_here = false;
    for (std::size_t w = 0; w < n; ++w) alone_here = alone_here || (own[w] & ~twice[w]) != 0;
    if (alone_here) out.push_back(static_cast<std::int32_t>(k));
  }
  return out;
}

std::vector<std::int32_t> RowSearch::relevant(const PollFunction& poll) {
  std::vector<std::int32_t> found = necessary();
  for (std::size_t k = 0; k < leaves_.n_features(); ++k) {
    const auto number = static_cast<std::int32_t>(k);
    if (std::ranges::find(found, number) != found.end()) continue;
    for (std::size_t leaf = 0; leaf < leaves_.n_others(); ++leaf) {
      if (!leaves_.misses_leaf(leaf, k) || !alone(k, leaf, poll)) continue;
      found.push_back(number);
      break;
    }
  }
  std::ranges::sort(found);
  return found;
}

/// Whether some reason misses a leaf on this feature and on no other.
bool RowSearch::alone(std::size_t k, std::size_t leaf, const PollFunction& poll) {
  const std::size_t n = leaves_.n_words();
  std::vector<std::size_t> away;
  Words missed(n, 0);
  for (std::size_t other = 0; other < leaves_.n_features(); ++other) {
    if (other != k && leaves_.misses_leaf(leaf, other)) {
      away.push_back(other);
      continue;
    }
    for (std::size_t w = 0; w < n; ++w) missed[w] |= leaves_.missed_by(other)[w];
  }
  std::vector<Words> rest(away.size() + 1, Words(n, 0));  // missed on those not widened yet
  for (std::size_t i = away.size(); i-- > 0;) {
    for (std::size_t w = 0; w < n; ++w) rest[i][w] = rest[i + 1][w] | leaves_.missed_by(away[i])[w];
  }
  const Words all = first_bits(leaves_.n_others());
  std::vector<std::pair<std::size_t, Words>> todo{{0, std::move(missed)}};
  Words own(n);
  while (!todo.empty()) {
    const auto [i, so_far] = std::move(todo.back());
    todo.pop_back();
    bool covers = true;
    for (std::size_t w = 0; w < n && covers; ++w) covers = (so_far[w] | rest[i][w]) == all[w];
    if (!covers) continue;
    if (i == away.size()) return true;
    poll(0);
    for (const Part& side : towards(away[i], leaf)) {
      leaves_.misses(away[i], side, own.data());
      Words more = so_far;
      for (std::size_t w = 0; w < n; ++w) more[w] |= own[w];
      todo.emplace_back(i + 1, std::move(more));
    }
  }
  return false;
}

/// The smallest sides around the row that meet a leaf.
std::vector<Part> RowSearch::towards(std::size_t k, std::size_t leaf) const {
  std::vector<Part> out;
  const Part& row = leaves_.own(k);
  const Part side = leaves_.side_of(leaf, k);
  if (!leaves_.ordered(k)) {
    each_bit(side.bits, [&](std::size_t b) {
      out.push_back(row);
      set_bit(out.back().bits, b);
    });
    return out;
  }
  if (!leaves_.some(k)) {
    for (std::int32_t b = side.first; b <= side.last; ++b) out.push_back(bin(k, b, row.nan));
    return out;
  }
  if (side.nan) out.push_back(leaves_.interval(k, row.first, row.last, true));
  if (side.first <= side.last) {
    const bool above = side.first > row.last;
    out.push_back(
        leaves_.interval(k, above ? row.first : side.last, above ? side.first : row.last, row.nan));
  }
  return out;
}

}  // namespace orderless::reasons
