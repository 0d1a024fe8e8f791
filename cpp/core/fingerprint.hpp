#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/boxes.hpp"

namespace orderless {

/// Arithmetic in the field of integers modulo the Mersenne prime 2^61 - 1.
/// Invariant of every element: 0 <= element < prime.
struct Field {
  static constexpr std::uint64_t prime = (std::uint64_t{1} << 61) - 1;
  [[nodiscard]] static std::uint64_t reduce(std::uint64_t x) {
    x = (x & prime) + (x >> 61);
    return x >= prime ? x - prime : x;
  }
  [[nodiscard]] static std::uint64_t add(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t sum = a + b;
    return sum >= prime ? sum - prime : sum;
  }
  [[nodiscard]] static std::uint64_t subtract(std::uint64_t a, std::uint64_t b) {
    return a >= b ? a - b : a + prime - b;
  }
  [[nodiscard]] static std::uint64_t multiply(std::uint64_t a, std::uint64_t b);
};

/// Two independent points at which the polynomial of a tree is evaluated.
using Point = std::array<std::uint64_t, 2>;

/// SipHash-2-4 with a 128-bit result (Aumasson and Bernstein, 2012) of an eight-byte message.
[[nodiscard]] Point siphash(std::array<std::uint64_t, 2> key, std::uint64_t message);

/// What the fingerprint needs to know of one feature.
struct FeatureWeights {
  std::array<std::uint64_t, 2> key{};  // derived from the feature's name
  std::vector<Point> values;           // unordered: one weight per value, summing to 1
};

/// The weight of NaN, where it is a value of an ordered feature.
[[nodiscard]] Point nan_weight(const FeatureWeights& weights);

/// F(threshold): the random element that stands for the values of an ordered feature up to the
/// threshold; at the ends of the domain 0, and 1 less the weight of NaN.
[[nodiscard]] Point element(const FeatureWeights& weights, const Domain& domain, double threshold);

/// Many trees over the same features, their nodes one after the other.
struct Forest {
  TreeView nodes;                       // child indices are relative to the tree's first node
  std::span<const std::int64_t> start;  // first node of each tree, and the end
  [[nodiscard]] TreeView tree(std::size_t i) const;
};

/// For each tree the sum over its leaves of value(class) x weight(box), at both points.
/// Two trees are the same function iff these agree, but for probability degree / 2^122.
/// Cost: leaves x features of the tree.
[[nodiscard]] std::vector<Point> fingerprints(const Forest& forest, std::span<const Domain> domains,
                                              std::span<const FeatureWeights> weights,
                                              std::span<const Point> class_values, Poll poll);

}  // namespace orderless
