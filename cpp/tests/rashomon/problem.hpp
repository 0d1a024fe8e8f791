#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/rashomon/rows.hpp"
#include "tests/check.hpp"

// Random problems, and what is cheapest there by trying every tree.

namespace orderless::tests {

using rashomon::Costs;
using rashomon::Rows;

struct Problem {
  std::size_t n_columns, n_classes, n_rows;
  std::vector<std::uint8_t> table;
  std::vector<std::int32_t> y;
  std::vector<std::int64_t> weights;
  Costs costs;

  Problem(Random& random, std::size_t columns, std::size_t rows)
      : n_columns(columns), n_classes(2 + random.below(3)), n_rows(rows) {
    const bool unit = random.coin();
    for (std::size_t r = 0; r < n_rows; ++r) {
      for (std::size_t j = 0; j < n_columns; ++j) {
        // Some columns repeat others, or are their opposites.
        const bool copy = j > 0 && j % 5 == 0;
        const std::uint8_t bit = random.coin() ? 1 : 0;
        const std::uint8_t before = copy ? table[r * n_columns + j - 1] : std::uint8_t{0};
        table.push_back(copy ? static_cast<std::uint8_t>(before ^ (j % 2)) : bit);
      }
      y.push_back(static_cast<std::int32_t>(random.below(n_classes)));
      weights.push_back(unit ? 1 : static_cast<std::int64_t>(random.below(12)));
    }
    weights[0] = 3;
    costs = {static_cast<std::int64_t>(1 + random.below(3)),
             static_cast<std::int64_t>(random.below(4))};
  }

  [[nodiscard]] bool bit(std::size_t row, std::size_t column) const {
    return table[row * n_columns + column] != 0;
  }
  [[nodiscard]] Rows rows() const {
    return rashomon::read_rows(table, n_columns, y, weights, n_classes);
  }
};

using List = std::vector<std::size_t>;

inline List all_rows(const Problem& problem) {
  List list;
  for (std::size_t r = 0; r < problem.n_rows; ++r) {
    if (problem.weights[r] > 0) list.push_back(r);
  }
  return list;
}

inline std::int64_t leaf_errors(const Problem& problem, const List& list) {
  std::vector<std::int64_t> by_class(problem.n_classes, 0);
  for (const std::size_t r : list)
    by_class[static_cast<std::size_t>(problem.y[r])] += problem.weights[r];
  std::int64_t sum = 0;
  for (const std::int64_t weight : by_class) sum += weight;
  return sum - *std::max_element(by_class.begin(), by_class.end());
}

/// Calls `use(column, true side, false side)` for every split that is allowed.
template <class Use>
void for_splits(const Problem& problem, const List& list, Use&& use) {
  for (std::size_t j = 0; j < problem.n_columns; ++j) {
    List yes, no;
    for (const std::size_t r : list) (problem.bit(r, j) ? yes : no).push_back(r);
    if (!yes.empty() && !no.empty()) use(j, yes, no);
  }
}

inline std::int64_t plain_best(const Problem& problem, const List& list, int depth) {
  std::int64_t best = problem.costs.of(leaf_errors(problem, list), 1);
  if (depth == 0) return best;
  for_splits(problem, list, [&](std::size_t, const List& yes, const List& no) {
    best = std::min(best, plain_best(problem, yes, depth - 1) + plain_best(problem, no, depth - 1));
  });
  return best;
}

}  // namespace orderless::tests
