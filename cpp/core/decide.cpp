#include "core/decide.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <thread>
#include <vector>

#include "core/rowmasks.hpp"

namespace orderless {

namespace {

constexpr std::size_t block = 16384;  // rows between two looks at the clock

/// One node, packed. A leaf has its own number as both children, so that walking on stays there,
/// and one bit for its class; an inner node has none.
struct Node {
  double cut = std::numeric_limits<double>::infinity();
  std::ptrdiff_t offset = 0;  // of the feature's value, from the row's first
  std::int32_t child[2] = {0, 0};
  std::uint64_t bit = 0;
};

struct Packed {
  std::vector<Node> nodes;
  std::size_t depth = 0;
};

/// The tree with every branch whose leaves all have one class made a leaf.
Packed pack(const TreeView& tree, std::span<const double> threshold,
            std::span<const Column> columns, const std::byte* base) {
  const std::size_t n = tree.size();
  std::vector<std::int32_t> order{0};  // parents before children
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto node = static_cast<std::size_t>(order[i]);
    if (tree.feature[node] < 0) continue;
    order.push_back(tree.when_true[node]);
    order.push_back(tree.when_false[node]);
  }
  std::vector<std::int32_t> only(tree.leaf_class.begin(), tree.leaf_class.end());
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    const auto node = static_cast<std::size_t>(*it);
    if (tree.feature[node] < 0) continue;
    const std::int32_t yes = only[static_cast<std::size_t>(tree.when_true[node])];
    only[node] = yes == only[static_cast<std::size_t>(tree.when_false[node])] ? yes : -1;
  }
  std::vector<std::int32_t> place(n, -1);
  std::vector<std::size_t> kept{0};
  std::vector<std::size_t> depth{0};
  place[0] = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (only[kept[i]] >= 0) continue;
    for (const std::int32_t child : {tree.when_true[kept[i]], tree.when_false[kept[i]]}) {
      place[static_cast<std::size_t>(child)] = static_cast<std::int32_t>(kept.size());
      kept.push_back(static_cast<std::size_t>(child));
      depth.push_back(depth[i] + 1);
    }
  }
  Packed packed;
  packed.depth = depth.back();  // level by level, so the last is the deepest
  packed.nodes.resize(kept.size());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const std::size_t from = kept[i];
    Node& node = packed.nodes[i];
    node.child[0] = node.child[1] = static_cast<std::int32_t>(i);
    if (only[from] >= 0) {
      node.bit = std::uint64_t{1} << only[from];
      continue;
    }
    node.cut = threshold[from];
    node.offset = columns[static_cast<std::size_t>(tree.feature[from])].first - base;
    node.child[0] = place[static_cast<std::size_t>(tree.when_true[from])];
    node.child[1] = place[static_cast<std::size_t>(tree.when_false[from])];
  }
  return packed;
}

/// Walks rows of T, `stride` bytes apart, down a packed tree. Where a value is unknown the row goes
/// on to one child and leaves the other for later; a leaf that is left is counted at once. No
/// branch of the inner loop depends on a row's values, so the processor has nothing to guess.
template <class T>
class Walker {
 public:
  Walker(const Packed& tree, const std::byte* base, std::ptrdiff_t stride)
      : nodes_(tree.nodes.data()), base_(base), stride_(stride), later_(4 * (tree.depth + 2)) {}

  void run(std::size_t first, std::size_t end, std::int32_t* label) {
    std::size_t row = first;
    for (; row + 4 <= end; row += 4) together<4>(row, label + row);
    for (; row < end; ++row) together<1>(row, label + row);
  }

 private:
  struct Walk {
    const std::byte* row;
    std::int32_t* later;  // nodes left for later, below `top`
    std::size_t top = 0;
    std::int32_t node = 0;
    std::uint64_t seen = 0;  // classes of the leaves met
  };

  void step(Walk& walk) const {
    const Node& here = nodes_[walk.node];
    T x;
    std::memcpy(&x, walk.row + here.offset, sizeof(T));
    const bool down = static_cast<double>(x) <= here.cut;
    const bool unknown = x != x && here.bit == 0;
    const std::int32_t left = here.child[down ? 1 : 0];
    walk.later[walk.top] = left;
    walk.top += unknown ? 1 : 0;
    walk.seen |= unknown ? nodes_[left].bit : 0;
    walk.node = here.child[down ? 0 : 1];
  }

