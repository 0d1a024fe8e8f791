#include "core/tree/held.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/bits.hpp"

namespace orderless {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double float32_at_most(double cut) {
  constexpr double most = std::numeric_limits<float>::max();
  constexpr double rounds_up = 0x1.ffffffp127;  // from here on the nearest float32 is infinite
  float near = 0;
  if (std::abs(cut) >= rounds_up) {
    near = std::numeric_limits<float>::infinity() * (cut > 0 ? 1.0F : -1.0F);
  } else {
    near = static_cast<float>(std::clamp(cut, -most, most));
  }
  if (static_cast<double>(near) > cut) {
    near = std::nextafter(near, -std::numeric_limits<float>::infinity());
  }
  const double low = static_cast<double>(near) + 0.0;
  // -inf as a value of rows, not as a boundary that no row is at.
  return low == -infinity && std::isfinite(cut) ? -0x1p128 : low;
}

}  // namespace

double value_at_most(double threshold, Numbers numbers) {
  switch (numbers) {
    case Numbers::boolean:
      return threshold < 0 ? -1.0 : threshold >= 1 ? 1.0 : 0.0;
    case Numbers::integer: {
      const double low = std::floor(threshold) + 0.0;
      return low == std::numeric_limits<double>::max() ? infinity : low;
    }
    case Numbers::float32:
      return float32_at_most(threshold);
    case Numbers::float64:
      break;
  }
  return threshold + 0.0;
}

HeldTree::HeldTree(std::size_t n_nodes, std::size_t n_values)
    : n_nodes_(n_nodes), n_values_(n_values) {
  const std::size_t wide = 2 * n_nodes + 1, narrow = 4 * n_nodes + n_values;
  memory_ = std::make_unique_for_overwrite<std::byte[]>(8 * wide + 4 * narrow + n_nodes);
  std::byte* next = memory_.get();
  // Types of decreasing size, so that each begins where it may.
  const auto take = [&next]<class T>(T*& array, std::size_t n) {
    array = reinterpret_cast<T*>(next);
    next += sizeof(T) * n;
  };
  take(threshold_, n_nodes);
  take(set_start_, n_nodes + 1);
  take(feature_, n_nodes);
  take(when_true_, n_nodes);
  take(when_false_, n_nodes);
  take(leaf_class_, n_nodes);
  take(set_values_, n_values);
  take(nan_true_, n_nodes);
}

/// Fills the memory of a tree.
struct Holding {
  HeldTree& tree;

  /// Writes a node, and its children, in the order of nodes.
  void put(std::size_t i, const TreeView& from, std::size_t node, std::int32_t yes,
           std::int32_t no) {
    const bool inner = from.feature[node] >= 0;
    tree.feature_[i] = from.feature[node];
    tree.threshold_[i] = from.threshold[node];
    tree.nan_true_[i] = from.nan_true[node];
    tree.when_true_[i] = inner ? yes : -1;
    tree.when_false_[i] = inner ? no : -1;
    tree.leaf_class_[i] = inner ? -1 : from.leaf_class[node];
    const std::span<const std::int32_t> values = from.set(node);
    std::copy(values.begin(), values.end(), tree.set_values_ + tree.set_start_[i]);
    tree.set_start_[i + 1] = tree.set_start_[i] + static_cast<std::int64_t>(values.size());
  }

  static HeldTree copy(const TreeView& from) {
    const std::size_t n = from.size();
    const std::int64_t first = from.set_start[0];
    const auto n_values = static_cast<std::size_t>(from.set_start[n] - first);
    HeldTree out(n, n_values);
    std::copy(from.feature.begin(), from.feature.end(), out.feature_);
    std::copy(from.threshold.begin(), from.threshold.end(), out.threshold_);
    std::copy(from.nan_true.begin(), from.nan_true.end(), out.nan_true_);
    for (std::size_t i = 0; i < n; ++i) {
      const bool inner = from.feature[i] >= 0;
      out.when_true_[i] = inner ? from.when_true[i] : -1;
      out.when_false_[i] = inner ? from.when_false[i] : -1;
      out.leaf_class_[i] = inner ? -1 : from.leaf_class[i];
    }
    for (std::size_t i = 0; i <= n; ++i) out.set_start_[i] = from.set_start[i] - first;
    std::copy_n(from.set_values.begin() + first, n_values, out.set_values_);
    return out;
  }

  /// Thresholds become the boundaries that they draw.
  void normalize(const HeldSpace& space) {
    for (std::size_t i = 0; i < tree.n_nodes_; ++i) {
      const std::int32_t feature = tree.feature_[i];
      const auto f = static_cast<std::size_t>(feature);
      double& threshold = tree.threshold_[i];
      std::uint8_t& nan_true = tree.nan_true_[i];
      if (feature < 0 || !space.domains[f].ordered) {
        threshold = 0;
        nan_true = 0;
        continue;
      }
      threshold = value_at_most(threshold, space.numbers[f]);
      if (!space.domains[f].nan) nan_true = 0;
      // No value is at most -inf, so this asks "is it missing?": written one way only, as "is it
      // known?".
      if (threshold == -infinity && nan_true != 0) {
        threshold = infinity;
        nan_true = 0;
        std::swap(tree.when_true_[i], tree.when_false_[i]);
      }
    }
  }

