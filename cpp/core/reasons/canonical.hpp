#pragma once

#include <cstdint>
#include <vector>

#include "core/base/errors.hpp"
#include "core/bins/bins.hpp"

namespace orderless::reasons {

/// A tree for the function of `tree` that depends on the function alone: trees that are the same
/// function over the same bins give the same tree, node by node.
///
/// Top down, without going back. In a region a boundary between two bins of a feature matters if
/// the function differs across it. The question is asked that leaves the fewest boundaries to the
/// two sides together; among equals, the one at whose boundary the function differs in the largest
/// share of cells; then the one that leaves the fewest to the worse side; then the first. So where
/// all conditions of a tree are different, it comes back as it is, and the selectors of a
/// multiplexer and the head of a decision list come first. It is small as a rule, but not proven
/// so: for the smallest tree see core/smallest/search.hpp.
///
/// Functions are compared by fingerprints of 61 bits, so the result is to be compared with `tree`.
/// Cost: per node of the result, fragments of leaves in its region x squared number of features
/// that limit them.
/// Throws TooMany when the tree has more than `limit` nodes.
[[nodiscard]] WrittenTree canonical_tree(const BinTree& tree,
                                         const std::vector<BinFeature>& features, std::size_t limit,
                                         const PollFunction& poll);

}  // namespace orderless::reasons
