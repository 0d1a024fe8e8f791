#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

namespace orderless {

/// A leaf's interval on one feature: values above `low` and at most `high`.
struct LeafInterval {
  std::size_t leaf;
  double low, high;
};

/// One feature for RowMasks: where its values lie, and the leaves' intervals on it.
struct MaskFeature {
  std::ptrdiff_t offset = 0;
  std::vector<double> cuts;  // sorted
  std::vector<LeafInterval> intervals;
};

/// Decides rows of T for trees of at most 64 x n_words leaves: one bit per leaf, one mask per
/// feature and bin; a row is the AND of one mask per known feature, and looks at which classes the
/// surviving leaves have. The same work for every row, whatever is unknown, and no branch in it.
template <class T, std::size_t n_words>
class RowMasks {
 public:
  using Mask = std::array<std::uint64_t, n_words>;

  /// `leaf_class`: the class of each leaf.
  RowMasks(const std::vector<MaskFeature>& features, const std::vector<std::size_t>& leaf_class,
           const std::byte* base, std::ptrdiff_t stride)
      : base_(base), stride_(stride) {
    const std::size_t n_classes = *std::max_element(leaf_class.begin(), leaf_class.end()) + 1;
    class_masks_.assign(n_classes, Mask{});
    for (std::size_t leaf = 0; leaf < leaf_class.size(); ++leaf) {
      class_masks_[leaf_class[leaf]][leaf / 64] |= std::uint64_t{1} << (leaf % 64);
    }
    Mask every;
    every.fill(~std::uint64_t{0});
    for (const MaskFeature& from : features) {
      Feature feature;
      feature.offset = from.offset;
      for (const double cut : from.cuts) feature.cuts.push_back(at_most(cut));
      feature.table.assign(from.cuts.size() + 1, every);
      for (const LeafInterval& side : from.intervals) {
        for (std::size_t b = 0; b < feature.table.size(); ++b) {
          const bool below = b > 0 && from.cuts[b - 1] >= side.high;  // the bin begins too high
          const bool above = b < from.cuts.size() && from.cuts[b] <= side.low;
          if (below || above) {
            feature.table[b][side.leaf / 64] &= ~(std::uint64_t{1} << (side.leaf % 64));
          }
        }
      }
      feature.table.push_back(every);  // unknown: every leaf stays
      features_.push_back(std::move(feature));
    }
  }

  void run(std::size_t first, std::size_t end, std::int32_t* label) const {
    for (std::size_t row = first; row < end; row += block) {
      some(row, std::min(block, end - row), label + row);
    }
  }

 private:
  static constexpr std::size_t block = 256;

  struct Feature {
    std::ptrdiff_t offset = 0;
    std::vector<T> cuts;
    std::vector<Mask> table;  // by bin, and one more for unknown
  };

  /// The largest T at or below a double, so that T can be compared with T.
  static T at_most(double cut) {
    const T near = static_cast<T>(cut);
    return static_cast<double>(near) > cut
               ? std::nextafter(near, -std::numeric_limits<T>::infinity())
               : near;
  }

  void some(std::size_t row, std::size_t n, std::int32_t* label) const {
    std::array<std::array<std::uint64_t, block>, n_words> leaves;
    std::array<T, block> values;
    // As wide as T, so that the compiler can count in the lanes it compares in.
    using Bin = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
    std::array<Bin, block> bins;
    for (auto& word : leaves) word.fill(~std::uint64_t{0});
    values.fill(T{0});
    for (const Feature& feature : features_) {
      const std::byte* at = base_ + feature.offset + stride_ * static_cast<std::ptrdiff_t>(row);
      for (std::size_t r = 0; r < n; ++r) {
        std::memcpy(&values[r], at + stride_ * static_cast<std::ptrdiff_t>(r), sizeof(T));
      }
      const Bin unknown = static_cast<Bin>(feature.cuts.size()) + 1;
      for (std::size_t r = 0; r < block; ++r) bins[r] = values[r] != values[r] ? unknown : 0;
      for (const T cut : feature.cuts) {
        for (std::size_t r = 0; r < block; ++r) bins[r] += values[r] > cut ? 1 : 0;
      }
      const Mask* table = feature.table.data();
      for (std::size_t r = 0; r < block; ++r) {
        for (std::size_t w = 0; w < n_words; ++w)
          leaves[w][r] &= table[static_cast<std::size_t>(bins[r])][w];
      }
    }
    for (std::size_t r = 0; r < n; ++r) {
      std::int32_t answer = -1;
      std::int32_t count = 0;
      for (std::size_t c = 0; c < class_masks_.size(); ++c) {
        std::uint64_t common = 0;
        for (std::size_t w = 0; w < n_words; ++w) common |= leaves[w][r] & class_masks_[c][w];
        const bool met = common != 0;
        answer = met ? static_cast<std::int32_t>(c) : answer;
        count += met ? 1 : 0;
      }
      label[r] = count == 1 ? answer : -1;
    }
  }

  std::vector<Feature> features_;
  std::vector<Mask> class_masks_;
  const std::byte* base_;
  std::ptrdiff_t stride_;
};

}  // namespace orderless
