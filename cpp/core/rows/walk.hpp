#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "core/rows/masks.hpp"

namespace orderless::rows {

/// Walks rows of T, `stride` bytes apart, down a packed tree. Where a value is unknown the row goes
/// on to one child and keeps the other for later; it is left as soon as two classes are met (all of
/// them: ends_walk.hpp). Some rows walk at the same time, each at its own pace, and but for the end
/// of a walk no branch depends on the values, so the processor has little to guess and always
/// something to do.
template <class T>
class RowWalk {
 public:
  RowWalk(const PackedTree& tree, const std::byte* base, std::ptrdiff_t stride)
      : nodes_(tree.nodes), base_(base), stride_(stride), room_(tree.depth + 2) {}

  /// Where the least and the greatest class met by each row go.
  struct Out {
    std::int32_t* low;
    std::int32_t* high;
  };

  /// Writes the classes of the rows from `first` to `end`, the first one's to out.low[0].
  /// `complete`: few rows will meet an unknown value; the result is the same, whether or not it
  /// holds.
  void run(std::size_t first, std::size_t end, Out out, bool complete) const {
    std::vector<std::int32_t> later(width * room_);
    const std::byte* const at = base_ + stride_ * static_cast<std::ptrdiff_t>(first);
    if (complete) {
      run_complete(at, end - first, out, later.data());
    } else {
      run_any(at, end - first, out, later.data());
    }
  }

 private:
  static constexpr std::size_t width = 4;    // rows that walk at the same time
  static constexpr std::size_t abreast = 8;  // likewise, as if complete

  struct Walk {
    const std::byte* row = nullptr;
    std::int32_t* later = nullptr;  // nodes kept, below `top`
    std::size_t number = 0;
    std::size_t top = 0;
    std::int32_t node = 0;
    std::int32_t low = none, high = -1;  // the least and the greatest class met
  };

  static constexpr std::int32_t none = std::numeric_limits<std::int32_t>::max();

  /// Rows at their own pace: where one has come to its end, the next one begins.
  void run_any(const std::byte* at, std::size_t n, Out out, std::int32_t* later) const {
    Walk walks[width];
    for (std::size_t k = 0; k < width; ++k) walks[k].later = later + k * room_;
    std::size_t next = 0;
    for (; next < std::min(n, width); ++next) begin(walks[next], at, next);
    const std::size_t n_walks = next;
    while (next < n) {
      for (std::size_t k = 0; k < width; ++k) {
        Walk& walk = walks[k];
        if (step(walk)) continue;
        answer(walk, out);
        if (next == n) {
          for (std::size_t j = 0; j < width; ++j) {
            if (j != k) finish(walks[j], out);
          }
          return;
        }
        begin(walk, at, next++);
      }
    }
    for (std::size_t k = 0; k < n_walks; ++k) finish(walks[k], out);
  }

  /// Rows side by side, as if all values were known; a row that met an unknown one walks again.
  void run_complete(const std::byte* at, std::size_t n, Out out, std::int32_t* later) const {
    Walk again;
    again.later = later;
    const PackedTree::Node* const nodes = nodes_.data();
    for (std::size_t row = 0; row < n; row += abreast) {
      const std::byte* rows[abreast];
      std::int32_t node[abreast] = {};
      bool unknown[abreast] = {};
      for (std::size_t k = 0; k < abreast; ++k) {  // the last row again, where there are no more
        rows[k] = at + stride_ * static_cast<std::ptrdiff_t>(std::min(row + k, n - 1));
      }
      std::int32_t all = 0;
      while (all >= 0) {
        all = -1;
        for (std::size_t k = 0; k < abreast; ++k) {
          const std::int32_t walking = ~(node[k] >> 31);  // all bits; none, at a leaf
          const PackedTree::Node& here = nodes[node[k] & walking];
          T x;
          std::memcpy(&x, rows[k] + here.offset, sizeof(T));
          unknown[k] |= x != x;
          const std::int32_t on = here.child[!(static_cast<double>(x) <= here.cut)];
          node[k] ^= (node[k] ^ on) & walking;
          all &= node[k];
        }
      }
      for (std::size_t k = 0; k < std::min(abreast, n - row); ++k) {
        out.low[row + k] = out.high[row + k] = ~node[k];
        if (!unknown[k]) continue;
        begin(again, at, row + k);
        finish(again, out);
      }
    }
  }

