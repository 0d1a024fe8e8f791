#include "core/tree/prune.hpp"

#include <algorithm>

namespace orderless {

LinkCheck check_links(const TreeView& tree) {
  LinkCheck check;
  std::vector<bool> seen(tree.size(), false);
  std::vector<std::pair<std::int32_t, std::int32_t>> todo{{0, 0}};  // node, depth
  while (!todo.empty()) {
    const auto [node, depth] = todo.back();
    todo.pop_back();
    const auto at = static_cast<std::size_t>(node);
    if (seen[at]) return {LinkFault::shared, node, 0};
    seen[at] = true;
    check.depth = std::max(check.depth, depth);
    if (tree.feature[at] < 0) continue;
    todo.emplace_back(tree.when_false[at], depth + 1);
    todo.emplace_back(tree.when_true[at], depth + 1);
  }
  const auto missing = std::find(seen.begin(), seen.end(), false);
  if (missing != seen.end()) {
    return {LinkFault::unreachable, static_cast<std::int32_t>(missing - seen.begin()), 0};
  }
  return check;
}

namespace {

bool only_ordered(const TreeView& tree, std::span<const Domain> domains) {
  return std::all_of(tree.feature.begin(), tree.feature.end(), [&](std::int32_t f) {
    return f < 0 || domains[static_cast<std::size_t>(f)].ordered;
  });
}

/// Some of the values of an ordered feature: (lower, upper], and perhaps NaN.
struct Interval {
  double lower, upper;
  bool nan;
  [[nodiscard]] bool some() const { return lower < upper || nan; }
};

template <class Meet, class OnLeaf>
void walk_intervals(const TreeView& tree, std::span<const Domain> domains, const Meet& meet,
                    const OnLeaf& on_leaf) {
  struct Parts {
    Interval on_true, on_false;
    bool some_true, some_false;
  };
  std::vector<Interval> box;
  box.reserve(domains.size());
  for (const Domain& own : domains) box.push_back({own.lower, own.upper, own.nan});
  walk(
      tree, box,
      [&](std::size_t node, const Interval& side) {
        const double cut = tree.threshold[node];
        const bool nan_true = tree.nan_true[node] != 0;
        const Interval yes{side.lower, std::min(side.upper, cut), side.nan && nan_true};
        const Interval no{std::max(side.lower, cut), side.upper, side.nan && !nan_true};
        meet(node, yes.some(), no.some());
        return Parts{yes, no, yes.some(), no.some()};
      },
      on_leaf);
}

template <class Meet, class OnLeaf>
void walk_sides(const TreeView& tree, std::span<const Domain> domains, const Meet& meet,
                const OnLeaf& on_leaf) {
  struct Parts {
    Side on_true, on_false;
    bool some_true, some_false;
  };
  Box box = whole(domains);
  walk(
      tree, box,
      [&](std::size_t node, const Side& side) {
        const bool ordered = domains[static_cast<std::size_t>(tree.feature[node])].ordered;
        auto [on_true, on_false] = split(tree, node, side, ordered);
        const bool some_true = !on_true.empty(ordered);
        const bool some_false = !on_false.empty(ordered);
        meet(node, some_true, some_false);
        return Parts{std::move(on_true), std::move(on_false), some_true, some_false};
      },
      on_leaf);
}

}  // namespace

Pruned prune(const TreeView& tree, std::span<const Domain> domains) {
  const std::size_t n = tree.size();
  Pruned out;
  out.when_true.assign(tree.when_true.begin(), tree.when_true.end());
  out.when_false.assign(tree.when_false.begin(), tree.when_false.end());
  // `alive` after the walk: nodes that some row reaches and that really ask.
  std::vector<std::uint8_t> alive(n, 0);
  std::vector<std::int32_t> next(n, -1);  // where a node that always goes one way leads to
  const auto meet = [&](std::size_t node, bool some_true, bool some_false) {
    if (some_true && some_false) {
      alive[node] = 1;
    } else {
      next[node] = some_true ? tree.when_true[node] : tree.when_false[node];
    }
  };
  const auto on_leaf = [&](std::int32_t leaf) {
    alive[static_cast<std::size_t>(leaf)] = 1;
    return true;
  };
  if (only_ordered(tree, domains)) {
    walk_intervals(tree, domains, meet, on_leaf);
  } else {
    walk_sides(tree, domains, meet, on_leaf);
  }
  const auto land = [&](std::int32_t node) {
    while (next[static_cast<std::size_t>(node)] >= 0) node = next[static_cast<std::size_t>(node)];
    return node;
  };
  out.root = land(0);
  for (std::size_t node = 0; node < n; ++node) {
    if (!alive[node] || tree.feature[node] < 0) continue;
    out.when_true[node] = land(tree.when_true[node]);
    out.when_false[node] = land(tree.when_false[node]);
  }
  out.index.assign(n, -1);
  out.index[static_cast<std::size_t>(out.root)] = out.n_kept++;
  for (std::size_t node = 0; node < n; ++node) {
    if (alive[node] && static_cast<std::int32_t>(node) != out.root) out.index[node] = out.n_kept++;
  }
  return out;
}

}  // namespace orderless
