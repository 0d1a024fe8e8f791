#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace orderless {

/// The values that one feature can take.
/// Ordered: the interval (lower, upper], and NaN where NaN is a value of its own.
/// Unordered: the values 0 .. n_values - 1.
struct Domain {
  bool ordered = true;
  bool nan = false;
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  std::int32_t n_values = 0;
};

/// Some of the values of one feature: one side of a box.
/// Ordered: the interval (lower, upper], empty unless lower < upper, and NaN if `nan`.
/// Unordered: one bit per value in `bits`.
struct Side {
  double lower = 0;
  double upper = 0;
  bool nan = false;
  std::vector<std::uint64_t> bits;

  [[nodiscard]] bool empty(bool ordered) const;
};

/// A box: one side per feature. Invariant: no side is empty.
using Box = std::vector<Side>;

[[nodiscard]] Side whole(const Domain& domain);
[[nodiscard]] Box whole(std::span<const Domain> domains);

/// A tree as arrays. Node 0 is the root; a leaf has feature -1.
/// A condition holds for ordered values <= threshold (NaN: if nan_true), and for the unordered
/// values set_values[set_start[node] .. set_start[node + 1]).
struct TreeView {
  std::span<const std::int32_t> feature;
  std::span<const double> threshold;
  std::span<const std::uint8_t> nan_true;
  std::span<const std::int32_t> when_true;
  std::span<const std::int32_t> when_false;
  std::span<const std::int32_t> leaf_class;
  std::span<const std::int64_t> set_start;
  std::span<const std::int32_t> set_values;

  [[nodiscard]] std::size_t size() const { return feature.size(); }
  [[nodiscard]] std::span<const std::int32_t> set(std::size_t node) const {
    const auto begin = static_cast<std::size_t>(set_start[node]);
    return set_values.subspan(begin, static_cast<std::size_t>(set_start[node + 1]) - begin);
  }
};

/// Many trees over the same features, their nodes one after the other.
struct Forest {
  TreeView nodes;                       // child indices are relative to the tree's first node
  std::span<const std::int64_t> start;  // first node of each tree, and the end
  [[nodiscard]] TreeView tree(std::size_t i) const;
};

/// By node the class that all leaves below it have, -1 where they have several.
[[nodiscard]] std::vector<std::int32_t> one_class(const TreeView& tree);

/// The parts of `side` on which the condition of `node` holds and does not hold; either may be
/// empty.
[[nodiscard]] std::pair<Side, Side> split(const TreeView& tree, std::size_t node, const Side& side,
                                          bool ordered);

/// Visits every leaf that `parts` can reach, in order (true branch first), without recursion.
/// `split_part(node, part)` gives the two parts and which of them are not empty; during
/// `on_leaf(leaf)`, `parts` holds the leaf's. Stops early when `on_leaf` returns false.
/// Cost: one split per visited node.
template <class Part, class SplitPart, class OnLeaf>
bool walk(const TreeView& tree, std::vector<Part>& parts, SplitPart&& split_part,
          OnLeaf&& on_leaf) {
  struct Step {
    std::int32_t node;  // -1: only put the part back
    std::int32_t feature;
    Part part;
  };
  std::vector<Step> steps;
  std::int32_t at = 0;
  while (true) {
    const auto node = static_cast<std::size_t>(at);
    const std::int32_t feature = tree.feature[node];
    if (feature >= 0) {
      Part& part = parts[static_cast<std::size_t>(feature)];
      auto [on_true, on_false, some_true, some_false] = split_part(node, part);
      at = some_true ? tree.when_true[node] : tree.when_false[node];
      if (some_true && some_false) {
        steps.push_back({-1, feature, std::move(part)});
        steps.push_back({tree.when_false[node], feature, std::move(on_false)});
        part = std::move(on_true);
      }
      continue;
    }
    if (!on_leaf(at)) return false;
    do {
      if (steps.empty()) return true;
      Step& step = steps.back();
      parts[static_cast<std::size_t>(step.feature)] = std::move(step.part);
      at = step.node;
      steps.pop_back();
    } while (at < 0);
  }
}

/// `walk` over boxes: visits the leaves whose box meets `box`, which is the intersection meanwhile.
template <class OnLeaf>
bool walk_box(const TreeView& tree, std::span<const Domain> domains, Box& box, OnLeaf&& on_leaf) {
  struct Parts {
    Side on_true, on_false;
    bool some_true, some_false;
  };
  return walk(
      tree, box,
      [&](std::size_t node, const Side& side) {
        const bool ordered = domains[static_cast<std::size_t>(tree.feature[node])].ordered;
        auto [on_true, on_false] = split(tree, node, side, ordered);
        const bool some_true = !on_true.empty(ordered);
        const bool some_false = !on_false.empty(ordered);
        return Parts{std::move(on_true), std::move(on_false), some_true, some_false};
      },
      on_leaf);
}

/// Trees one after the other, nodes in preorder, the true branch first.
struct FlatTrees {
  std::vector<std::int64_t> start{0};
  std::vector<std::int32_t> column;       // -1: leaf
  std::vector<std::int32_t> label;        // -1: no leaf
  std::vector<std::int32_t> false_child;  // from the tree's first node; -1: leaf

  std::size_t add_leaf(std::int32_t says);
  std::size_t add_split(std::uint32_t asks);
  /// To be called when the true branch of `node` is there.
  void begin_false(std::size_t node);
  void end_tree() { start.push_back(static_cast<std::int64_t>(column.size())); }
};

/// Many trees over 0/1 columns, one after the other. Per node in preorder its column (-1: a leaf)
/// and the class of a leaf; first the subtree where the column is 1, then the one where it is 0.
/// Tree t has the nodes offsets[t] .. offsets[t + 1] - 1.
struct FlatTreesView {
  std::span<const std::int64_t> offsets;
  std::span<const std::int32_t> column;
  std::span<const std::int32_t> label;
};

}  // namespace orderless
