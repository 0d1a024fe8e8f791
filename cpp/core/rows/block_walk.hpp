#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "core/base/machine.hpp"
#include "core/rows/masks.hpp"
#include "core/rows/values.hpp"

#if defined(ORDERLESS_X86)
#include <immintrin.h>
#endif

namespace orderless::rows {

/// A part of a packed tree that hangs together and has at most 64 exits: leaves of the tree, and
/// roots of other blocks. Exits are numbered by the least class below them, and a second time by
/// the greatest.
struct Block {
  struct Exit {
    std::int32_t low = 0, high = 0;  // the least and the greatest class below
    std::int32_t block = -1;         // -1: a leaf
  };
  std::vector<Exit> by_low, by_high;
  std::vector<std::uint8_t> place;        // in by_high, of the exits in by_low
  std::vector<IntervalFeature> features;  // whose leaves are the exits in by_low
};

/// A packed tree in blocks, the root's first; parents come before their children.
struct BlockTree {
  std::vector<Block> blocks;
  std::size_t levels = 0;  // of blocks, one below the other
};

/// `most`: exits of a block, from 2 to 64. The tree has inner nodes.
[[nodiscard]] BlockTree blocks_of(const PackedTree& tree, std::size_t most);

/// Finds the least and the greatest class that each row of S, compared as T, can reach in a tree of
/// many leaves. Some rows go from block to block together: a block gets all that can reach it, and
/// gives each one a mask of the exits that it can reach. Exits to other blocks are then gone
/// through from the least class up, and from the greatest down; a row goes along only where
/// something lies outside of what it has met. So a row with many unknown values sees few blocks,
/// and but for the ends of lists no branch depends on the values.
template <class S, class T>
class BlockWalk {
 public:
  /// `wide`: use AVX2, which the processor must have.
  BlockWalk(const BlockTree& tree, const std::vector<std::ptrdiff_t>& offsets,
            const std::byte* base, std::ptrdiff_t stride, bool wide)
      : offsets_(offsets), base_(base), stride_(stride), levels_(tree.levels), wide_(wide) {
    for (const Block& block : tree.blocks) add(block);
  }

  /// Writes the ends of the rows from `first` to `end`, the first one's to low[0] and high[0].
  void run(std::size_t first, std::size_t end, std::int32_t* low, std::int32_t* high) const {
    std::vector<T> values(batch * offsets_.size());
    std::vector<Level> levels(levels_);
    std::vector<std::uint32_t> rows(std::min(batch, end - first));
    std::iota(rows.begin(), rows.end(), 0U);
    for (std::size_t row = first; row < end; row += batch) {
      const std::size_t n = std::min(batch, end - row);
      copy_values<S, T>(base_, stride_, offsets_, row, n, offsets_.size(), values.data());
      const Work work{values.data(), low + (row - first), high + (row - first), levels.data()};
      std::fill(work.low, work.low + n, std::numeric_limits<std::int32_t>::max());
      std::fill(work.high, work.high + n, -1);
      visit(parts_[0], {rows.data(), n}, work, 0);
    }
  }

 private:
  static constexpr std::size_t batch = 1024;
  static constexpr std::size_t lanes = 8;
  static constexpr std::size_t together = 2;  // tests
  using Masks = std::array<std::uint64_t, lanes + 1>;

  /// Some cuts of a feature, and infinity; by the number of those that a value is not at most, the
  /// exits that it leads to. An unknown value is at most none.
  struct alignas(64) Test {
    std::array<T, lanes> cuts;
    Masks low;  // of the exits by their least class
    std::uint32_t feature;
  };

  /// A block: its tests from `first` to `end`.
  struct Part {
    std::size_t first = 0, end = 0;
    std::size_t n_exits = 0;
    std::uint64_t low_on = 0, high_on = 0;             // exits to other blocks
    std::array<std::int32_t, 64> low{}, high{};        // the least class, and the greatest
    std::array<std::int32_t, 64> low_to{}, high_to{};  // the block; by the least, by the greatest
    std::array<std::uint8_t, 64> place{};  // by the greatest class, of exits by the least
  };

