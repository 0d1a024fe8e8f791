#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/base/machine.hpp"
#include "core/rows/masks.hpp"
#include "core/rows/values.hpp"

#if defined(ORDERLESS_X86)
#include <immintrin.h>
#endif

namespace orderless::rows {

/// Decides rows of S, compared as T, in a tree of many leaves. Some rows are copied to where they
/// stay near, and walk down side by side, as if an unknown value were above every cut; the levels
/// at which a value is unknown are noted as bits. A row whose leaves agree so far goes on from the
/// deepest of them, along the branch that it has left out, together with the rows that begin at the
/// same level; it ends with the second class that it meets. No branch depends on the values, but
/// for the ends of lists.
template <class S, class T>
class LaneWalk {
 public:
  /// Whether a tree is as small as its nodes and levels are written here.
  [[nodiscard]] static bool takes(const PackedTree& tree) {
    return tree.depth < 32 && tree.offsets.size() < most_features &&
           2 * tree.nodes.size() + 1 < std::size_t{1} << (32 - feature_bits);
  }

  /// The tree has inner nodes, and LaneWalk takes it. `wide`: use AVX2, which the processor must
  /// have.
  LaneWalk(const PackedTree& tree, const std::byte* base, std::ptrdiff_t stride, bool wide)
      : offsets_(tree.offsets), base_(base), stride_(stride), depth_(tree.depth), wide_(wide) {
    std::vector<std::int32_t> from{0};  // a node of the tree, or ~class
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (from[i] < 0) {  // a leaf leads to itself: its cut is above the number that it asks for
        add(std::numeric_limits<T>::infinity(), i, offsets_.size(), ~from[i]);
        leaf_ = static_cast<std::uint32_t>(i);
        continue;
      }
      const PackedTree::Node& node = tree.nodes[static_cast<std::size_t>(from[i])];
      const auto at = std::lower_bound(offsets_.begin(), offsets_.end(), node.offset);
      add(comparable<S, T>(node.cut), from.size(), static_cast<std::size_t>(at - offsets_.begin()),
          -1);
      from.insert(from.end(), {node.child[0], node.child[1]});
    }
  }

  /// Writes the classes of the rows from `first` to `end`, the first one's to low[0] and high[0];
  /// where a row can get several, the two differ.
  void run(std::size_t first, std::size_t end, std::int32_t* low, std::int32_t* high) const {
    std::unique_ptr<Work> own = take_work();
    Work& work = *own;
    for (std::size_t row = first; row < end; row += batch) {
      const std::size_t n = std::min(batch, end - row);
      copy_values<S, T>(base_, stride_, offsets_, row, n, work.width, work.values.data());
      work.low = low + (row - first);
      work.high = high + (row - first);
      begin(work, n);
      bool some = true;
      while (some) {
        some = false;
        for (std::size_t level = depth_; level > 0; --level) {
          const std::size_t waiting = work.n_waiting[level];
          if (waiting == 0) continue;
          some = true;
          work.n_waiting[level] = 0;
          go_on(work, level, waiting);
        }
      }
    }
    const std::scoped_lock lock(busy_);
    spare_.push_back(std::move(own));
  }

 private:
  static constexpr std::size_t vectors = 3;  // of eight lanes each, side by side
  static constexpr std::size_t lanes = 8 * vectors;
  static constexpr std::size_t batch = 40 * lanes;    // rows
  static constexpr std::size_t room = batch + lanes;  // of a list, which is filled up
  static constexpr unsigned feature_bits = 10;
  static constexpr std::size_t most_features = std::size_t{1} << feature_bits;

  using Lane = std::array<std::uint32_t, lanes>;

  /// What rows walk with. Lists, paths and values are by row.
  struct Work {
    Work(std::size_t depth, std::size_t columns)
        : width(columns),
          values(batch * columns),  // the last column: 0, for leaves
          path(batch * depth),
          open(batch),
          rows(room * (depth + 1)),
          nodes(room * (depth + 1)),
          n_waiting(depth + 1),
          own_path(lanes * depth) {}
    std::size_t width;
    std::vector<T> values;
    std::vector<std::uint32_t> path;         // by level: nodes at which values are unknown
    std::vector<std::uint32_t> open;         // levels to which a row has to come back
    std::vector<std::uint32_t> rows, nodes;  // by level: rows that begin there, and where
    std::vector<std::size_t> n_waiting;      // by level
    std::vector<std::uint32_t> own_path;     // of some lanes
    alignas(64) Lane row{}, node{}, unknown{};
    std::int32_t* low = nullptr;
    std::int32_t* high = nullptr;
  };

  /// Memory that another call has left, or new.
  [[nodiscard]] std::unique_ptr<Work> take_work() const {
    const std::scoped_lock lock(busy_);
    if (spare_.empty()) return std::make_unique<Work>(depth_, offsets_.size() + 1);
    std::unique_ptr<Work> work = std::move(spare_.back());
    spare_.pop_back();
    return work;
  }

