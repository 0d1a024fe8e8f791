#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace orderless::reasons {

/// The best choice of columns such that every row has one: fewest columns, then least total cost,
/// then first in lexicographic order of the sorted column numbers. `rows`: sorted column numbers;
/// `cost` must not fall with the column number. Returns sorted column numbers.
/// Exact: reductions (a row with one column; rows and columns that others make superfluous), then
/// branch and bound by prices of the rows. Calls `step` at each branching; it may throw to give up.
[[nodiscard]] std::vector<std::int32_t> best_choice(
    const std::vector<std::vector<std::int32_t>>& rows, const std::vector<std::int32_t>& cost,
    const std::function<void()>& step);

}  // namespace orderless::reasons
