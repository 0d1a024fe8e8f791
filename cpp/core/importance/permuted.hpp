#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/errors.hpp"
#include "core/tree/tree.hpp"

namespace orderless::importance {

/// Rows of 0/1 columns with a class each. The columns of one group are permuted together.
struct BinaryRows {
  std::span<const std::uint8_t> cells;  // row by row
  std::span<const std::int32_t> label;  // by row, 0 .. n_classes - 1
  std::span<const std::int32_t> group;  // by column, 0 .. n_groups - 1
  std::size_t n_classes = 0;
  std::size_t n_groups = 0;
};

/// What permuting a group does to each tree. `excess`: trees x groups, (expected errors when the
/// group is permuted - errors) x the weight of all rows; a sum of products of weights, so it is
/// exact for whole weights. `errors`: by tree. `total`: the weight of all rows.
template <class Weight>
struct Permuted {
  std::vector<Weight> excess;
  std::vector<Weight> errors;
  Weight total = 0;
};

/// Expected errors over all permutations of the rows' values in a group, where a row of weight w
/// counts as w rows. A permuted row is in a leaf iff its own values of the other groups and another
/// row's values of this group are, so the expectation is the sum over leaves of
/// (weight of the rows whose group fits) x (errors among the rows whose others fit) / all.
///
/// The weights of boxes, and what a leaf contributes, are kept over all trees. Equal rows are put
/// together first. Cost: nodes, plus distinct boxes x distinct rows / 64.
/// `Weight` is std::int64_t or double. Throws std::invalid_argument where the arrays are no trees
/// over the columns, CountOverflow where whole weights pass 3,037,000,499 together.
template <class Weight>
[[nodiscard]] Permuted<Weight> permuted_errors(const FlatTreesView& trees, const BinaryRows& rows,
                                               std::span<const Weight> weight, Poll poll);

/// Rows of 0/1 columns with a number each, whole and from 0 on, as are those that leaves say.
struct NumberRows {
  std::span<const std::uint8_t> cells;  // row by row
  std::span<const std::int64_t> y;      // by row
  std::span<const std::int32_t> group;  // by column
  std::span<const std::int64_t> said;   // by label of a leaf
  std::size_t n_groups = 0;
  bool squared = true;  // else absolute errors
};

/// Likewise (expected loss when the group is permuted - loss) x the weight of all rows, where the
/// loss of a row is the square of the distance between its number and the leaf's, or the distance.
/// Sums are exact, in 128 bits; what is given is rounded once, to a double. `errors` is left empty.
/// Throws std::invalid_argument also where a number, or weight x number, passes 2^51.
[[nodiscard]] Permuted<double> permuted_losses(const FlatTreesView& trees, const NumberRows& rows,
                                               std::span<const std::int64_t> weight, Poll poll);

}  // namespace orderless::importance
