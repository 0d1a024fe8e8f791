#include "core/same/fingerprint.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace orderless::same {

namespace {

constexpr std::uint64_t nan_message = 0x7ff8000000000000U;  // the bits of NaN: never a threshold

}  // namespace

Point nan_weight(const FeatureWeights& weights) {
  const Point hash = siphash(weights.key, nan_message);
  return {Field::reduce(hash[0]), Field::reduce(hash[1])};
}

Point element(const FeatureWeights& weights, const Domain& domain, double threshold) {
  if (threshold <= domain.lower) return {0, 0};
  if (threshold >= domain.upper) {
    if (!domain.nan) return {1, 1};
    return minus({1, 1}, nan_weight(weights));
  }
  const Point hash = siphash(weights.key, std::bit_cast<std::uint64_t>(threshold + 0.0));
  return {Field::reduce(hash[0]), Field::reduce(hash[1])};
}

namespace {

/// A side of a box together with its weight.
struct Weighed {
  double low = -std::numeric_limits<double>::infinity();  // ordered: both ends
  double high = std::numeric_limits<double>::infinity();
  Point lower{0, 0};  // F at both ends
  Point upper{1, 1};
  Point nan{0, 0};  // weight of NaN where it is in
  Point weight{1, 1};
  std::vector<std::uint64_t> bits;
};

Weighed weigh_all(const Domain& domain, const FeatureWeights& weights) {
  Weighed all;
  if (!domain.ordered) {
    all.bits = whole(domain).bits;
  } else if (domain.nan) {
    all.nan = nan_weight(weights);
    all.upper = minus(all.upper, all.nan);
  }
  return all;
}

Point weigh(const std::vector<std::uint64_t>& bits, const std::vector<Point>& values) {
  Point sum{0, 0};
  for (std::size_t word = 0; word < bits.size(); ++word) {
    for (std::uint64_t rest = bits[word]; rest != 0; rest &= rest - 1) {
      sum = plus(sum, values[word * 64 + static_cast<std::size_t>(std::countr_zero(rest))]);
    }
  }
  return sum;
}

struct WeighedParts {
  Weighed on_true, on_false;
  bool some_true = true, some_false = true;  // a Tree has no dead branches
};

WeighedParts split_weighed(const TreeView& tree, std::size_t node, const Weighed& part,
                           const Domain& domain, const FeatureWeights& weights) {
  WeighedParts parts;
  Weighed& yes = parts.on_true;
  Weighed& no = parts.on_false;
  if (domain.ordered) {
    // A condition on values that are gone already may still ask for NaN: its cut is then at an end.
    const double threshold = tree.threshold[node];
    const Point cut = threshold <= part.low    ? part.lower
                      : threshold >= part.high ? part.upper
                                               : element(weights, domain, threshold);
    yes.low = part.low;
    yes.high = no.low = std::clamp(threshold, part.low, part.high);
    no.high = part.high;
    yes.lower = part.lower;
    yes.upper = cut;
    no.lower = cut;
    no.upper = part.upper;
    (tree.nan_true[node] != 0 ? yes : no).nan = part.nan;
    yes.weight = plus(minus(yes.upper, yes.lower), yes.nan);
  } else {
    Side side;
    side.bits = part.bits;
    auto [on_true, on_false] = split(tree, node, side, false);
    yes.bits = std::move(on_true.bits);
    no.bits = std::move(on_false.bits);
    yes.weight = weigh(yes.bits, weights.values);
  }
  no.weight = minus(part.weight, yes.weight);
  return parts;
}

}  // namespace

std::vector<Point> fingerprints(const Forest& forest, std::span<const Domain> domains,
                                std::span<const FeatureWeights> weights,
                                std::span<const Point> class_values, Poll poll) {
  const auto tree = [&](std::size_t i) { return forest.tree(i); };
  return fingerprints(tree, forest.start.size() - 1, domains, weights, class_values, poll);
}

std::vector<Point> fingerprints(const std::function<TreeView(std::size_t)>& tree_of,
                                std::size_t n_trees, std::span<const Domain> domains,
                                std::span<const FeatureWeights> weights,
                                std::span<const Point> class_values, Poll poll) {
  std::vector<Weighed> whole_parts;
  whole_parts.reserve(domains.size());
  for (std::size_t f = 0; f < domains.size(); ++f) {
    whole_parts.push_back(weigh_all(domains[f], weights[f]));
  }
  std::vector<Weighed> parts = whole_parts;
  std::vector<std::uint8_t> is_used(domains.size(), 0);
  std::vector<std::size_t> used;
  std::vector<Point> out;
  out.reserve(n_trees);
  std::size_t leaves = 0;
  for (std::size_t i = 0; i < n_trees; ++i) {
    const TreeView tree = tree_of(i);
    for (const std::int32_t feature : tree.feature) {
      if (feature < 0) continue;
      const auto f = static_cast<std::size_t>(feature);
      if (!is_used[f]) used.push_back(f);
      is_used[f] = 1;
    }
    Point sum{0, 0};
    walk(
        tree, parts,
        [&](std::size_t node, const Weighed& part) {
          const auto f = static_cast<std::size_t>(tree.feature[node]);
          return split_weighed(tree, node, part, domains[f], weights[f]);
        },
        [&](std::int32_t leaf) {
          const auto label = tree.leaf_class[static_cast<std::size_t>(leaf)];
          Point term = class_values[static_cast<std::size_t>(label)];
          for (const std::size_t f : used) term = times(term, parts[f].weight);
          sum = plus(sum, term);
          if (++leaves % 65536 == 0) poll();
          return true;
        });
    out.push_back(sum);
    for (const std::size_t f : used) {
      is_used[f] = 0;
      parts[f] = whole_parts[f];
    }
    used.clear();
  }
  return out;
}

}  // namespace orderless::same
