#pragma once

#include <cstdint>
#include <vector>

#include "core/base/bits.hpp"
#include "core/bins/bins.hpp"

namespace orderless {

/// Some of the bins of one feature. Ordered: lo .. hi, none if lo > hi (then 1 and 0), and NaN if
/// `nan`. Unordered: one bit per bin.
struct BinSide {
  std::int32_t lo = 1;
  std::int32_t hi = 0;
  bool nan = false;
  std::vector<std::uint64_t> bits;

  bool operator==(const BinSide&) const = default;
  [[nodiscard]] bool has(std::int32_t bin) const {
    return (bits[static_cast<std::size_t>(bin) / 64] >> (bin % 64) & 1U) != 0;
  }
  [[nodiscard]] bool empty() const;
};

/// The bins that are in both.
[[nodiscard]] BinSide meet(const BinSide& a, const BinSide& b);
/// The bins of `a` that are not in `b`. Ordered: `b` has the lower end of `a`, or its upper end.
[[nodiscard]] BinSide without(const BinSide& a, const BinSide& b);

/// What lies in a region of one leaf: its class, and its sides where they are smaller than the
/// region's, sorted by feature.
struct Fragment {
  struct Limit {
    std::uint32_t feature;
    BinSide side;
  };
  std::int32_t label = 0;
  std::vector<Limit> limits;
};

/// A box over bins, divided among the leaves of a tree.
struct Region {
  std::vector<BinSide> sides;  // by feature
  std::vector<Fragment> fragments;

  [[nodiscard]] bool pure() const;
  /// The part of the region in which a feature has one of these bins (some of the region's).
  [[nodiscard]] Region part(std::uint32_t feature, const BinSide& kept) const;
};

/// The whole space. Cost: the lengths of all paths.
[[nodiscard]] Region whole_region(const BinTree& tree, const std::vector<BinFeature>& features);

/// One feature in a region, its bins numbered by position: the numbers in order and NaN after them;
/// or the values of an unordered feature in order.
struct Axis {
  std::uint32_t feature = 0;
  bool ordered = true;
  bool nan = false;
  std::int32_t first = 0;           // ordered: the bin of position 0
  std::size_t n_numbers = 0;        // ordered
  std::vector<std::int32_t> bins;   // unordered: the bin of each position
  std::vector<std::uint64_t> upto;  // weights of the positions before each, and of all
  /// Per position a hash of what is left of the function there: equal hashes, equal functions.
  /// They can be compared within an axis only.
  std::vector<std::uint64_t> slice;

  [[nodiscard]] std::size_t size() const { return slice.size(); }
  [[nodiscard]] std::uint64_t weight(const BinSide& side) const;
  /// The share of the positions that a side has.
  [[nodiscard]] double share(const BinSide& side) const;
};

/// The axes of the features on which some fragment of a region is limited, in their order, with the
/// fingerprints of slices. As for whole trees (core/same/fingerprint.hpp): positions have
/// pseudo-random weights in the field of the integers modulo 2^61 - 1 that sum to 1, a box weighs
/// the product, and a function is the sum over its fragments of value(class) x weight. Different
/// functions have one hash with a probability of about features / 2^61. Cost: limits of all
/// fragments, and bins.
class Slices {
 public:
  Slices(const Region& region, const std::vector<BinFeature>& features, std::uint64_t seed);

  [[nodiscard]] const std::vector<Axis>& axes() const { return axes_; }
  [[nodiscard]] std::size_t axis_of(std::uint32_t feature) const { return axis_of_[feature]; }
  [[nodiscard]] std::uint64_t value(std::int32_t label) const;
  /// The weights of the limits of a fragment.
  [[nodiscard]] const std::vector<std::uint64_t>& weights(std::size_t fragment) const {
    return weights_[fragment];
  }

 private:
  void add(const Fragment& fragment, const std::vector<std::uint64_t>& weights);

  std::uint64_t seed_;
  std::vector<Axis> axes_;
  std::vector<std::size_t> axis_of_;  // by feature
  std::vector<std::vector<std::uint64_t>> weights_;
};

/// Per feature and bin (NaN last, if it has it) the group of bins that the function does not tell
/// apart: neighbours of an ordered feature, any values of an unordered one. Groups are numbered in
/// the order of their first bins, and NaN of an ordered feature is a group of its own. All 0 where
/// the feature does not matter. By fingerprints of 122 bits: what is apart is so for
/// certain.
[[nodiscard]] std::vector<std::vector<std::int32_t>> function_bins(
    const BinTree& tree, const std::vector<BinFeature>& features);

}  // namespace orderless
