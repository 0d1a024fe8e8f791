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

namespace {

/// The fingerprints of trees that ask about ordered features alone.
class OrderedPrints {
 public:
  OrderedPrints(std::span<const Domain> domains, std::span<const FeatureWeights> weights,
                std::span<const Point> class_values)
      : domains_(domains), weights_(weights), class_values_(class_values), last_(domains.size()) {
    for (std::size_t f = 0; f < domains.size(); ++f) {
      Side side;
      if (domains[f].ordered && domains[f].nan) {
        side.nan = nan_weight(weights[f]);
        side.upper = minus(side.upper, side.nan);
      }
      sides_.push_back(side);
    }
  }

  /// Without recursion; sides are put back on the way up.
  Point print(const TreeView& tree, std::span<const std::size_t> used, Poll poll) {
    Point sum{0, 0};
    Point product{1, 1};  // of the weights of all sides
    std::int32_t at = 0;
    used_ = used;
    steps_.clear();
    while (true) {
      const auto node = static_cast<std::size_t>(at);
      const std::int32_t feature = tree.feature[node];
      if (feature >= 0) {
        const auto f = static_cast<std::size_t>(feature);
        Side& side = sides_[f];
        // The weight of the rest of the box: asked for the first time, the side weighs 1.
        const Point rest = side.asked ? others(f) : product;
        steps_.push_back({-1, feature, {}, side});
        auto [yes, no] = split(side, tree.threshold[node], tree.nan_true[node] != 0, f);
        const Point on_true = times(rest, yes.weight);
        steps_.push_back({tree.when_false[node], feature, minus(product, on_true), no});
        side = yes;
        product = on_true;
        at = tree.when_true[node];
        continue;
      }
      const auto label = static_cast<std::size_t>(tree.leaf_class[node]);
      sum = plus(sum, times(class_values_[label], product));
      if (++leaves_ % 65536 == 0) poll();
      do {
        if (steps_.empty()) return sum;
        const Step& step = steps_.back();
        sides_[static_cast<std::size_t>(step.feature)] = step.side;
        product = step.product;
        at = step.node;
        steps_.pop_back();
      } while (at < 0);
    }
  }

 private:
  struct Side {
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
    Point lower{0, 0}, upper{1, 1};  // F at both ends
    Point nan{0, 0};
    Point weight{1, 1};
    bool asked = false;
  };
  struct Step {
    std::int32_t node;  // -1: only put the side back
    std::int32_t feature;
    Point product;  // of the weights of all sides, with this one
    Side side;
  };

  std::pair<Side, Side> split(const Side& side, double threshold, bool nan_true, std::size_t f) {
    Side yes = side, no = side;
    // A condition on values that are gone already may still ask for NaN: its cut is at an end.
    const Point cut = threshold <= side.low    ? side.lower
                      : threshold >= side.high ? side.upper
                                               : known_element(f, threshold);
    yes.high = no.low = std::clamp(threshold, side.low, side.high);
    yes.upper = no.lower = cut;
    (nan_true ? no : yes).nan = {0, 0};
    yes.weight = plus(minus(yes.upper, yes.lower), yes.nan);
    no.weight = minus(side.weight, yes.weight);
    yes.asked = no.asked = true;
    return {yes, no};
  }

  /// The product of the weights of all sides but one.
  [[nodiscard]] Point others(std::size_t but) const {
    Point product{1, 1};
    for (const std::size_t f : used_) {
      if (f != but) product = times(product, sides_[f].weight);
    }
    return product;
  }

  /// Trees ask for few thresholds of a feature: the last one is known.
  Point known_element(std::size_t f, double threshold) {
    Last& last = last_[f];
    if (!last.known || last.threshold != threshold) {
      last = {true, threshold, element(weights_[f], domains_[f], threshold)};
    }
    return last.value;
  }

  struct Last {
    bool known = false;
    double threshold = 0;
    Point value{0, 0};
  };
  std::span<const Domain> domains_;
  std::span<const FeatureWeights> weights_;
  std::span<const Point> class_values_;
  std::vector<Last> last_;
  std::span<const std::size_t> used_;  // features that the tree at hand asks about
  std::vector<Side> sides_;            // of the box at hand, by feature
  std::vector<Step> steps_;
  std::size_t leaves_ = 0;
};

}  // namespace

std::vector<Point> fingerprints(const std::function<TreeView(std::size_t)>& tree_of,
                                std::size_t n_trees, std::span<const Domain> domains,
                                std::span<const FeatureWeights> weights,
                                std::span<const Point> class_values, Poll poll) {
  std::vector<Weighed> whole_parts;  // none where all features are ordered
  const bool all_ordered =
      std::all_of(domains.begin(), domains.end(), [](const Domain& own) { return own.ordered; });
  for (std::size_t f = 0; !all_ordered && f < domains.size(); ++f) {
    whole_parts.push_back(weigh_all(domains[f], weights[f]));
  }
  std::vector<Weighed> parts = whole_parts;
  std::vector<std::uint8_t> is_used(domains.size(), 0);
  std::vector<std::size_t> used;
  std::vector<Point> out;
  out.reserve(n_trees);
  std::size_t leaves = 0;
  OrderedPrints prints(domains, weights, class_values);
  for (std::size_t i = 0; i < n_trees; ++i) {
    const TreeView tree = tree_of(i);
    for (const std::int32_t feature : tree.feature) {
      if (feature < 0) continue;
      const auto f = static_cast<std::size_t>(feature);
      if (!is_used[f]) used.push_back(f);
      is_used[f] = 1;
    }
    const bool ordered =
        std::all_of(used.begin(), used.end(), [&](std::size_t f) { return domains[f].ordered; });
    Point sum = ordered ? prints.print(tree, used, poll) : Point{0, 0};
    if (!ordered)
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
      if (!ordered) parts[f] = whole_parts[f];
    }
    used.clear();
  }
  return out;
}

std::vector<std::size_t> group_numbers(std::span<const Point> points) {
  // Points are as good as random: some of their bits say where to look.
  constexpr std::size_t free = std::numeric_limits<std::size_t>::max();
  const std::size_t mask = std::bit_ceil(2 * points.size() + 1) - 1;
  std::vector<std::size_t> first(mask + 1, free);  // a member of the group, by place
  std::vector<std::size_t> out(points.size());
  std::size_t n_groups = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    auto place = static_cast<std::size_t>(points[i][0]) & mask;
    while (first[place] != free && !equal(points[first[place]], points[i])) {
      place = (place + 1) & mask;
    }
    if (first[place] == free) {
      first[place] = i;
      out[i] = n_groups++;
    } else {
      out[i] = out[first[place]];
    }
  }
  return out;
}

}  // namespace orderless::same
