#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/machine.hpp"
#include "core/rows/reach.hpp"
#include "core/tree/tree.hpp"

namespace orderless::rows {

/// The inner nodes of a tree in which every branch of one class is one leaf, level by level.
struct PackedTree {
  struct Node {
    double cut = 0;
    std::ptrdiff_t offset = 0;       // of the feature's value, from the row's first
    std::int32_t child[2] = {0, 0};  // at most the cut, above; a leaf is ~class
  };
  std::vector<Node> nodes;              // none: the tree is one leaf
  std::vector<std::ptrdiff_t> offsets;  // of the features asked for, sorted
  std::int32_t root = 0;                // its class, if it is one leaf
  std::size_t depth = 0;

  [[nodiscard]] std::size_t n_leaves() const { return nodes.size() + 1; }
};

/// `threshold` replaces the tree's; offsets are bytes from `base`.
[[nodiscard]] PackedTree pack(const TreeView& tree, std::span<const double> threshold,
                              std::span<const Column> columns, const std::byte* base);

// What is compiled twice: for any processor, and for those with AVX2, which compare twice as many
// values at a time. Both give the same; the choice is made when it runs.

/// A leaf's interval on one feature: values above `low` and at most `high`.
struct LeafInterval {
  std::size_t leaf;
  double low, high;
};

/// One feature: where its values lie, its cuts, and the leaves' intervals on it.
struct IntervalFeature {
  std::ptrdiff_t offset = 0;
  std::vector<double> cuts;  // sorted
  std::vector<LeafInterval> intervals;

  /// Whether the leaf takes the values of a bin: above cuts[bin - 1] and at most cuts[bin].
  [[nodiscard]] bool meets(const LeafInterval& side, std::size_t bin) const {
    const bool below = bin > 0 && cuts[bin - 1] >= side.high;  // the bin begins too high
    const bool above = bin < cuts.size() && cuts[bin] <= side.low;
    return !below && !above;
  }
};

/// The leaves of a tree as intervals by feature.
struct IntervalTree {
  std::vector<IntervalFeature> features;
  std::vector<std::int32_t> leaf_class;
};

[[nodiscard]] IntervalTree intervals_of(const PackedTree& tree);

/// One feature for RowMasks: where its values lie, its cuts, and a mask of leaves for each bin.
struct MaskFeature {
  std::ptrdiff_t offset = 0;
  std::vector<double> cuts;          // sorted
  std::vector<std::uint64_t> masks;  // n_words each: by bin, and one more for unknown
};

/// The leaves of a tree as bits, numbered class by class, and as masks by feature.
struct MaskTree {
  std::vector<MaskFeature> features;
  std::vector<std::int32_t> leaf_class;  // by bit
};

/// Masks of `n_words` words, which hold every leaf of the tree.
[[nodiscard]] MaskTree masks_of(const PackedTree& tree, std::size_t n_words);

/// Whether rounding doubles to floats moves none across a cut, so that floats can be compared.
inline bool sharp_as_float(double cut) {
  const double above = std::nextafter(cut, std::numeric_limits<double>::infinity());
  return static_cast<float>(above) > static_cast<float>(cut);
}

/// What a value of S, as T, is at most iff the value itself is at most the cut. Where T is narrower
/// than S the cut must be sharp.
template <class S, class T>
[[nodiscard]] T comparable(double cut) {
  const T near = static_cast<T>(cut);
  if constexpr (sizeof(S) != sizeof(T)) return near;  // the rows are rounded too
  return static_cast<double>(near) > cut ? std::nextafter(near, -std::numeric_limits<T>::infinity())
                                         : near;
}

/// Whether this processor has AVX2, and the core was built to use it.
inline bool has_avx2() { return processor().avx2 && processor().bmi; }

/// Decides rows of S, compared as T, for trees of at most 64 x n_words leaves: one bit per leaf,
/// one mask per feature and bin; a row is the AND of one mask per known feature. Leaves are
/// numbered class by class, so the first survivor has the least class and the last the greatest.
/// The same work for every row, whatever is unknown and however many classes there are, and no
/// branch.
template <class S, class T, std::size_t n_words>
class RowMasks {
 public:
  /// `tree` was made for masks of n_words, and stays. `wide`: use AVX2, which the processor must
  /// have.
  RowMasks(const MaskTree& tree, const std::byte* base, std::ptrdiff_t stride, bool wide)
      : class_(tree.leaf_class.data()), base_(base), stride_(stride), wide_(wide) {
    for (const MaskFeature& from : tree.features) {
      std::vector<T> cuts(from.cuts.size());
      std::ranges::transform(from.cuts, cuts.begin(), comparable<S, T>);
      features_.push_back({from.offset, std::move(cuts), from.masks.data()});
    }
  }

