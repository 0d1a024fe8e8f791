#pragma once

#include <vector>

#include "core/bins/residual.hpp"

namespace orderless {

/// The questions with which a smallest tree for what is left in a box may begin, in a fixed order:
/// by feature, then by cut (where NaN is in the box: with the lower side, with the upper side, and
/// last whether the value is known) or by set.
///
/// Only cuts at which the function changes somewhere in the box are needed: let a split lie inside
/// a run of equal slices. Moving it to an end of the run leaves one side the same function as
/// before and makes the other a restriction of what it was, and a tree for a box is a tree for its
/// parts. So leaves and depth do not grow; the expected depth is linear in the share of the run
/// that goes each way if features are independent, so one of the two ends is no worse. The same
/// holds for unordered bins that the function does not tell apart.
struct Questions {
  std::vector<Residuals::Question> list;
  bool complete = true;  // false: some feature has too many sets, and only a few of them are there
};
[[nodiscard]] Questions questions(Residuals& residuals, Residuals::Id tree);

/// The unordered bins of the box, put together where the function does not tell them apart; first
/// bin first.
[[nodiscard]] std::vector<Residuals::Mask> groups_of(Residuals& residuals, Residuals::Id tree,
                                                     const Residuals::Live& live);

/// Per unordered feature the mask of the first bins of the groups that the whole function tells
/// apart.
[[nodiscard]] std::vector<std::int32_t> counted_bins(Residuals& residuals);

}  // namespace orderless