  void add(T cut, std::size_t child, std::size_t feature, std::int32_t label) {
    cut_.push_back(cut);
    on_.push_back(static_cast<std::uint32_t>(child << feature_bits | feature));
    label_.push_back(label);
  }

  /// The first walks, from the root.
  void begin(Work& work, std::size_t n) const {
    for (std::size_t first = 0; first < n; first += lanes) {
      for (std::size_t k = 0; k < lanes; ++k) {
        work.row[k] = static_cast<std::uint32_t>(std::min(first + k, n - 1));
      }
      work.node.fill(0);
      walk(work, 0, &work.path[first], batch);
      for (std::size_t k = 0; k < std::min(lanes, n - first); ++k) {
        const std::int32_t label = label_[work.node[k]];
        work.low[first + k] = label;
        answer(work, first + k, label, work.unknown[k]);
      }
    }
  }

  /// The walks that begin at a level below the root.
  void go_on(Work& work, std::size_t level, std::size_t n) const {
    std::uint32_t* const rows = &work.rows[level * room];
    std::uint32_t* const nodes = &work.nodes[level * room];
    std::fill_n(rows + n, lanes, rows[0]);
    std::fill_n(nodes + n, lanes, leaf_);
    for (std::size_t first = 0; first < n; first += lanes) {
      std::copy_n(rows + first, lanes, work.row.begin());
      std::copy_n(nodes + first, lanes, work.node.begin());
      walk(work, level, work.own_path.data(), lanes);
      for (std::size_t k = 0; k < std::min(lanes, n - first); ++k) {
        const std::size_t row = work.row[k];
        for (std::uint32_t left = work.unknown[k]; left != 0; left &= left - 1) {
          const auto at = static_cast<std::size_t>(std::countr_zero(left));
          work.path[at * batch + row] = work.own_path[at * lanes + k];
        }
        answer(work, row, label_[work.node[k]], work.open[row] | work.unknown[k]);
      }
    }
  }

  /// Meets the class of a leaf. `open`: levels at which the row has left a branch out; unless it
  /// has met two classes, it waits to begin at the deepest.
  void answer(Work& work, std::size_t row, std::int32_t label, std::uint32_t open) const {
    const bool same = work.low[row] == label;
    work.high[row] = same ? label : -1;
    const auto at = static_cast<std::size_t>(31 - std::countl_zero(open | 1U));
    work.open[row] = open & ~(std::uint32_t{1} << at);
    const std::uint32_t from = work.path[at * batch + row];
    const std::size_t place = (at + 1) * room + work.n_waiting[at + 1];
    work.rows[place] = static_cast<std::uint32_t>(row);
    work.nodes[place] = on_[from] >> feature_bits;
    work.n_waiting[at + 1] += static_cast<std::size_t>(same & (open != 0));
  }

  /// Leads all lanes from their nodes, at `level`, to leaves; notes their nodes in `path`, `step`
  /// from level to level, and the levels at which a value is unknown.
  void walk(Work& work, std::size_t level, std::uint32_t* path, std::size_t step) const {
#if defined(ORDERLESS_X86)
    if (wide_) return walk_wide(work, level, path, step);
#endif
    walk_any(work, level, path, step);
  }

  void walk_any(Work& work, std::size_t level, std::uint32_t* path, std::size_t step) const {
    work.unknown.fill(0);
    std::uint32_t moved = 1;
    for (std::size_t at = level; at < depth_ && moved != 0; ++at) {
      moved = 0;
      for (std::size_t k = 0; k < lanes; ++k) {
        const std::uint32_t node = work.node[k];
        path[at * step + k] = node;
        const std::uint32_t on = on_[node];
        const T x = work.values[work.row[k] * work.width + on % most_features];
        const auto above = static_cast<std::uint32_t>(!(x <= cut_[node]));
        work.unknown[k] |= static_cast<std::uint32_t>(x != x) << at;
        work.node[k] = (on >> feature_bits) + above;
        moved |= work.node[k] ^ node;
      }
    }
  }

#if defined(ORDERLESS_X86)
  // With all that gcc's shorter forms leave undefined, of which it warns itself.
  ORDERLESS_FOR("avx2") ORDERLESS_INLINE static __m256 gathered(const float* from, __m256i at) {
    const __m256 all = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
    return _mm256_mask_i32gather_ps(_mm256_setzero_ps(), from, at, all, 4);
  }
  ORDERLESS_FOR("avx2") ORDERLESS_INLINE static __m256d gathered(const double* from, __m128i at) {
    const __m256d all = _mm256_castsi256_pd(_mm256_set1_epi32(-1));
    return _mm256_mask_i32gather_pd(_mm256_setzero_pd(), from, at, all, 8);
  }