  template <std::size_t n>
  void together(std::size_t row, std::int32_t* label) {
    Walk walks[n];
    const std::size_t room = later_.size() / 4;
    for (std::size_t k = 0; k < n; ++k) {
      walks[k].row = base_ + stride_ * static_cast<std::ptrdiff_t>(row + k);
      walks[k].later = later_.data() + k * room;
    }
    bool walking = nodes_[0].bit == 0;
    while (walking) {
      walking = false;
      for (std::size_t k = 0; k < n; ++k) {
        step(walks[k]);
        walking = walking || nodes_[walks[k].node].bit == 0;
      }
    }
    for (std::size_t k = 0; k < n; ++k) label[k] = finish(walks[k]);
  }

  /// Takes up what was left for later, until two leaves differ.
  std::int32_t finish(Walk& walk) const {
    walk.seen |= nodes_[walk.node].bit;
    while (std::has_single_bit(walk.seen)) {
      if (walk.top == 0) return std::countr_zero(walk.seen);
      walk.node = walk.later[--walk.top];
      while (nodes_[walk.node].bit == 0) step(walk);
      walk.seen |= nodes_[walk.node].bit;
    }
    return -1;
  }

  const Node* nodes_;
  const std::byte* base_;
  std::ptrdiff_t stride_;
  std::vector<std::int32_t> later_;
};

/// The leaves of a packed tree as intervals by feature, for RowMasks.
struct MaskTree {
  std::vector<MaskFeature> features;
  std::vector<std::size_t> leaf_class;
};

MaskTree masks_of(const Packed& tree) {
  const double infinity = std::numeric_limits<double>::infinity();
  MaskTree out;
  std::map<std::ptrdiff_t, std::size_t> place;
  for (const Node& node : tree.nodes) {
    if (node.bit != 0) continue;
    const auto [it, is_new] = place.emplace(node.offset, out.features.size());
    if (is_new) out.features.push_back({node.offset, {}, {}});
    out.features[it->second].cuts.push_back(node.cut);
  }
  for (MaskFeature& feature : out.features) {
    std::sort(feature.cuts.begin(), feature.cuts.end());
    feature.cuts.erase(std::unique(feature.cuts.begin(), feature.cuts.end()), feature.cuts.end());
  }
  using Sides = std::vector<std::pair<double, double>>;
  std::vector<std::pair<std::int32_t, Sides>> todo;
  todo.emplace_back(0, Sides(out.features.size(), {-infinity, infinity}));
  while (!todo.empty()) {
    auto [i, sides] = std::move(todo.back());
    todo.pop_back();
    const Node& node = tree.nodes[static_cast<std::size_t>(i)];
    if (node.bit != 0) {
      const std::size_t leaf = out.leaf_class.size();
      out.leaf_class.push_back(static_cast<std::size_t>(std::countr_zero(node.bit)));
      for (std::size_t f = 0; f < sides.size(); ++f) {
        out.features[f].intervals.push_back({leaf, sides[f].first, sides[f].second});
      }
      continue;
    }
    const std::size_t f = place.at(node.offset);
    Sides above = sides;
    sides[f].second = std::min(sides[f].second, node.cut);
    above[f].first = std::max(above[f].first, node.cut);
    todo.emplace_back(node.child[1], std::move(above));
    todo.emplace_back(node.child[0], std::move(sides));
  }
  return out;
}

/// The share of the values that the tree asks for which is unknown, in a look at some rows.
template <class T>
double share_unknown(const Packed& tree, const std::byte* base, std::ptrdiff_t stride,
                     std::size_t first, std::size_t end) {
  std::size_t unknown = 0;
  std::size_t seen = 0;
  for (std::size_t row = first; row < std::min(end, first + 32); ++row) {
    for (const Node& node : tree.nodes) {
      if (node.bit != 0) continue;
      T x;
      std::memcpy(&x, base + stride * static_cast<std::ptrdiff_t>(row) + node.offset, sizeof(T));
      unknown += x != x ? 1 : 0;
      ++seen;
    }
  }
  return static_cast<double>(unknown) / static_cast<double>(seen);
}

