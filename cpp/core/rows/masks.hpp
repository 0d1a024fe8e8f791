#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/rows/packed.hpp"

namespace orderless::rows {

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

/// The leaves of a tree as intervals by feature.
struct MaskTree {
  std::vector<MaskFeature> features;
  std::vector<std::int32_t> leaf_class;
};

[[nodiscard]] MaskTree masks_of(const PackedTree& tree);

/// Whether rounding doubles to floats moves none across a cut, so that floats can be compared.
inline bool sharp_as_float(double cut) {
  const double above = std::nextafter(cut, std::numeric_limits<double>::infinity());
  return static_cast<float>(above) > static_cast<float>(cut);
}

/// Whether this processor has AVX2, and the core was built to use it.
[[nodiscard]] bool has_avx2();

/// What rows are made of, and what they are compared as.
enum class Compared { floats, doubles_as_floats, doubles };

/// Decides rows for trees of at most `most_leaves` leaves: one bit per leaf, one mask per feature
/// and bin; a row is the AND of one mask per known feature. Leaves are numbered class by class, so
/// the survivors agree iff the first and the last do. The same work for every row, whatever is
/// unknown and however many classes there are, and no branch in it.
class RowMasks {
 public:
  static constexpr std::size_t most_leaves = 512;

  /// `n_words` of 64 leaves have room for the tree's: 1, 2, 4 or 8. `wide`: use AVX2, which the
  /// processor must have. doubles_as_floats: all cuts of the tree are sharp_as_float.
  RowMasks(const MaskTree& tree, std::size_t n_words, Compared compared, const std::byte* base,
           std::ptrdiff_t stride, bool wide);

  /// Writes the classes of the rows from `first` to `end`, the first one's to label[0].
  void run(std::size_t first, std::size_t end, std::int32_t* label) const;

 private:
  struct Feature {
    std::ptrdiff_t offset = 0;
    std::vector<double> cuts;  // one of the two has them
    std::vector<float> float_cuts;
    std::vector<std::uint64_t> table;  // by bin, and one more for unknown: n_words_ each
  };

  std::vector<Feature> features_;
  std::vector<std::int32_t> class_;  // by leaf
  Compared compared_;
  const std::byte* base_;
  std::ptrdiff_t stride_;
  std::size_t n_words_;
  bool wide_;
};

}  // namespace orderless::rows
