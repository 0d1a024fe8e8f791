#include "core/bins/fragments.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <utility>

#include "core/base/field.hpp"
#include "core/base/hash.hpp"

namespace orderless {

namespace {

/// A fixed pseudo-random element of the field (splitmix64).
std::uint64_t element_of(std::uint64_t seed, std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = seed;
  for (const std::uint64_t part : {a, b}) {
    x = scatter(x + part * 0xd1342543de82ef95U);
  }
  return Field::reduce(x);
}

BinSide whole(const BinFeature& feature) {
  BinSide side;
  if (feature.ordered) {
    side.lo = 0;
    side.hi = feature.n_bins - 1;
    side.nan = feature.nan;
    return side;
  }
  side.bits.assign((at(feature.n_bins) + 63) / 64, 0);
  for (std::int32_t b = 0; b < feature.n_bins; ++b) {
    side.bits[at(b) / 64] |= std::uint64_t{1} << (b % 64);
  }
  return side;
}

/// The bins for which the condition of a node holds.
BinSide condition(const BinTree& tree, std::size_t node, const BinFeature& feature) {
  BinSide side;
  if (feature.ordered) {
    if (tree.cut[node] >= 0) {
      side.lo = 0;
      side.hi = std::min(tree.cut[node], feature.n_bins - 1);
    }
    side.nan = feature.nan && tree.nan_true[node] != 0;
    return side;
  }
  side.bits.assign((at(feature.n_bins) + 63) / 64, 0);
  for (auto k = tree.set_start[node]; k < tree.set_start[node + 1]; ++k) {
    const std::int32_t b = tree.set_bins[static_cast<std::size_t>(k)];
    side.bits[at(b) / 64] |= std::uint64_t{1} << (b % 64);
  }
  return side;
}

}  // namespace

bool BinSide::empty() const {
  return lo > hi && !nan && std::all_of(bits.begin(), bits.end(), [](auto w) { return w == 0; });
}

BinSide meet(const BinSide& a, const BinSide& b) {
  BinSide out;
  out.nan = a.nan && b.nan;
  const std::int32_t lo = std::max(a.lo, b.lo);
  const std::int32_t hi = std::min(a.hi, b.hi);
  if (a.lo <= a.hi && b.lo <= b.hi && lo <= hi) {
    out.lo = lo;
    out.hi = hi;
  }
  out.bits = a.bits;
  for (std::size_t w = 0; w < out.bits.size(); ++w) out.bits[w] &= b.bits[w];
  return out;
}

BinSide without(const BinSide& a, const BinSide& b) {
  BinSide out = a;
  out.nan = a.nan && !b.nan;
  for (std::size_t w = 0; w < out.bits.size(); ++w) out.bits[w] &= ~b.bits[w];
  if (a.lo <= a.hi && b.lo <= b.hi && b.lo <= a.hi && a.lo <= b.hi) {
    (b.lo <= a.lo ? out.lo : out.hi) = b.lo <= a.lo ? b.hi + 1 : b.lo - 1;
    if (out.lo > out.hi) {
      out.lo = 1;
      out.hi = 0;
    }
  }
  return out;
}

bool Region::pure() const {
  return std::all_of(fragments.begin(), fragments.end(), [this](const Fragment& fragment) {
    return fragment.label == fragments.front().label;
  });
}

Region Region::part(std::uint32_t feature, const BinSide& kept) const {
  Region out;
  out.sides = sides;
  out.sides[feature] = kept;
  for (const Fragment& fragment : fragments) {
    const auto limit =
        std::find_if(fragment.limits.begin(), fragment.limits.end(),
                     [feature](const Fragment::Limit& l) { return l.feature == feature; });
    if (limit == fragment.limits.end()) {
      out.fragments.push_back(fragment);
      continue;
    }
    BinSide side = meet(limit->side, kept);
    if (side.empty()) continue;
    Fragment cut = fragment;
    const auto own = cut.limits.begin() + (limit - fragment.limits.begin());
    if (side == kept) {
      cut.limits.erase(own);
    } else {
      own->side = std::move(side);
    }
    out.fragments.push_back(std::move(cut));
  }
  return out;
}

Region whole_region(const BinTree& tree, const std::vector<BinFeature>& features) {
  Region out;
  for (const BinFeature& feature : features) out.sides.push_back(whole(feature));
  struct Step {
    std::int32_t node;
    std::vector<Fragment::Limit> limits;
  };
  std::vector<Step> todo;
  todo.push_back({0, {}});
  while (!todo.empty()) {
    Step step = std::move(todo.back());
    todo.pop_back();
    const std::size_t node = at(step.node);
    if (tree.feature[node] < 0) {
      out.fragments.push_back({tree.leaf_class[node], std::move(step.limits)});
      continue;
    }
    const auto f = static_cast<std::uint32_t>(tree.feature[node]);
    const BinSide holds = condition(tree, node, features[f]);
    const auto place =
        std::lower_bound(step.limits.begin(), step.limits.end(), f,
                         [](const Fragment::Limit& l, std::uint32_t k) { return l.feature < k; });
    const bool known = place != step.limits.end() && place->feature == f;
    const BinSide here = known ? place->side : out.sides[f];
    const auto own = place - step.limits.begin();
    if (!known) step.limits.insert(place, {f, here});
    for (const bool yes : {false, true}) {
      BinSide side = yes ? meet(here, holds) : without(here, holds);
      if (side.empty()) continue;
      Step next{yes ? tree.when_true[node] : tree.when_false[node], step.limits};
      if (side == out.sides[f]) {
        next.limits.erase(next.limits.begin() + own);
      } else {
        next.limits[static_cast<std::size_t>(own)].side = std::move(side);
      }
      todo.push_back(std::move(next));
    }
  }
  return out;
}

std::uint64_t Axis::weight(const BinSide& side) const {
  std::uint64_t sum = 0;
  if (!ordered) {
    for (std::size_t p = 0; p < bins.size(); ++p) {
      if (side.has(bins[p])) sum = Field::add(sum, Field::subtract(upto[p + 1], upto[p]));
    }
    return sum;
  }
  if (side.lo <= side.hi) {
    sum = Field::subtract(upto[at(side.hi - first) + 1], upto[at(side.lo - first)]);
  }
  if (side.nan) sum = Field::add(sum, Field::subtract(upto[n_numbers + 1], upto[n_numbers]));
  return sum;
}

double Axis::share(const BinSide& side) const {
  std::int64_t n = side.nan ? 1 : 0;
  if (side.lo <= side.hi) n += side.hi - side.lo + 1;
  for (const std::uint64_t word : side.bits) n += std::popcount(word);
  return static_cast<double>(n) / static_cast<double>(size());
}

Slices::Slices(const Region& region, const std::vector<BinFeature>& features, std::uint64_t seed)
    : seed_(seed), axis_of_(features.size(), features.size()) {
  std::vector<bool> live(features.size(), false);
  for (const Fragment& fragment : region.fragments) {
    for (const Fragment::Limit& limit : fragment.limits) live[limit.feature] = true;
  }
  for (std::uint32_t f = 0; f < features.size(); ++f) {
    if (!live[f]) continue;
    axis_of_[f] = axes_.size();
    Axis axis;
    axis.feature = f;
    axis.ordered = features[f].ordered;
    const BinSide& side = region.sides[f];
    if (axis.ordered) {
      axis.nan = side.nan;
      axis.first = side.lo;
      axis.n_numbers = at(std::max(side.hi - side.lo + 1, 0));
    } else {
      for (std::int32_t b = 0; b < features[f].n_bins; ++b) {
        if (side.has(b)) axis.bins.push_back(b);
      }
    }
    const std::size_t n = axis.ordered ? axis.n_numbers + (axis.nan ? 1 : 0) : axis.bins.size();
    axis.slice.assign(n, 0);
    axis.upto.assign(n + 1, 0);
    for (std::size_t p = 0; p + 1 < n; ++p) {
      axis.upto[p + 1] = Field::add(axis.upto[p], element_of(seed, f + 1, p));
    }
    axis.upto[n] = 1;
    axes_.push_back(std::move(axis));
  }
  for (const Fragment& fragment : region.fragments) {
    std::vector<std::uint64_t> weights;
    weights.reserve(fragment.limits.size());
    for (const Fragment::Limit& limit : fragment.limits) {
      weights.push_back(axes_[axis_of_[limit.feature]].weight(limit.side));
    }
    add(fragment, weights);
    weights_.push_back(std::move(weights));
  }
  for (Axis& axis : axes_) {  // from differences to values
    for (std::size_t p = 1; axis.ordered && p < axis.n_numbers; ++p) {
      axis.slice[p] = Field::add(axis.slice[p], axis.slice[p - 1]);
    }
  }
}

std::uint64_t Slices::value(std::int32_t label) const {
  return element_of(seed_, 0, static_cast<std::uint64_t>(label));
}

/// A fragment is in a slice if its side has the position; what is not limited is in all of them.
void Slices::add(const Fragment& fragment, const std::vector<std::uint64_t>& weights) {
  std::vector<std::uint64_t> after(weights.size() + 1, 1);
  for (std::size_t i = weights.size(); i-- > 0;) {
    after[i] = Field::multiply(after[i + 1], weights[i]);
  }
  std::uint64_t before = value(fragment.label);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::uint64_t own = Field::multiply(before, after[i + 1]);
    before = Field::multiply(before, weights[i]);
    const BinSide& side = fragment.limits[i].side;
    Axis& axis = axes_[axis_of_[fragment.limits[i].feature]];
    const auto put = [&axis](std::size_t p, std::uint64_t x) {
      axis.slice[p] = Field::add(axis.slice[p], x);
    };
    if (!axis.ordered) {
      for (std::size_t p = 0; p < axis.bins.size(); ++p) {
        if (side.has(axis.bins[p])) put(p, own);
      }
      continue;
    }
    if (side.lo <= side.hi) {
      put(at(side.lo - axis.first), own);
      const std::size_t end = at(side.hi - axis.first) + 1;
      if (end < axis.n_numbers) put(end, Field::subtract(0, own));
    }
    if (side.nan) put(axis.n_numbers, own);
  }
}