  /// What a block needs for its rows while others are visited below it.
  struct Level {
    std::vector<const T*> values;             // by row
    std::vector<std::uint64_t> low, high;     // exits that are left, by row
    std::vector<std::uint32_t> next;          // of the rows that take the same exit
    std::vector<std::uint32_t> places, rows;  // that take one
    void make_room(std::size_t n) {
      if (values.size() >= n) return;
      values.resize(n);
      low.resize(n);
      high.resize(n);
      next.resize(n);
      places.resize(n);
      rows.resize(n);
    }
  };

  struct Work {
    const T* values;
    std::int32_t* low;
    std::int32_t* high;
    Level* levels;
    void meet(std::uint32_t row, std::int32_t least, std::int32_t greatest) const {
      low[row] = std::min(low[row], least);
      high[row] = std::max(high[row], greatest);
    }
  };

  using Rows = std::span<const std::uint32_t>;

  /// The rows of a block by the exit that they take next.
  struct Lists {
    static constexpr std::uint32_t last = std::numeric_limits<std::uint32_t>::max();
    explicit Lists(std::uint32_t* links) : next(links) { head.fill(last); }
    /// Unless a row `goes` on, it is put where nobody looks: a branch would be a guess.
    void put(std::size_t exit, bool goes, std::uint32_t i) {
      std::uint32_t& first = head[exit | static_cast<std::size_t>(!goes) << 6U];
      next[i] = first;
      first = i;
    }
    std::uint32_t* next;
    std::array<std::uint32_t, 128> head{};
  };

  /// The first exit of a mask, and the last one; some exit, where it has none.
  static std::size_t lowest(std::uint64_t mask) {
    return static_cast<std::size_t>(std::countr_zero(mask | std::uint64_t{1} << 63U));
  }
  static std::size_t highest(std::uint64_t mask) {
    return static_cast<std::size_t>(63 - std::countl_zero(mask | 1));
  }

  void add(const Block& block) {
    Part part;
    part.first = tests_.size();
    part.n_exits = block.by_low.size();
    for (std::size_t i = 0; i < part.n_exits; ++i) {
      part.low[i] = block.by_low[i].low;
      part.high[i] = block.by_high[i].high;
      part.low_to[i] = block.by_low[i].block;
      part.high_to[i] = block.by_high[i].block;
      part.low_on |= std::uint64_t{part.low_to[i] >= 0} << i;
      part.high_on |= std::uint64_t{part.high_to[i] >= 0} << i;
      part.place[i] = block.place[i];
    }
    for (const IntervalFeature& feature : block.features) {
      for (std::size_t cut = 0; cut < feature.cuts.size(); cut += lanes - 1) {
        add_test(block, feature, cut, std::min(cut + lanes - 1, feature.cuts.size()));
      }
    }
    const std::uint64_t all = ~std::uint64_t{0} >> (64 - part.n_exits);
    while (tests_.size() % together != 0) {  // that nothing fails
      Test& test = tests_.emplace_back();
      test.cuts.fill(std::numeric_limits<T>::infinity());
      test.low.fill(all);
      high_.emplace_back().fill(all);
    }
    part.end = tests_.size();
    parts_.push_back(part);
  }

  /// Adds the test for the cuts of a feature from `first` to `end`.
  void add_test(const Block& block, const IntervalFeature& feature, std::size_t first,
                std::size_t end) {
    Test test;
    const auto at = std::lower_bound(offsets_.begin(), offsets_.end(), feature.offset);
    test.feature = static_cast<std::uint32_t>(at - offsets_.begin());
    test.cuts.fill(std::numeric_limits<T>::infinity());
    const std::uint64_t all = ~std::uint64_t{0} >> (64 - block.by_low.size());
    test.low.fill(all);
    Masks high;
    high.fill(all);
    const IntervalFeature some{feature.offset, {&feature.cuts[first], &feature.cuts[0] + end}, {}};
    for (std::size_t bin = 0; bin <= some.cuts.size(); ++bin) {
      if (bin < some.cuts.size()) test.cuts[bin] = comparable<S, T>(some.cuts[bin]);
      for (const LeafInterval& side : feature.intervals) {
        if (some.meets(side, bin)) continue;
        test.low[bin] &= ~(std::uint64_t{1} << side.leaf);
        high[bin] &= ~(std::uint64_t{1} << block.place[side.leaf]);
      }
    }
    tests_.push_back(test);
    high_.push_back(high);
  }

