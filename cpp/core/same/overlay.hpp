#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/errors.hpp"
#include "core/tree/tree.hpp"

namespace orderless::same {

/// A box on which two trees give different classes.
struct Difference {
  Box box;
  std::int32_t class_a = -1;
  std::int32_t class_b = -1;
};

/// The first box, in the order of the leaves, where the trees differ; none if they are the same
/// function. Exact: leaves whose boxes meet must agree. Cost: pairs of leaves that meet.
[[nodiscard]] std::optional<Difference> first_difference(const TreeView& a, const TreeView& b,
                                                         std::span<const Domain> domains,
                                                         const PollFunction& poll);

/// The splits that can be left out one at a time: with one of its sides in its place the tree is
/// the same function. Exact: in the region of a split, the leaves of its two sides that meet are
/// compared until two differ. Cost: at worst the pairs of leaves that meet, per split.
[[nodiscard]] std::vector<std::int32_t> redundant_splits(const TreeView& tree,
                                                         std::span<const Domain> domains,
                                                         const PollFunction& poll);

/// The share of the space on which the trees differ, if every feature falls into each of its bins
/// with the same probability, independently. `cuts[f]`: the sorted thresholds of ordered feature f.
[[nodiscard]] double share_of_difference(const TreeView& a, const TreeView& b,
                                         std::span<const Domain> domains,
                                         std::span<const std::vector<double>> cuts,
                                         const PollFunction& poll);

}  // namespace orderless::same
