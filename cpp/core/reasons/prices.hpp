#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace orderless::reasons {

/// A row of a cover problem: the columns that cover it, sorted, and what covering it is worth, in
/// columns and in cost. Prices only guide: any prices give a valid bound.
struct CoverRow {
  std::vector<std::int32_t> columns;
  double count_price = 0;
  double cost_price = 0;
};

/// What a bound by prices says, in whole numbers, `scale` to one: no cover is below `value`, and
/// none with column i of `columns` below `value` + the positive part of `reduced[i]`.
struct PricedBound {
  static constexpr std::int64_t scale = 4096;
  std::int64_t value = 0;
  std::vector<std::int32_t> columns;  // of all rows, sorted
  std::vector<std::int64_t> reduced;

  /// The least whole number that is not below a bound.
  [[nodiscard]] static std::int64_t up(std::int64_t scaled) {
    return scaled <= 0 ? -((-scaled) / scale) : (scaled + scale - 1) / scale;
  }
};

/// A lower bound on the number of columns that cover the rows, by Lagrangian relaxation: `rounds`
/// steps from the rows' prices, which are improved on the way. `most`: about how many are enough.
[[nodiscard]] PricedBound bound_count(std::vector<CoverRow>& rows, std::int64_t most, int rounds);

/// A lower bound on the cost of covers with at most `n_columns` columns; `cost` is by column.
/// `most`: about what is enough.
[[nodiscard]] PricedBound bound_cost(std::vector<CoverRow>& rows,
                                     const std::vector<std::int32_t>& cost, std::int64_t n_columns,
                                     std::int64_t most, int rounds);

}  // namespace orderless::reasons