  /// Writes the least and the greatest class of the rows from `first` to `end`, the first one's to
  /// low[0] and high[0].
  void run(std::size_t first, std::size_t end, std::int32_t* low, std::int32_t* high) const {
#if defined(ORDERLESS_X86)
    if (wide_) return run_wide(first, end, low, high);
#endif
    run_any(first, end, low, high);
  }

 private:
  static constexpr std::size_t block = 256;
  static constexpr std::size_t tile = 32;  // rows whose counts stay in registers
  // As wide as T, so that the compiler can count in the lanes it compares in.
  using Bin = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;

  struct Feature {
    std::ptrdiff_t offset = 0;
    std::vector<T> cuts;
    const std::uint64_t* masks = nullptr;
  };

  void run_any(std::size_t first, std::size_t end, std::int32_t* low, std::int32_t* high) const {
    for (std::size_t row = first; row < end; row += block) {
      some(row, std::min(block, end - row), low + (row - first), high + (row - first));
    }
  }

#if defined(ORDERLESS_X86)
  ORDERLESS_FOR("avx2,bmi")
  void run_wide(std::size_t first, std::size_t end, std::int32_t* low, std::int32_t* high) const {
    for (std::size_t row = first; row < end; row += block) {
      const std::size_t n = end - row < block ? end - row : block;
      some(row, n, low + (row - first), high + (row - first));
    }
  }
#endif

  ORDERLESS_INLINE void some(std::size_t row, std::size_t n, std::int32_t* low,
                             std::int32_t* high) const {
    alignas(64) std::uint64_t leaves[block][n_words];
    alignas(64) T values[block];
    alignas(64) Bin bins[block];
    for (std::size_t r = 0; r < block; ++r) {
      for (std::size_t w = 0; w < n_words; ++w) leaves[r][w] = ~std::uint64_t{0};
    }
    for (std::size_t r = n; r < block; ++r) values[r] = T{0};
    const Feature* const features = features_.data();
    const std::size_t n_features = features_.size();
    for (std::size_t f = 0; f < n_features; ++f) {
      const Feature& feature = features[f];
      read(base_ + feature.offset + stride_ * static_cast<std::ptrdiff_t>(row), n, values);
      count(values, feature.cuts.data(), feature.cuts.size(), bins);
      const std::uint64_t* const masks = feature.masks;
      for (std::size_t r = 0; r < block; ++r) {
        const std::uint64_t* const mask = masks + n_words * static_cast<std::size_t>(bins[r]);
        for (std::size_t w = 0; w < n_words; ++w) leaves[r][w] &= mask[w];
      }
    }
    const std::int32_t* const classes = class_;
    for (std::size_t r = 0; r < n; ++r) {
      std::size_t first = 0;
      std::size_t last = 0;
      for (std::size_t w = 0; w < n_words; ++w) {
        const std::uint64_t here = leaves[r][w];
        const std::uint64_t there = leaves[r][n_words - 1 - w];
        const auto top = static_cast<std::size_t>(63 - std::countl_zero(here | 1));
        const auto bottom = static_cast<std::size_t>(std::countr_zero(there));
        last = here != 0 ? 64 * w + top : last;
        first = there != 0 ? 64 * (n_words - 1 - w) + bottom : first;
      }
      low[r] = classes[first];
      high[r] = classes[last];
    }
  }

  ORDERLESS_INLINE void read(const std::byte* at, std::size_t n, T* values) const {
    if (stride_ == sizeof(S)) {  // spelled out, for the compiler to read several at a time
      for (std::size_t r = 0; r < n; ++r) values[r] = load(at + sizeof(S) * r);
    } else {
      for (std::size_t r = 0; r < n; ++r) {
        values[r] = load(at + stride_ * static_cast<std::ptrdiff_t>(r));
      }
    }
  }

  ORDERLESS_INLINE static T load(const std::byte* at) {
    S x;
    std::memcpy(&x, at, sizeof(S));
    return static_cast<T>(x);
  }

  /// How many cuts lie below each value; one more than there are, where it is unknown.
  ORDERLESS_INLINE static void count(const T* values, const T* cuts, std::size_t n_cuts,
                                     Bin* bins) {
    const Bin unknown = static_cast<Bin>(n_cuts) + 1;
    for (std::size_t at = 0; at < block; at += tile) {
      Bin above[tile];
      for (std::size_t k = 0; k < tile; ++k) {
        above[k] = values[at + k] != values[at + k] ? unknown : 0;
      }
      for (std::size_t i = 0; i < n_cuts; ++i) {
        const T cut = cuts[i];
        for (std::size_t k = 0; k < tile; ++k) above[k] += values[at + k] > cut ? 1 : 0;
      }
      for (std::size_t k = 0; k < tile; ++k) bins[at + k] = above[k];
    }
  }

  std::vector<Feature> features_;
  const std::int32_t* class_;  // by bit
  const std::byte* base_;
  std::ptrdiff_t stride_;
  bool wide_;
};

}  // namespace orderless::rows
