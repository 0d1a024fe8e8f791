#include "core/same/overlay.hpp"

#include <algorithm>
#include <bit>

namespace orderless::same {

namespace {

constexpr std::size_t steps_per_poll = 4096;

/// Two trees, or two parts of one, from a node on.
struct Pair {
  const TreeView& a;
  const TreeView& b;
  std::int32_t root_a = 0;
  std::int32_t root_b = 0;
};

/// What is left to do: go down from two nodes, or only put a side back.
struct Step {
  std::int32_t a, b;     // -1: only put the side back
  std::int32_t feature;  // -1: nothing to put
  Side side;
};

bool inner(const TreeView& tree, std::int32_t node) {
  return tree.feature[static_cast<std::size_t>(node)] >= 0;
}

/// Puts back all sides that are still to be put back.
void restore(std::vector<Step>& steps, Box& box) {
  for (; !steps.empty(); steps.pop_back()) {
    Step& open = steps.back();
    if (open.a < 0) box[static_cast<std::size_t>(open.feature)] = std::move(open.side);
  }
}

/// Calls `on_pair(class of a, class of b, box)` for all leaves that meet in a box, until it returns
/// false; then the box is as it was. Both trees are gone down at once: what the box has answered
/// already, neither asks again, so that trees as deep as they have leaves take no longer than
/// others. `poll` is called now and then.
template <class Polling, class OnPair>
bool overlay(const Pair& pair, std::span<const Domain> domains, Box& box, Polling&& poll,
             OnPair&& on_pair) {
  const TreeView& a = pair.a;
  const TreeView& b = pair.b;
  std::size_t n = 0;
  const auto ask = [&](const TreeView& tree, std::int32_t node) {
    const auto at = static_cast<std::size_t>(node);
    const auto f = static_cast<std::size_t>(tree.feature[at]);
    return split(tree, at, box[f], domains[f].ordered);
  };
  /// The first node from here on that the box has no answer to.
  const auto settle = [&](const TreeView& tree, std::int32_t node) {
    while (inner(tree, node)) {
      if (++n % steps_per_poll == 0) poll();
      const auto at = static_cast<std::size_t>(node);
      const bool ordered = domains[static_cast<std::size_t>(tree.feature[at])].ordered;
      const auto [on_true, on_false] = ask(tree, node);
      if (on_false.empty(ordered)) {
        node = tree.when_true[at];
      } else if (on_true.empty(ordered)) {
        node = tree.when_false[at];
      } else {
        break;
      }
    }
    return node;
  };
  std::vector<Step> steps;
  steps.push_back({pair.root_a, pair.root_b, -1, {}});
  while (!steps.empty()) {
    if (++n % steps_per_poll == 0) poll();
    Step step = std::move(steps.back());
    steps.pop_back();
    if (step.feature >= 0) box[static_cast<std::size_t>(step.feature)] = std::move(step.side);
    if (step.a < 0) continue;
    step.a = settle(a, step.a);
    step.b = settle(b, step.b);
    const bool ask_a = inner(a, step.a);
    if (!ask_a && !inner(b, step.b)) {
      if (!on_pair(a.leaf_class[static_cast<std::size_t>(step.a)],
                   b.leaf_class[static_cast<std::size_t>(step.b)], box)) {
        restore(steps, box);
        return false;
      }
      continue;
    }
    const TreeView& tree = ask_a ? a : b;
    const std::int32_t node = ask_a ? step.a : step.b;
    const auto at = static_cast<std::size_t>(node);
    const std::int32_t f = tree.feature[at];
    auto [on_true, on_false] = ask(tree, node);
    const auto go = [&](std::int32_t child, Side&& side) {
      steps.push_back({ask_a ? child : step.a, ask_a ? step.b : child, f, std::move(side)});
    };
    steps.push_back({-1, -1, f, box[static_cast<std::size_t>(f)]});
    go(tree.when_false[at], std::move(on_false));
    go(tree.when_true[at], std::move(on_true));
  }
  return true;
}

}  // namespace

std::optional<Difference> first_difference(const TreeView& a, const TreeView& b,
                                           std::span<const Domain> domains,
                                           const PollFunction& poll) {
  std::optional<Difference> found;
  Box space = whole(domains);
  overlay(
      {a, b}, domains, space, [&] { poll(0); },
      [&](std::int32_t class_a, std::int32_t class_b, const Box& box) {
        if (class_a == class_b) return true;
        found = Difference{box, class_a, class_b};
        return false;
      });
  return found;
}

double share_of_difference(const TreeView& a, const TreeView& b, std::span<const Domain> domains,
                           std::span<const std::vector<double>> cuts, const PollFunction& poll) {
  const auto share = [&](std::size_t f, const Side& side) {
    const Domain& domain = domains[f];
    if (!domain.ordered) {
      std::size_t n = 0;
      for (const std::uint64_t word : side.bits) n += static_cast<std::size_t>(std::popcount(word));
      return static_cast<double>(n) / static_cast<double>(domain.n_values);
    }
    const std::vector<double>& cut = cuts[f];
    const auto rank = [&](double x) {  // bins that end at or before x
      if (x >= domain.upper) return static_cast<std::ptrdiff_t>(cut.size()) + 1;
      return std::upper_bound(cut.begin(), cut.end(), x) - cut.begin();
    };
    std::ptrdiff_t n = side.lower < side.upper ? rank(side.upper) - rank(side.lower) : 0;
    n += side.nan ? 1 : 0;
    return static_cast<double>(n) / static_cast<double>(cut.size() + 1 + (domain.nan ? 1 : 0));
  };
  std::vector<std::size_t> used;
  for (std::size_t f = 0; f < domains.size(); ++f) {
    const auto is_f = [f](std::int32_t g) { return g == static_cast<std::int32_t>(f); };
    if (std::any_of(a.feature.begin(), a.feature.end(), is_f) ||
        std::any_of(b.feature.begin(), b.feature.end(), is_f)) {
      used.push_back(f);
    }
  }
  double total = 0;
  Box space = whole(domains);
  overlay(
      {a, b}, domains, space, [&] { poll(0); },
      [&](std::int32_t class_a, std::int32_t class_b, const Box& box) {
        if (class_a != class_b) {
          double weight = 1;
          for (const std::size_t f : used) weight *= share(f, box[f]);
          total += weight;
        }
        return true;
      });
  return total;
}

namespace {

constexpr std::int32_t several = -2;

/// By node the class of all leaves below it, or `several`.
std::vector<std::int32_t> class_below(const TreeView& tree) {
  std::vector<std::int32_t> order{0};
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto node = static_cast<std::size_t>(order[i]);
    if (tree.feature[node] < 0) continue;
    order.push_back(tree.when_true[node]);
    order.push_back(tree.when_false[node]);
  }
  std::vector<std::int32_t> below(tree.leaf_class.begin(), tree.leaf_class.end());
  for (std::size_t i = order.size(); i-- > 0;) {  // children before their parents
    const auto node = static_cast<std::size_t>(order[i]);
    if (tree.feature[node] < 0) continue;
    const std::int32_t yes = below[static_cast<std::size_t>(tree.when_true[node])];
    const std::int32_t no = below[static_cast<std::size_t>(tree.when_false[node])];
    below[node] = yes == no ? yes : several;
  }
  return below;
}

}  // namespace