  void begin(Walk& walk, const std::byte* at, std::size_t number) const {
    walk.row = at + stride_ * static_cast<std::ptrdiff_t>(number);
    walk.number = number;
    walk.top = 0;
    walk.node = 0;
    walk.low = none;
    walk.high = -1;
  }

  static void answer(const Walk& walk, Out out) {
    out.low[walk.number] = walk.low;
    out.high[walk.number] = walk.high;
  }

  void finish(Walk& walk, Out out) const {
    while (step(walk)) {
    }
    answer(walk, out);
  }

  /// Meets a child: a leaf is ~class; of an inner node, and of -1, neither end changes.
  static void meet(Walk& walk, std::int32_t leaf) {
    walk.low = std::min(walk.low, leaf & none);
    walk.high = std::max(walk.high, leaf);
  }

  /// One node on; false when the walk has come to its end.
  bool step(Walk& walk) const {
    const PackedTree::Node& here = nodes_[static_cast<std::size_t>(walk.node)];
    T x;
    std::memcpy(&x, walk.row + here.offset, sizeof(T));
    // Selected by bits, not by ?:, of which compilers like to make branches.
    const auto above = static_cast<std::size_t>(!(static_cast<double>(x) <= here.cut));
    const std::int32_t unknown = x != x;
    const std::int32_t on = here.child[above];
    const std::int32_t kept = here.child[1 - above];
    meet(walk, ~on);
    meet(walk, ~kept | (unknown - 1));
    walk.later[walk.top] = kept;
    std::size_t top = walk.top + static_cast<std::size_t>(unknown & (~kept >> 31 & 1));
    const std::int32_t leaf = on >> 31;  // all bits, or none
    const bool some = top > 0;
    const bool goes_on = ((leaf == 0) | some) & (walk.low >= walk.high);
    top -= static_cast<std::size_t>(some & (leaf != 0));
    walk.node = on ^ ((on ^ walk.later[top]) & leaf);
    walk.top = top;
    return goes_on;
  }

  std::span<const PackedTree::Node> nodes_;
  const std::byte* base_;
  std::ptrdiff_t stride_;
  std::size_t room_;
};

/// Finds the least and the greatest class that each row of T, `stride` bytes apart, can reach in a
/// packed tree. Eight walks go on in turn, each at its own pace, and but for the end of a walk no
/// branch depends on the values. Where one of these is unknown, the other child is kept for later.
/// What lies below a child that is between the row's ends by then is left out: so of the leaves
/// that a row can reach, few are visited.
template <class T>
class EndsWalk {
 public:
  EndsWalk(const PackedTree& tree, const std::byte* base, std::ptrdiff_t stride)
      : base_(base), stride_(stride), depth_(tree.depth) {
    nodes_.resize(tree.nodes.size());
    for (std::size_t i = nodes_.size(); i-- > 0;) {  // children come after their parents
      nodes_[i].node = tree.nodes[i];
      for (std::size_t c = 0; c < 2; ++c) nodes_[i].below[c] = range(tree.nodes[i].child[c]);
    }
  }

  /// Writes the ends of the rows from `first` to `end`, the first one's to low[0] and high[0].
  /// `some`: only of those that have two different classes there already.
  void run(std::size_t first, std::size_t end, std::int32_t* low, std::int32_t* high,
           bool some) const {
    Work work(base_ + stride_ * static_cast<std::ptrdiff_t>(first), end - first, {low, high}, some);
    if (!some) {
      std::fill(low, low + (end - first), none);
      std::fill(high, high + (end - first), -1);
    }
    Walk walks[abreast];
    std::size_t n = 0;
    while (n < abreast && take(work, walks[n])) ++n;
    while (n == abreast) {
      for (std::size_t k = 0; k < abreast; ++k) {
        if (step(work, walks[k])) continue;
        if (take(work, walks[k])) continue;
        walks[k] = walks[--n];  // there is no more to begin
        break;
      }
    }
    for (std::size_t k = 0; k < n; ++k) {
      do {
        while (step(work, walks[k])) {
        }
      } while (take(work, walks[k]));
    }
  }