  /// The nodes that are left of a tree, some of which are not.
  static Held rest(const TreeView& from, const Pruned& pruned) {
    const std::size_t n = from.size(), n_kept = at(pruned.n_kept);
    std::vector<std::int32_t> kept(n_kept);
    std::size_t n_values = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (pruned.index[i] < 0) continue;
      kept[at(pruned.index[i])] = static_cast<std::int32_t>(i);
      n_values += from.set(i).size();
    }
    Held out{HeldTree(n_kept, n_values), {}};
    out.tree.n_dropped_ = n - n_kept;
    out.tree.set_start_[0] = 0;
    const auto child = [&](const std::vector<std::int32_t>& side, std::size_t node) {
      const std::int32_t old = side[node];
      return old < 0 ? -1 : pruned.index[at(old)];
    };
    for (std::size_t i = 0; i < n_kept; ++i) {
      const std::size_t node = at(kept[i]);
      const bool inner = from.feature[node] >= 0;
      Holding{out.tree}.put(i, from, node, inner ? child(pruned.when_true, node) : -1,
                            inner ? child(pruned.when_false, node) : -1);
    }
    out.kept = std::move(kept);
    return out;
  }
};

bool describes_tree(const TreeView& tree, const HeldSpace& space, std::int32_t n_classes) {
  const std::size_t n = tree.size();
  if (n == 0 || n > std::size_t{std::numeric_limits<std::int32_t>::max()}) return false;
  for (const std::size_t size :
       {tree.threshold.size(), tree.nan_true.size(), tree.when_true.size(), tree.when_false.size(),
        tree.leaf_class.size(), tree.set_start.size() - 1}) {
    if (size != n) return false;
  }
  if (tree.set_start[0] != 0) return false;
  const auto n_features = static_cast<std::int32_t>(space.domains.size());
  const auto end = static_cast<std::int32_t>(n);
  const auto within = [](std::int32_t x, std::int32_t limit) { return x >= 0 && x < limit; };
  std::vector<std::uint8_t> has_parent(n, 0);
  std::size_t n_children = 0;
  bool downwards = true;  // every child comes after its parent
  for (std::size_t i = 0; i < n; ++i) {
    const std::int32_t f = tree.feature[i];
    if (f < -1 || f >= n_features || tree.nan_true[i] > 1) return false;
    if (tree.set_start[i + 1] < tree.set_start[i] ||
        tree.set_start[i + 1] > static_cast<std::int64_t>(tree.set_values.size())) {
      return false;
    }
    std::int32_t n_values = 0;
    if (f < 0) {
      if (!within(tree.leaf_class[i], n_classes)) return false;
    } else {
      const Domain& domain = space.domains[static_cast<std::size_t>(f)];
      for (const std::int32_t child : {tree.when_true[i], tree.when_false[i]}) {
        if (!within(child, end) || has_parent[at(child)] != 0) return false;
        has_parent[at(child)] = 1;
        downwards = downwards && at(child) > i;
      }
      n_children += 2;
      if (domain.ordered && std::isnan(tree.threshold[i])) return false;
      n_values = domain.ordered ? 0 : domain.n_values;
    }
    for (const std::int32_t value : tree.set(i)) {
      if (!within(value, n_values)) return false;
    }
  }
  if (tree.set_start[n] != static_cast<std::int64_t>(tree.set_values.size())) return false;
  // Then nothing goes in a circle, and who has a parent is below the root.
  if (downwards) return n_children + 1 == n;
  return check_links(tree).fault == LinkFault::none;
}

Held hold(const TreeView& tree, const HeldSpace& space) {
  HeldTree normal = Holding::copy(tree);
  Holding{normal}.normalize(space);
  const Pruned pruned = prune(normal.view(), space.domains);
  if (at(pruned.n_kept) == normal.size()) return {std::move(normal), {}};
  return Holding::rest(normal.view(), pruned);
}

Held hold_normal(const TreeView& tree, const HeldSpace& space) {
  const Pruned pruned = prune(tree, space.domains);
  if (at(pruned.n_kept) == tree.size()) return {Holding::copy(tree), {}};
  return Holding::rest(tree, pruned);
}

HeldTree hold_copy(const TreeView& tree) { return Holding::copy(tree); }

std::optional<Held> hold_bits(std::span<const std::int32_t> codes, const BitMeaning& meaning,
                              const HeldSpace& space, std::int32_t n_classes) {
  const std::size_t n = codes.size();
  std::vector<double> threshold(n, 0.0);
  std::vector<std::uint8_t> nan_true(n, 0);
  std::vector<std::int32_t> feature(n, -1), yes(n, -1), no(n, -1), label(n, -1), values;
  std::vector<std::int64_t> set_start(n + 1, 0);
  std::vector<std::size_t> open;  // splits whose second branch is still to come
  bool whole = false;
  for (std::size_t i = 0; i < n; ++i) {
    if (whole) return std::nullopt;
    const std::int32_t code = codes[i];
    if (code < 0) {
      label[i] = -1 - code;
      if (label[i] >= n_classes) return std::nullopt;
      whole = open.empty();
      if (!whole) {  // the second branch of the last open split begins here
        const std::size_t above = open.back();
        open.pop_back();
        (meaning.flip[at(codes[above])] != 0 ? yes : no)[above] = static_cast<std::int32_t>(i + 1);
      }
    } else {
      const std::size_t column = at(code);
      if (column >= meaning.feature.size()) return std::nullopt;
      feature[i] = meaning.feature[column];
      threshold[i] = meaning.threshold[column];
      nan_true[i] = meaning.nan_true[column];
      (meaning.flip[column] != 0 ? no : yes)[i] = static_cast<std::int32_t>(i + 1);
      open.push_back(i);
      const auto set = [&](std::size_t c) {
        return meaning.set_values.begin() + static_cast<std::ptrdiff_t>(meaning.set_start[c]);
      };
      values.insert(values.end(), set(column), set(column + 1));
    }
    set_start[i + 1] = static_cast<std::int64_t>(values.size());
  }
  if (!whole) return std::nullopt;
  return hold_normal({feature, threshold, nan_true, yes, no, label, set_start, values}, space);
}

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
