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

Pruned prune(const TreeView& tree, std::span<const Domain> domains) {
  const std::size_t n = tree.size();
  Pruned out;
  out.when_true.assign(tree.when_true.begin(), tree.when_true.end());
  out.when_false.assign(tree.when_false.begin(), tree.when_false.end());
  // `alive` after the walk: nodes that some row reaches and that really ask.
  std::vector<std::uint8_t> alive(n, 0);
  std::vector<std::int32_t> next(n, -1);  // where a node that always goes one way leads to
  Box box = whole(domains);
  walk(
      tree, box,
      [&](std::size_t node, const Side& side) {
        struct Parts {
          Side on_true, on_false;
          bool some_true, some_false;
        };
        const bool ordered = domains[static_cast<std::size_t>(tree.feature[node])].ordered;
        auto [on_true, on_false] = split(tree, node, side, ordered);
        const bool some_true = !on_true.empty(ordered);
        const bool some_false = !on_false.empty(ordered);
        if (some_true && some_false) {
          alive[node] = 1;
        } else {
          next[node] = some_true ? tree.when_true[node] : tree.when_false[node];
        }
        return Parts{std::move(on_true), std::move(on_false), some_true, some_false};
      },
      [&](std::int32_t leaf) {
        alive[static_cast<std::size_t>(leaf)] = 1;
        return true;
      });
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