 private:
  static constexpr std::size_t abreast = 8;
  static constexpr std::int32_t none = std::numeric_limits<std::int32_t>::max();

  struct Range {
    std::int32_t low = none, high = -1;
  };

  /// A node, and the classes below its children.
  struct alignas(64) Node {
    PackedTree::Node node;
    Range below[2];
  };

  /// A branch for later: 2 x node + child.
  struct Kept {
    std::uint32_t branch = 0;
    std::uint32_t row = 0;
  };

  struct Walk {
    const std::byte* values = nullptr;
    std::uint32_t row = 0;
    std::int32_t node = 0;
  };

  struct Ends {
    std::int32_t* low;
    std::int32_t* high;
    void meet(std::uint32_t row, Range classes) const {
      low[row] = std::min(low[row], classes.low);
      high[row] = std::max(high[row], classes.high);
    }
    [[nodiscard]] bool between(std::uint32_t row, Range classes) const {
      return (classes.low >= low[row]) & (classes.high <= high[row]);
    }
  };

  /// What there is to do: the rows from `next` to `n`, and branches below `top`.
  struct Work {
    Work(const std::byte* first, std::size_t rows, Ends found, bool only_some)
        : at(first), n(static_cast<std::uint32_t>(rows)), out(found), some(only_some) {}
    const std::byte* at;
    std::uint32_t n, next = 0;
    Ends out;
    bool some;
    std::vector<Kept> later;
    std::size_t top = 0;
  };

  [[nodiscard]] Range range(std::int32_t child) const {
    if (child < 0) return {~child, ~child};
    const Range* const two = nodes_[static_cast<std::size_t>(child)].below;
    return {std::min(two[0].low, two[1].low), std::max(two[0].high, two[1].high)};
  }

  /// Begins the last branch that can still bring something new, or the next row; leaves are met at
  /// once. False where there is none.
  bool take(Work& work, Walk& walk) const {
    // All walks can keep a branch at every level before the next one ends.
    const std::size_t most = work.top + abreast * (depth_ + 1);
    if (work.later.size() < most) work.later.resize(2 * most);
    while (work.top > 0) {
      const Kept kept = work.later[--work.top];
      const Node& parent = nodes_[kept.branch / 2];
      const Range below = parent.below[kept.branch % 2];
      if (work.out.between(kept.row, below)) continue;
      const std::int32_t child = parent.node.child[kept.branch % 2];
      if (child >= 0) {
        walk = {row_at(work, kept.row), kept.row, child};
        return true;
      }
      work.out.meet(kept.row, below);
    }
    while (work.next < work.n) {
      const std::uint32_t row = work.next++;
      if (work.some && work.out.low[row] == work.out.high[row]) continue;
      walk = {row_at(work, row), row, 0};
      return true;
    }
    return false;
  }

  [[nodiscard]] const std::byte* row_at(const Work& work, std::uint32_t row) const {
    return work.at + stride_ * static_cast<std::ptrdiff_t>(row);
  }

  /// One node on; false at a leaf, which is met, and where nothing new lies below.
  bool step(Work& work, Walk& walk) const {
    const PackedTree::Node& here = nodes_[static_cast<std::size_t>(walk.node)].node;
    T x;
    std::memcpy(&x, walk.values + here.offset, sizeof(T));
    const auto above = static_cast<std::uint32_t>(!(static_cast<double>(x) <= here.cut));
    work.later[work.top] = {2 * static_cast<std::uint32_t>(walk.node) + (above ^ 1U), walk.row};
    work.top += static_cast<std::size_t>(x != x);
    const Range below = nodes_[static_cast<std::size_t>(walk.node)].below[above];
    walk.node = here.child[above];
    if ((walk.node >= 0) & !work.out.between(walk.row, below)) return true;
    work.out.meet(walk.row, below);  // a leaf; or between the ends, which changes nothing
    return false;
  }

  std::vector<Node> nodes_;
  const std::byte* base_;
  std::ptrdiff_t stride_;
  std::size_t depth_;
};

}  // namespace orderless::rows