  /// By lane all bits where a value is not at most the node's cut, and where it is unknown.
  struct Compared {
    __m256i above, unknown;
  };

  ORDERLESS_FOR("avx2")
  ORDERLESS_INLINE static Compared compared(const float* values, const float* cuts, __m256i at,
                                            __m256i node) {
    const __m256 x = gathered(values, at);
    const __m256 cut = gathered(cuts, node);
    return {_mm256_castps_si256(_mm256_cmp_ps(x, cut, _CMP_NLE_UQ)),
            _mm256_castps_si256(_mm256_cmp_ps(x, x, _CMP_UNORD_Q))};
  }

  ORDERLESS_FOR("avx2")
  ORDERLESS_INLINE static Compared compared(const double* values, const double* cuts, __m256i at,
                                            __m256i node) {
    const __m256d x0 = gathered(values, _mm256_castsi256_si128(at));
    const __m256d x1 = gathered(values, _mm256_extracti128_si256(at, 1));
    const __m256d cut0 = gathered(cuts, _mm256_castsi256_si128(node));
    const __m256d cut1 = gathered(cuts, _mm256_extracti128_si256(node, 1));
    return {narrowed(_mm256_cmp_pd(x0, cut0, _CMP_NLE_UQ), _mm256_cmp_pd(x1, cut1, _CMP_NLE_UQ)),
            narrowed(_mm256_cmp_pd(x0, x0, _CMP_UNORD_Q), _mm256_cmp_pd(x1, x1, _CMP_UNORD_Q))};
  }

  /// Two times four masks of 64 bits as eight of 32.
  ORDERLESS_FOR("avx2")
  ORDERLESS_INLINE static __m256i narrowed(__m256d first, __m256d last) {
    const __m256 mixed = _mm256_shuffle_ps(_mm256_castpd_ps(first), _mm256_castpd_ps(last), 0x88);
    return _mm256_permute4x64_epi64(_mm256_castps_si256(mixed), 0xd8);
  }

  ORDERLESS_FOR("avx2")
  void walk_wide(Work& work, std::size_t level, std::uint32_t* path, std::size_t step) const {
    const auto* const on = reinterpret_cast<const float*>(on_.data());  // only moved
    const T* const cuts = cut_.data();
    const T* const values = work.values.data();
    const __m256i width = _mm256_set1_epi32(static_cast<int>(work.width));
    const __m256i feature = _mm256_set1_epi32(static_cast<int>(most_features - 1));
    __m256i node[vectors], start[vectors], unknown[vectors];
    for (std::size_t k = 0; k < vectors; ++k) {
      node[k] = load(&work.node[8 * k]);
      start[k] = _mm256_mullo_epi32(width, load(&work.row[8 * k]));
      unknown[k] = _mm256_setzero_si256();
    }
    for (std::size_t at = level; at < depth_; ++at) {
      const __m256i bit = _mm256_set1_epi32(static_cast<int>(std::uint32_t{1} << at));
      __m256i stays = _mm256_set1_epi32(-1);
      for (std::size_t k = 0; k < vectors; ++k) {
        store(path + at * step + 8 * k, node[k]);
        const __m256i both = _mm256_castps_si256(gathered(on, node[k]));
        const __m256i from = _mm256_add_epi32(start[k], _mm256_and_si256(both, feature));
        const Compared x = compared(values, cuts, from, node[k]);
        unknown[k] = _mm256_or_si256(unknown[k], _mm256_and_si256(x.unknown, bit));
        const __m256i next = _mm256_sub_epi32(_mm256_srli_epi32(both, feature_bits), x.above);
        stays = _mm256_and_si256(stays, _mm256_cmpeq_epi32(next, node[k]));
        node[k] = next;
      }
      if (_mm256_movemask_epi8(stays) == -1) break;
    }
    for (std::size_t k = 0; k < vectors; ++k) {
      store(&work.node[8 * k], node[k]);
      store(&work.unknown[8 * k], unknown[k]);
    }
  }

  ORDERLESS_FOR("avx2") ORDERLESS_INLINE static __m256i load(const std::uint32_t* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  ORDERLESS_FOR("avx2") ORDERLESS_INLINE static void store(std::uint32_t* to, __m256i lane) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), lane);
  }
#endif

  const std::vector<std::ptrdiff_t>& offsets_;  // of the features, sorted
  const std::byte* base_;
  std::ptrdiff_t stride_;
  std::size_t depth_;
  bool wide_;
  std::uint32_t leaf_ = 0;         // some leaf
  std::vector<T> cut_;             // by node, a leaf's above all
  std::vector<std::uint32_t> on_;  // child for values at most the cut, the other one is the next
                                   // node; and the feature, in the last bits
  std::vector<std::int32_t> label_;
  mutable std::mutex busy_;
  mutable std::vector<std::unique_ptr<Work>> spare_;
};

}  // namespace orderless::rows
