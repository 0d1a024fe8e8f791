#include "core/rows/masks.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <map>
#include <numeric>
#include <type_traits>
#include <utility>

#include "core/base/bits.hpp"
#include "core/base/inline.hpp"

// Each loop is compiled twice: for any processor, and for those with AVX2, which compare twice as
// many values at a time. Both give the same; the choice is made when it runs.
#if defined(__GNUC__) && defined(__x86_64__)
#define ORDERLESS_AVX2 __attribute__((target("avx2,bmi")))
#else
#define ORDERLESS_AVX2
#endif

namespace orderless::rows {

MaskTree masks_of(const PackedTree& tree) {
  const double infinity = std::numeric_limits<double>::infinity();
  MaskTree out;
  std::map<std::ptrdiff_t, std::size_t> place;
  for (const PackedTree::Node& node : tree.nodes) {
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
    if (i < 0) {
      const std::size_t leaf = out.leaf_class.size();
      out.leaf_class.push_back(~i);
      for (std::size_t f = 0; f < sides.size(); ++f) {
        out.features[f].intervals.push_back({leaf, sides[f].first, sides[f].second});
      }
      continue;
    }
    const PackedTree::Node& node = tree.nodes[static_cast<std::size_t>(i)];
    const std::size_t f = place.at(node.offset);
    Sides above = sides;
    sides[f].second = std::min(sides[f].second, node.cut);
    above[f].first = std::max(above[f].first, node.cut);
    todo.emplace_back(node.child[1], std::move(above));
    todo.emplace_back(node.child[0], std::move(sides));
  }
  return out;
}

bool has_avx2() {
#if defined(__GNUC__) && defined(__x86_64__)
  static const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi");
  return has;
#else
  return false;
#endif
}

namespace {

constexpr std::size_t rows_per_mask = 256;  // rows whose masks are held at a time
constexpr std::size_t tile = 32;            // rows whose counts stay in registers

/// The values of one feature in `n` rows, at most rows_per_mask.
struct Values {
  const std::byte* first;
  std::ptrdiff_t stride;
  std::size_t n;
};

template <class S, class T>
ORDERLESS_INLINE void read(const Values& from, T* values) {
  const auto load = [](const std::byte* at) {
    S x;
    std::memcpy(&x, at, sizeof(S));
    return static_cast<T>(x);
  };
  if (from.stride == sizeof(S)) {  // spelled out, for the compiler to read several at a time
    for (std::size_t r = 0; r < from.n; ++r) values[r] = load(from.first + sizeof(S) * r);
  } else {
    for (std::size_t r = 0; r < from.n; ++r) {
      values[r] = load(from.first + from.stride * static_cast<std::ptrdiff_t>(r));
    }
  }
  for (std::size_t r = from.n; r < rows_per_mask; ++r) values[r] = T{0};
}

/// How many cuts lie below each value; one more than there are, where it is unknown.
template <class S, class T>
ORDERLESS_INLINE void count_loop(const Values& from, const std::vector<T>& cuts,
                                 std::int32_t* bins) {
  // As wide as T, so that the compiler can count in the lanes it compares in.
  using Bin = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
  alignas(64) T values[rows_per_mask];
  read<S>(from, values);
  const T* const cut = cuts.data();
  const std::size_t n_cuts = cuts.size();
  const Bin unknown = static_cast<Bin>(n_cuts) + 1;
  for (std::size_t at = 0; at < rows_per_mask; at += tile) {
    Bin above[tile];
    for (std::size_t k = 0; k < tile; ++k) {
      above[k] = values[at + k] != values[at + k] ? unknown : 0;
    }
    for (std::size_t i = 0; i < n_cuts; ++i) {
      const T here = cut[i];
      for (std::size_t k = 0; k < tile; ++k) above[k] += values[at + k] > here ? 1 : 0;
    }
    for (std::size_t k = 0; k < tile; ++k) bins[at + k] = static_cast<std::int32_t>(above[k]);
  }
}

/// leaves &= the masks of the bins, row by row.
template <std::size_t n_words>
ORDERLESS_INLINE void meet_loop(const std::uint64_t* table, const std::int32_t* bins,
                                std::uint64_t* leaves) {
  for (std::size_t r = 0; r < rows_per_mask; ++r) {
    const std::uint64_t* const mask = table + n_words * static_cast<std::size_t>(bins[r]);
    for (std::size_t w = 0; w < n_words; ++w) leaves[r * n_words + w] &= mask[w];
  }
}

/// The class of the leaves that are left, where the first and the last agree; else -1.
template <std::size_t n_words>
ORDERLESS_INLINE void agree_loop(const std::uint64_t* leaves, std::size_t n,
                                 const std::int32_t* classes, std::int32_t* label) {
  for (std::size_t r = 0; r < n; ++r) {
    std::size_t first = 0;
    std::size_t last = 0;
    for (std::size_t w = 0; w < n_words; ++w) {
      const std::uint64_t here = leaves[r * n_words + w];
      const std::uint64_t there = leaves[r * n_words + n_words - 1 - w];
      const auto top = static_cast<std::size_t>(63 - std::countl_zero(here | 1));
      const auto low = static_cast<std::size_t>(std::countr_zero(there));
      last = here != 0 ? 64 * w + top : last;
      first = there != 0 ? 64 * (n_words - 1 - w) + low : first;
    }
    label[r] = classes[first] == classes[last] ? classes[first] : -1;
  }
}

template <class S, class T>
void count_any(const Values& from, const std::vector<T>& cuts, std::int32_t* bins) {
  count_loop<S>(from, cuts, bins);
}
template <class S, class T>
ORDERLESS_AVX2 void count_wide(const Values& from, const std::vector<T>& cuts, std::int32_t* bins) {
  count_loop<S>(from, cuts, bins);
}
template <std::size_t n_words>
void meet_any(const std::uint64_t* table, const std::int32_t* bins, std::uint64_t* leaves) {
  meet_loop<n_words>(table, bins, leaves);
}
template <std::size_t n_words>
ORDERLESS_AVX2 void meet_wide(const std::uint64_t* table, const std::int32_t* bins,
                              std::uint64_t* leaves) {
  meet_loop<n_words>(table, bins, leaves);
}
template <std::size_t n_words>
void agree(const std::uint64_t* leaves, std::size_t n, const std::int32_t* classes,
           std::int32_t* label) {
  agree_loop<n_words>(leaves, n, classes, label);
}
template <std::size_t n_words>
ORDERLESS_AVX2 void agree_wide(const std::uint64_t* leaves, std::size_t n,
                               const std::int32_t* classes, std::int32_t* label) {
  agree_loop<n_words>(leaves, n, classes, label);
}

using Meet = decltype(&meet_any<1>);
using Agree = decltype(&agree<1>);

/// The loops by the number of words: 1, 2, 4, 8.
constexpr std::array<Meet, 4> meets{meet_any<1>, meet_any<2>, meet_any<4>, meet_any<8>};
constexpr std::array<Meet, 4> wide_meets{meet_wide<1>, meet_wide<2>, meet_wide<4>, meet_wide<8>};
constexpr std::array<Agree, 4> agrees{agree<1>, agree<2>, agree<4>, agree<8>};
constexpr std::array<Agree, 4> wide_agrees{agree_wide<1>, agree_wide<2>, agree_wide<4>,
                                           agree_wide<8>};

/// What a row's float is at most iff it is at most the cut.
float comparable(double cut) {
  const auto near = static_cast<float>(cut);
  return static_cast<double>(near) > cut
             ? std::nextafter(near, -std::numeric_limits<float>::infinity())
             : near;
}

}  // namespace

RowMasks::RowMasks(const MaskTree& tree, std::size_t n_words, Compared compared,
                   const std::byte* base, std::ptrdiff_t stride, bool wide)
    : compared_(compared), base_(base), stride_(stride), n_words_(n_words), wide_(wide) {
  const std::vector<std::int32_t>& leaf_class = tree.leaf_class;
  std::vector<std::size_t> by_class(leaf_class.size());
  std::iota(by_class.begin(), by_class.end(), std::size_t{0});
  std::stable_sort(by_class.begin(), by_class.end(),
                   [&](std::size_t a, std::size_t b) { return leaf_class[a] < leaf_class[b]; });
  std::vector<std::size_t> place(leaf_class.size());
  class_.assign(64 * n_words_, 0);
  for (std::size_t i = 0; i < by_class.size(); ++i) {
    place[by_class[i]] = i;
    class_[i] = leaf_class[by_class[i]];
  }
  Words every = first_bits(leaf_class.size());
  every.resize(n_words_, 0);
  for (const MaskFeature& from : tree.features) {
    Feature feature;
    feature.offset = from.offset;
    for (const double cut : from.cuts) {
      if (compared == Compared::doubles) {
        feature.cuts.push_back(cut);
      } else {  // doubles are rounded as their cut is
        feature.float_cuts.push_back(compared == Compared::floats ? comparable(cut)
                                                                  : static_cast<float>(cut));
      }
    }
    for (std::size_t b = 0; b < from.cuts.size() + 2; ++b) {  // the last: unknown, every leaf stays
      feature.table.insert(feature.table.end(), every.begin(), every.end());
    }
    for (const LeafInterval& side : from.intervals) {
      const std::size_t bit = place[side.leaf];
      for (std::size_t b = 0; b <= from.cuts.size(); ++b) {
        const bool below = b > 0 && from.cuts[b - 1] >= side.high;  // the bin begins too high
        const bool above = b < from.cuts.size() && from.cuts[b] <= side.low;
        if (!below && !above) continue;
        feature.table[b * n_words_ + bit / 64] &= ~(std::uint64_t{1} << (bit % 64));
      }
    }
    features_.push_back(std::move(feature));
  }
}

void RowMasks::run(std::size_t first, std::size_t end, std::int32_t* label) const {
  const auto which = static_cast<std::size_t>(std::countr_zero(n_words_));
  const Meet meet = wide_ ? wide_meets[which] : meets[which];
  const Agree agreed = wide_ ? wide_agrees[which] : agrees[which];
  alignas(64) std::uint64_t leaves[rows_per_mask * most_leaves / 64];
  alignas(64) std::int32_t bins[rows_per_mask];
  for (std::size_t row = first; row < end; row += rows_per_mask) {
    const std::size_t n = std::min(rows_per_mask, end - row);
    std::fill(leaves, leaves + rows_per_mask * n_words_, ~std::uint64_t{0});
    for (const Feature& feature : features_) {
      const Values values{base_ + feature.offset + stride_ * static_cast<std::ptrdiff_t>(row),
                          stride_, n};
      switch (compared_) {
        case Compared::floats:
          (wide_ ? count_wide<float, float> : count_any<float, float>)(values, feature.float_cuts,
                                                                       bins);
          break;
        case Compared::doubles_as_floats:
          (wide_ ? count_wide<double, float> : count_any<double, float>)(values, feature.float_cuts,
                                                                         bins);
          break;
        case Compared::doubles:
          (wide_ ? count_wide<double, double> : count_any<double, double>)(values, feature.cuts,
                                                                           bins);
      }
      meet(feature.table.data(), bins, leaves);
    }
    agreed(leaves, n, class_.data(), label + (row - first));
  }
}

}  // namespace orderless::rows
