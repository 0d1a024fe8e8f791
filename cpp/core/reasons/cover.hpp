#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/base/errors.hpp"
#include "core/bins/bins.hpp"
#include "core/bins/leafmasks.hpp"

namespace orderless::reasons {

/// The smallest cover of a class by its reasons, as sorted positions in the list: fewest boxes,
/// then fewest conditions, then first in the order of the list (which is sorted by conditions).
///
/// Exact, by lazy rows: solve the cover for the cells found so far, look for a cell of the class
/// that the chosen boxes leave open, add it, repeat; optimal when none is left. `leaves`: the boxes
/// of the leaves of the class.
[[nodiscard]] std::vector<std::int32_t> smallest_cover(const BoxLayout& layout,
                                                       const BoxList& leaves,
                                                       const BoxList& reasons,
                                                       const PollFunction& poll);

/// A cover of the leaves of a class by reasons of which none can be left out, and a proven lower
/// bound on the size of any cover. Each leaf is grown to a reason; no list of all reasons is
/// needed.
struct FastCover {
  BoxList boxes;
  std::int32_t bound = 0;
};
[[nodiscard]] FastCover irredundant_cover(const BoxLayout& layout, const LeafMasks& masks,
                                          std::size_t class_index, const BoxList& leaves,
                                          const PollFunction& poll);

/// What is wrong with a list of boxes as a cover of a class: one of them meets another class, or
/// they leave part of a leaf of the class open.
enum class CoverFault : std::int32_t { none, mixed, open };
[[nodiscard]] CoverFault cover_fault(const BoxLayout& layout, const LeafMasks& masks,
                                     std::size_t class_index, const BoxList& leaves,
                                     const BoxList& cover, const PollFunction& poll);

/// The best choice of columns such that every row has one: fewest columns, then least total cost,
/// then first in lexicographic order of the sorted column numbers. `rows`: sorted column numbers;
/// `cost` must not fall with the column number. Returns sorted column numbers.
/// Exact: reductions (a row with one column; rows and columns that others make superfluous), then
/// branch and bound by prices of the rows. Calls `step` at each branching; it may throw to give up.
[[nodiscard]] std::vector<std::int32_t> best_choice(
    const std::vector<std::vector<std::int32_t>>& rows, const std::vector<std::int32_t>& cost,
    const std::function<void()>& step);

}  // namespace orderless::reasons