  /// Meets what the rows can reach below a block.
  void visit(const Part& part, Rows rows, const Work& work, std::size_t depth) const {
    Level& level = work.levels[depth];
    level.make_room(rows.size());
    reach(part, rows, work, level);
    if (part.low_on == 0) {  // leaves only, and both orders are one
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::uint64_t mask = level.low[i];
        work.meet(rows[i], part.low[lowest(mask)], part.low[highest(mask)]);
      }
      return;
    }
    meet_leaves(part, rows, work, level);
    upwards(part, rows, work, depth);
    downwards(part, rows, work, depth);
  }

  /// Meets the leaves among the exits, and leaves the others.
  static void meet_leaves(const Part& part, Rows rows, const Work& work, Level& level) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::uint64_t leaves = level.low[i] & ~part.low_on;
      if (leaves != 0) {
        const std::uint64_t also = level.high[i] & ~part.high_on;
        work.meet(rows[i], part.low[lowest(leaves)], part.high[highest(also)]);
      }
      level.low[i] &= part.low_on;
      level.high[i] &= part.high_on;
    }
  }

  /// Exits from the least class up, for the rows that have not met it.
  void upwards(const Part& part, Rows rows, const Work& work, std::size_t depth) const {
    Level& level = work.levels[depth];
    Lists lists(level.next.data());
    const auto put = [&](std::uint32_t i) {
      const std::uint64_t mask = level.low[i];
      const std::size_t exit = lowest(mask);
      const bool less = part.low[exit] < work.low[rows[i]];
      lists.put(exit, (mask != 0) & less, i);
    };
    for (std::uint32_t i = 0; i < rows.size(); ++i) put(i);
    for (std::size_t exit = 0; exit < part.n_exits; ++exit) {
      const std::size_t n = take(lists, exit, rows, level);
      if (n == 0) continue;
      visit(parts_[static_cast<std::size_t>(part.low_to[exit])], {level.rows.data(), n}, work,
            depth + 1);
      const std::uint64_t seen = std::uint64_t{1} << part.place[exit];
      for (std::size_t k = 0; k < n; ++k) {
        const std::uint32_t i = level.places[k];
        level.low[i] &= level.low[i] - 1;
        level.high[i] &= ~seen;
        put(i);
      }
    }
  }

  /// Exits from the greatest class down, for the rows that have not met it.
  void downwards(const Part& part, Rows rows, const Work& work, std::size_t depth) const {
    Level& level = work.levels[depth];
    Lists lists(level.next.data());
    const auto put = [&](std::uint32_t i) {
      const std::uint64_t mask = level.high[i];
      const std::size_t exit = highest(mask);
      const bool greater = part.high[exit] > work.high[rows[i]];
      lists.put(exit, (mask != 0) & greater, i);
    };
    for (std::uint32_t i = 0; i < rows.size(); ++i) put(i);
    for (std::size_t exit = part.n_exits; exit-- > 0;) {
      const std::size_t n = take(lists, exit, rows, level);
      if (n == 0) continue;
      visit(parts_[static_cast<std::size_t>(part.high_to[exit])], {level.rows.data(), n}, work,
            depth + 1);
      for (std::size_t k = 0; k < n; ++k) {
        const std::uint32_t i = level.places[k];
        level.high[i] ^= std::uint64_t{1} << exit;
        put(i);
      }
    }
  }

  /// Collects the rows that take an exit; how many they are.
  static std::size_t take(const Lists& lists, std::size_t exit, Rows rows, Level& level) {
    std::size_t n = 0;
    for (std::uint32_t i = lists.head[exit]; i != Lists::last; i = lists.next[i]) {
      level.places[n] = i;
      level.rows[n++] = rows[i];
    }
    return n;
  }

  /// By row the exits that it can reach; by their greatest class only where some lead on.
  void reach(const Part& part, Rows rows, const Work& work, Level& level) const {
    const std::size_t n = rows.size();
    const bool both = part.low_on != 0;
    for (std::size_t i = 0; i < n; ++i) level.values[i] = work.values + rows[i] * offsets_.size();
    std::fill_n(level.low.data(), n, ~std::uint64_t{0});
    if (both) std::fill_n(level.high.data(), n, ~std::uint64_t{0});
    for (std::size_t t = part.first; t < part.end; t += together) {
      const Masks* const high = both ? &high_[t] : nullptr;
#if defined(ORDERLESS_X86)
      if (wide_) {
        narrow_wide(&tests_[t], high, n, level);
        continue;
      }
#endif
      narrow_any(&tests_[t], high, n, level);
    }
  }

  /// Leaves the exits that some tests lead to.
  static void narrow_any(const Test* tests, const Masks* high, std::size_t n, Level& level) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t t = 0; t < together; ++t) {
        const T x = level.values[i][tests[t].feature];
        std::size_t above = 0;
        for (const T cut : tests[t].cuts) above += x <= cut ? 0 : 1;
        level.low[i] &= tests[t].low[above];
        if (high != nullptr) level.high[i] &= high[t][above];
      }
    }
  }