std::vector<std::vector<std::int32_t>> function_bins(const BinTree& tree,
                                                     const std::vector<BinFeature>& features) {
  const Region region = whole_region(tree, features);
  const Slices one(region, features, 1);
  const Slices two(region, features, 2);
  std::vector<std::vector<std::int32_t>> out;
  out.reserve(features.size());
  for (const BinFeature& feature : features) {
    out.emplace_back(at(feature.n_bins) + (feature.ordered && feature.nan ? 1 : 0), 0);
  }
  for (std::size_t a = 0; a < one.axes().size(); ++a) {
    const Axis& axis = one.axes()[a];
    std::vector<std::int32_t>& group = out[axis.feature];
    const auto hash = [&](std::size_t p) {
      return std::pair{axis.slice[p], two.axes()[a].slice[p]};
    };
    if (!axis.ordered) {
      std::map<std::pair<std::uint64_t, std::uint64_t>, std::int32_t> known;
      for (std::size_t p = 0; p < axis.size(); ++p) {
        group[p] =
            known.try_emplace(hash(p), static_cast<std::int32_t>(known.size())).first->second;
      }
      continue;
    }
    for (std::size_t p = 1; p < axis.n_numbers; ++p) {
      group[p] = group[p - 1] + (hash(p) != hash(p - 1) ? 1 : 0);
    }
    const std::int32_t last = group[axis.n_numbers - 1];
    if (axis.nan && (last > 0 || hash(axis.n_numbers) != hash(0))) group.back() = last + 1;
  }
  return out;
}

}  // namespace orderless
