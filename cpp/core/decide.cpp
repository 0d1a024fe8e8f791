#include "core/decide.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <exception>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

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
  const auto run = [&]<class T>(T) {
    in_blocks(n_rows, n_threads, poll, [&](std::size_t first, std::size_t end) {
      Walker<T>(packed, spacing->base, spacing->stride).run(first, end, label.data());
    });
  };
  if (spacing->kind == Column::Kind::f64) {
    run(double{});
  } else {
    run(float{});
  }
}

}  // namespace orderless