#if defined(ORDERLESS_X86)
  /// How many of the cuts a value is not at most.
  ORDERLESS_FOR("avx2,popcnt")
  ORDERLESS_INLINE static std::size_t above(const float* x, const std::array<float, lanes>& cuts) {
    const __m256 not_at_most =
        _mm256_cmp_ps(_mm256_broadcast_ss(x), _mm256_load_ps(cuts.data()), _CMP_NLE_UQ);
    return static_cast<std::size_t>(std::popcount(bits(_mm256_movemask_ps(not_at_most))));
  }

  ORDERLESS_FOR("avx2,popcnt")
  ORDERLESS_INLINE static std::size_t above(const double* x,
                                            const std::array<double, lanes>& cuts) {
    const __m256d one = _mm256_broadcast_sd(x);
    const __m256d first = _mm256_cmp_pd(one, _mm256_load_pd(cuts.data()), _CMP_NLE_UQ);
    const __m256d last = _mm256_cmp_pd(one, _mm256_load_pd(cuts.data() + 4), _CMP_NLE_UQ);
    const unsigned both = bits(_mm256_movemask_pd(first)) | bits(_mm256_movemask_pd(last)) << 4U;
    return static_cast<std::size_t>(std::popcount(both));
  }

  ORDERLESS_INLINE static unsigned bits(int mask) { return static_cast<unsigned>(mask); }

  ORDERLESS_FOR("avx2,popcnt")
  static void narrow_wide(const Test* tests, const Masks* high, std::size_t n, Level& level) {
    const T* const* const ORDERLESS_ALONE values = level.values.data();
    std::uint64_t* const ORDERLESS_ALONE low = level.low.data();
    std::uint64_t* const ORDERLESS_ALONE also = level.high.data();
    for (std::size_t i = 0; i < n; ++i) {
      std::size_t bin[together];
      std::uint64_t left = ~std::uint64_t{0};
      for (std::size_t t = 0; t < together; ++t) {
        bin[t] = above(values[i] + tests[t].feature, tests[t].cuts);
        left &= tests[t].low[bin[t]];
      }
      low[i] &= left;
      if (high == nullptr) continue;
      for (std::size_t t = 0; t < together; ++t) also[i] &= high[t][bin[t]];
    }
  }
#endif

  const std::vector<std::ptrdiff_t>& offsets_;  // of the features, sorted
  const std::byte* base_;
  std::ptrdiff_t stride_;
  std::size_t levels_;
  bool wide_;
  std::vector<Test> tests_;
  std::vector<Masks> high_;  // by test, of the exits by their greatest class
  std::vector<Part> parts_;
};

}  // namespace orderless::rows