std::vector<std::int32_t> redundant_splits(const TreeView& tree, std::span<const Domain> domains,
                                           const PollFunction& poll) {
  struct Parts {
    Side on_true, on_false;
    bool some_true, some_false;
  };
  std::vector<std::int32_t> out;
  const std::vector<std::int32_t> below = class_below(tree);
  std::size_t compared = 0;
  const auto same = [](std::int32_t one, std::int32_t other, const Box&) { return one == other; };
  Box box = whole(domains);
  poll(0);
  const auto split_part = [&](std::size_t node, const Side& side) {
    const auto f = static_cast<std::size_t>(tree.feature[node]);
    const bool ordered = domains[f].ordered;
    // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): it is box[f], which changes
    const Side here = side;
    auto [on_true, on_false] = split(tree, node, here, ordered);
    const bool some_true = !on_true.empty(ordered);
    const bool some_false = !on_false.empty(ordered);
    bool redundant = below[node] != several;
    for (const bool yes : {true, false}) {  // the rows of one side, sent to the other
      if (redundant) break;
      box[f] = yes ? on_true : on_false;
      if (++compared % 64 == 0) poll(compared);
      redundant = overlay(
          {tree, tree, tree.when_true[node], tree.when_false[node]}, domains, box,
          [&] { poll(compared); }, same);
      box[f] = here;
    }
    if (redundant) out.push_back(static_cast<std::int32_t>(node));
    return Parts{std::move(on_true), std::move(on_false), some_true, some_false};
  };
  walk(tree, box, split_part, [](std::int32_t) { return true; });
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace orderless::same
