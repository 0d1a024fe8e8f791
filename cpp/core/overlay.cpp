#include "core/overlay.hpp"

#include <algorithm>
#include <bit>

namespace orderless {

namespace {

/// Calls `on_pair(class of a, class of b, box)` for all leaves that meet, until it returns false.
/// Both trees are gone down at once: what the box has answered already, neither asks again, so
/// that trees as deep as they have leaves take no longer than others.
template <class OnPair>
void overlay(const TreeView& a, const TreeView& b, std::span<const Domain> domains, Poll poll,
             OnPair&& on_pair) {
  struct Step {
    std::int32_t a, b;     // -1: only put the side back
    std::int32_t feature;  // -1: nothing to put
    Side side;
  };
  Box box = whole(domains);
  const auto inner = [](const TreeView& tree, std::int32_t node) {
    return tree.feature[static_cast<std::size_t>(node)] >= 0;
  };
  const auto ask = [&](const TreeView& tree, std::int32_t node) {
    const auto at = static_cast<std::size_t>(node);
    const auto f = static_cast<std::size_t>(tree.feature[at]);
    return split(tree, at, box[f], domains[f].ordered);
  };
  /// The first node from here on that the box has no answer to.
  const auto settle = [&](const TreeView& tree, std::int32_t node) {
    while (inner(tree, node)) {
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
  steps.push_back({0, 0, -1, {}});
  for (std::size_t n = 1; !steps.empty(); ++n) {
    if (n % 65536 == 0) poll();
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
        return;
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
}

}  // namespace

std::optional<Difference> first_difference(const TreeView& a, const TreeView& b,
                                           std::span<const Domain> domains, Poll poll) {
  std::optional<Difference> found;
  overlay(a, b, domains, poll, [&](std::int32_t class_a, std::int32_t class_b, const Box& box) {
    if (class_a == class_b) return true;
    found = Difference{box, class_a, class_b};
    return false;
  });
  return found;
}

double share_of_difference(const TreeView& a, const TreeView& b, std::span<const Domain> domains,
                           std::span<const std::vector<double>> cuts, Poll poll) {
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
  overlay(a, b, domains, poll, [&](std::int32_t class_a, std::int32_t class_b, const Box& box) {
    if (class_a != class_b) {
      double weight = 1;
      for (const std::size_t f : used) weight *= share(f, box[f]);
      total += weight;
    }
    return true;
  });
  return total;
}

}  // namespace orderless