/// The common first byte and spacing of the columns that the tree uses, if they are all doubles or
/// all floats and equally spaced, NaN is unknown, and there are at most 64 classes.
struct Spacing {
  Column::Kind kind;
  const std::byte* base;
  std::ptrdiff_t stride;
};

std::optional<Spacing> equal_spacing(const TreeView& tree, std::span<const Domain> domains,
                                     std::span<const Column> columns) {
  std::optional<Spacing> common;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree.feature[i] < 0) {
      if (tree.leaf_class[i] >= 64) return std::nullopt;
      continue;
    }
    const auto f = static_cast<std::size_t>(tree.feature[i]);
    const Column& column = columns[f];
    if (domains[f].nan) return std::nullopt;
    if (column.kind != Column::Kind::f64 && column.kind != Column::Kind::f32) return std::nullopt;
    if (!common) common = Spacing{column.kind, column.first, column.stride};
    if (column.kind != common->kind || column.stride != common->stride) return std::nullopt;
  }
  return common;
}

/// Runs `work(first, end)` over blocks of rows on several threads; the calling one polls.
void in_blocks(std::size_t n_rows, std::size_t n_threads, Poll poll,
               const std::function<void(std::size_t, std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stop{false};
  const auto loop = [&](bool polls) {
    while (!stop) {
      const std::size_t first = next.fetch_add(block);
      if (first >= n_rows) return;
      work(first, std::min(first + block, n_rows));
      if (polls) poll();
    }
  };
  std::vector<std::thread> others;
  const std::size_t useful = std::min(n_threads, (n_rows + block - 1) / block);
  for (std::size_t i = 1; i < useful; ++i) others.emplace_back(loop, false);
  std::exception_ptr fault;
  try {
    loop(true);
  } catch (...) {
    fault = std::current_exception();
    stop = true;
  }
  for (std::thread& other : others) other.join();
  if (fault) std::rethrow_exception(fault);
}

}  // namespace

void decide(const TreeView& tree, std::span<const Domain> domains,
            std::span<const double> threshold, std::span<const Column> columns, std::size_t n_rows,
            std::span<std::int32_t> label, std::size_t n_threads, Poll poll) {
  if (tree.size() == 1) {
    std::fill(label.begin(), label.end(), tree.leaf_class[0]);
    return;
  }
  const std::optional<Spacing> spacing = equal_spacing(tree, domains, columns);
  if (!spacing) {
    reach(tree, domains, threshold, columns, n_rows, 0, {{}, label, {}}, poll);
    return;
  }
  const Packed packed = pack(tree, threshold, columns, spacing->base);
  const std::size_t n_leaves = (packed.nodes.size() + 1) / 2;
  const auto work = [&]<class T>(T) {
    const std::byte* base = spacing->base;
    const std::ptrdiff_t stride = spacing->stride;
    const auto walk_rows = [&](std::size_t first, std::size_t end) {
      Walker<T>(packed, base, stride).run(first, end, label.data());
    };
    // Masks do the same work for every row, which grows with the leaves; a walk does more, the more
    // is unknown. Where they cross was measured; four floats are compared at a time, and two
    // doubles.
    const auto by_masks = [&]<std::size_t n_words>(std::array<int, n_words>, double least_unknown) {
      const MaskTree leaves = masks_of(packed);
      const RowMasks<T, n_words> masks(leaves.features, leaves.leaf_class, base, stride);
      in_blocks(n_rows, n_threads, poll, [&](std::size_t first, std::size_t end) {
        if (share_unknown<T>(packed, base, stride, first, end) >= least_unknown) {
          masks.run(first, end, label.data());
        } else {
          walk_rows(first, end);
        }
      });
    };
    if (n_leaves <= 64) return by_masks(std::array<int, 1>{}, 0.0);
    if constexpr (sizeof(T) == 4) {
      if (n_leaves <= 128) return by_masks(std::array<int, 2>{}, 0.2);
      if (n_leaves <= 192) return by_masks(std::array<int, 3>{}, 0.3);
    }
    in_blocks(n_rows, n_threads, poll, walk_rows);
  };
  if (spacing->kind == Column::Kind::f64) {
    work(double{});
  } else {
    work(float{});
  }
}

}  // namespace orderless
