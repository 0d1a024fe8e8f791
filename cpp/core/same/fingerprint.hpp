#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/base/errors.hpp"
#include "core/base/field.hpp"
#include "core/tree/tree.hpp"

namespace orderless::same {

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

/// For each tree the sum over its leaves of value(class) x weight(box), at both points.
/// Two trees are the same function iff these agree, but for probability degree / 2^122.
/// Cost: leaves x features of the tree.
/// `tree` gives the tree of each number below `n_trees`.
[[nodiscard]] std::vector<Point> fingerprints(const std::function<TreeView(std::size_t)>& tree,
                                              std::size_t n_trees, std::span<const Domain> domains,
                                              std::span<const FeatureWeights> weights,
                                              std::span<const Point> class_values, Poll poll);
[[nodiscard]] std::vector<Point> fingerprints(const Forest& forest, std::span<const Domain> domains,
                                              std::span<const FeatureWeights> weights,
                                              std::span<const Point> class_values, Poll poll);

/// By tree the number of its group: equal fingerprints, in the order of their first members.
[[nodiscard]] std::vector<std::size_t> group_numbers(std::span<const Point> points);

}  // namespace orderless::same
