#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/errors.hpp"
#include "core/bins/bins.hpp"

namespace orderless::importance {

enum class Criterion : std::int32_t { gini = 0, entropy = 1, variance = 2 };

/// How much the impurity of rows falls, times their weight, when they are parted in two: class
/// weights of either side; for the variance of numbers y, the weight, the sum of weight x y and of
/// weight x |y|. Never below 0, and exactly 0 where both sides have equal shares, or means that
/// differ by no more than rounding.
[[nodiscard]] double impurity_gain(Criterion criterion, std::span<const double> yes,
                                   std::span<const double> no);

/// Distinct rows over bins (NaN: bin n_bins), and each one's weight by class, or the three sums of
/// numbers; both row by row.
struct ClassRows {
  std::span<const std::int32_t> bins;
  std::span<const double> weight;
  std::size_t n_classes = 0;
};

/// Impurity importance over all trees for a function. By feature, in weight x impurity.
struct Orders {
  std::vector<std::uint32_t> n_trees;         // 32-bit words, lowest first
  std::vector<double> low, high, mean;        // importance
  std::vector<double> share_low, share_high;  // importance / sum over features; 0 where that is 0
  bool irredundant = false;                   // whether the given tree is one of them
  std::size_t n_states = 0;
};

/// Looks at every tree for the function of `tree` without a redundant split: a question is asked in
/// a box only where it makes a difference there, that is
/// - a cut, if the function changes across it somewhere in the box (NaN, if it is in the box, goes
///   either way; "is it known?" if NaN is told apart from some number);
/// - a set of whole groups of the values that the function does not tell apart in the box.
///
/// Dynamic programming. A state is what is left of the function in a box, and which rows are in it:
/// states of different boxes are shared. Functions are compared exactly; sets of rows by a sum of
/// 128-bit numbers. Counts are exact. The extremes of a sum are found bottom-up, those of a share
/// by Dinkelbach's way: where no tree has importance - x total > 0, no share is above x.
/// Cost: states x questions, times features x a few for the shares.
///
/// Throws TooMany at `limit` states, TooManySets, and TooDeep.
[[nodiscard]] Orders all_orders(const BinTree& tree, const std::vector<BinFeature>& features,
                                const ClassRows& rows, Criterion criterion, std::size_t limit,
                                const PollFunction& poll);

}  // namespace orderless::importance
