#pragma once

// Random trees, and brute force over all points: shares no algorithm with the core.

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/tree/held.hpp"
#include "tests/check.hpp"

namespace orderless::tests {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// The arrays that a TreeView looks at.
struct Arrays {
  std::vector<std::int32_t> feature, when_true, when_false, leaf_class, set_values;
  std::vector<double> threshold;
  std::vector<std::uint8_t> nan_true;
  std::vector<std::int64_t> set_start{0};

  [[nodiscard]] TreeView view() const {
    return {feature, threshold, nan_true, when_true, when_false, leaf_class, set_start, set_values};
  }

  std::int32_t add(std::int32_t f, double cut, bool nan, std::int32_t label,
                   const std::vector<std::int32_t>& set = {}) {
    feature.push_back(f);
    threshold.push_back(cut);
    nan_true.push_back(nan ? 1 : 0);
    when_true.push_back(-1);
    when_false.push_back(-1);
    leaf_class.push_back(label);
    set_values.insert(set_values.end(), set.begin(), set.end());
    set_start.push_back(static_cast<std::int64_t>(set_values.size()));
    return static_cast<std::int32_t>(feature.size()) - 1;
  }

  std::int32_t leaf(std::int32_t label) { return add(-1, 0, false, label); }

  void hang(std::int32_t node, std::int32_t on_true, std::int32_t on_false) {
    when_true[static_cast<std::size_t>(node)] = on_true;
    when_false[static_cast<std::size_t>(node)] = on_false;
  }
};

inline Domain numeric(bool nan = false) {
  Domain domain;
  domain.nan = nan;
  return domain;
}

inline Domain boolean() {
  Domain domain;
  domain.lower = -1;
  domain.upper = 1;
  return domain;
}

inline Domain categorical(std::int32_t n) {
  Domain domain;
  domain.ordered = false;
  domain.n_values = n;
  return domain;
}

/// Thresholds are among these, and for booleans 0.
inline constexpr double cuts[] = {0, 1, 2, 3};

inline std::int32_t grow(Arrays& tree, Random& random, const std::vector<Domain>& domains,
                         std::size_t n_classes, int depth) {
  if (depth == 0 || domains.empty() || random.below(6) == 0) {
    return tree.leaf(static_cast<std::int32_t>(random.below(n_classes)));
  }
  const std::size_t f = random.below(domains.size());
  std::int32_t node = 0;
  if (domains[f].ordered) {
    double cut = cuts[random.below(4)];
    if (random.below(12) == 0) cut = random.coin() ? infinity : -infinity;
    if (domains[f].upper == 1 && random.below(4) != 0) cut = 0;
    node = tree.add(static_cast<std::int32_t>(f), cut, random.coin(), -1);
  } else {
    std::vector<std::int32_t> set;
    for (std::int32_t v = 0; v < domains[f].n_values; ++v) {
      if (random.coin()) set.push_back(v);
    }
    node = tree.add(static_cast<std::int32_t>(f), 0, false, -1, set);
  }
  const std::int32_t on_true = grow(tree, random, domains, n_classes, depth - 1);
  const std::int32_t on_false = grow(tree, random, domains, n_classes, depth - 1);
  tree.hang(node, on_true, on_false);
  return node;
}

inline std::vector<Domain> random_domains(Random& random) {
  std::vector<Domain> domains;
  const std::size_t n = 1 + random.below(3);
  for (std::size_t f = 0; f < n; ++f) {
    switch (random.below(5)) {
      case 0:
        domains.push_back(boolean());
        break;
      case 1:
        domains.push_back(categorical(static_cast<std::int32_t>(1 + random.below(5))));
        break;
      case 2:
        domains.push_back(categorical(f == 0 ? 67 : 2));
        break;
      case 3:
        domains.push_back(numeric(true));
        break;
      default:
        domains.push_back(numeric());
    }
  }
  return domains;
}

/// Values of a feature that fall into all of its bins, and onto all of its cuts.
inline std::vector<double> values_of(const Domain& domain) {
  std::vector<double> values;
  if (!domain.ordered) {
    for (std::int32_t v = 0; v < domain.n_values; ++v) values.push_back(v);
  } else if (domain.upper == 1) {
    values = {0, 1};
  } else {
    values = {-1e300, 0, 0.5, 1, 1.5, 2, 2.5, 3, 1e300};
    if (domain.nan) values.push_back(not_a_number);
  }
  return values;
}

using Values = std::vector<double>;

/// All combinations of some values per feature.
inline std::vector<Values> product(const std::vector<Values>& choices) {
  std::vector<Values> rows{{}};
  for (const Values& choice : choices) {
    std::vector<Values> longer;
    for (const Values& row : rows) {
      for (const double value : choice) {
        longer.push_back(row);
        longer.back().push_back(value);
      }
    }
    rows = std::move(longer);
  }
  return rows;
}

inline std::vector<Values> all_points(const std::vector<Domain>& domains) {
  std::vector<Values> choices;
  for (const Domain& domain : domains) choices.push_back(values_of(domain));
  return product(choices);
}

inline bool holds(const TreeView& tree, std::size_t node, double value, const Domain& domain) {
  if (!domain.ordered) {
    for (const std::int32_t v : tree.set(node)) {
      if (v == static_cast<std::int32_t>(value)) return true;
    }
    return false;
  }
  return std::isnan(value) ? tree.nan_true[node] != 0 : value <= tree.threshold[node];
}

/// Walks one point down the tree, from a node, to its leaf.
inline std::int32_t decide(const TreeView& tree, const std::vector<Domain>& domains,
                           const Values& point, std::int32_t from = 0) {
  while (tree.feature[static_cast<std::size_t>(from)] >= 0) {
    const auto node = static_cast<std::size_t>(from);
    const auto f = static_cast<std::size_t>(tree.feature[node]);
    from = holds(tree, node, point[f], domains[f]) ? tree.when_true[node] : tree.when_false[node];
  }
  return from;
}

inline bool inside(const Side& side, const Domain& domain, double value) {
  if (!domain.ordered) {
    const auto v = static_cast<std::size_t>(value);
    return (side.bits[v / 64] >> (v % 64) & 1U) != 0;
  }
  return std::isnan(value) ? side.nan : side.lower < value && value <= side.upper;
}

inline bool inside(const Box& box, const std::vector<Domain>& domains, const Values& point) {
  for (std::size_t f = 0; f < box.size(); ++f) {
    if (!inside(box[f], domains[f], point[f])) return false;
  }
  return true;
}

/// The tree that `prune` describes.
inline Arrays without_dead(const Arrays& tree, const std::vector<Domain>& domains) {
  const Pruned pruned = prune(tree.view(), domains);
  std::vector<std::size_t> old(static_cast<std::size_t>(pruned.n_kept));
  for (std::size_t node = 0; node < pruned.index.size(); ++node) {
    if (pruned.index[node] >= 0) old[static_cast<std::size_t>(pruned.index[node])] = node;
  }
  Arrays out;
  for (const std::size_t node : old) {
    const auto set = tree.view().set(node);
    const std::int32_t at =
        out.add(tree.feature[node], tree.threshold[node], tree.nan_true[node] != 0,
                tree.leaf_class[node], {set.begin(), set.end()});
    if (tree.feature[node] < 0) continue;
    out.hang(at, pruned.index[static_cast<std::size_t>(pruned.when_true[node])],
             pruned.index[static_cast<std::size_t>(pruned.when_false[node])]);
  }
  return out;
}

inline Arrays random_tree(Random& random, const std::vector<Domain>& domains,
                          std::size_t n_classes = 3, int depth = 4) {
  Arrays tree;
  grow(tree, random, domains, n_classes, depth);
  return tree;
}

/// A chain x <= 0, x <= 1, ...: as deep as a tree of n leaves can be.
inline Arrays chain(std::int32_t n) {
  Arrays tree;
  for (std::int32_t i = 0; i < n; ++i) {
    const std::int32_t node = tree.add(0, i, false, -1);
    tree.leaf(i % 2);
    tree.hang(node, node + 1, node + 2);
  }
  tree.leaf(n % 2);
  return tree;
}

}  // namespace orderless::tests
