// The best choice of columns, against every choice.

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include "core/reasons/cover.hpp"
#include "tests/check.hpp"

using namespace orderless::reasons;
using namespace orderless::tests;

namespace {

using Columns = std::vector<std::int32_t>;

Columns by_trying(const std::vector<Columns>& rows, const std::vector<std::int32_t>& cost) {
  std::optional<std::tuple<std::size_t, std::int32_t, Columns>> best;
  for (std::uint32_t set = 0; set < 1U << cost.size(); ++set) {
    const bool covers = std::all_of(rows.begin(), rows.end(), [&](const Columns& row) {
      return std::any_of(row.begin(), row.end(),
                         [&](std::int32_t c) { return (set >> c & 1U) != 0; });
    });
    if (!covers) continue;
    Columns chosen;
    std::int32_t sum = 0;
    for (std::size_t c = 0; c < cost.size(); ++c) {
      if ((set >> c & 1U) == 0) continue;
      chosen.push_back(static_cast<std::int32_t>(c));
      sum += cost[c];
    }
    std::tuple rank{chosen.size(), sum, chosen};
    if (!best || rank < *best) best = std::move(rank);
  }
  return std::get<2>(*best);
}

}  // namespace

int main() {
  Random random{17};
  for (int round = 0; round < 3300; ++round) {
    const bool large = round >= 3000;  // of which the reductions leave something
    const std::size_t n_columns = large ? 10 + random.below(4) : 1 + random.below(9);
    std::vector<std::int32_t> cost(n_columns);
    for (auto& one : cost) one = static_cast<std::int32_t>(random.below(4));
    std::sort(cost.begin(), cost.end());  // must not fall with the number
    std::vector<Columns> rows(large ? 10 + random.below(12) : random.below(9));
    for (Columns& row : rows) {
      for (std::size_t c = 0; c < n_columns; ++c) {
        if (random.below(large ? 5 : 3) == 0) row.push_back(static_cast<std::int32_t>(c));
      }
      if (row.empty()) row.push_back(static_cast<std::int32_t>(random.below(n_columns)));
    }
    CHECK(best_choice(rows, cost, [] {}) == by_trying(rows, cost));
  }
  int steps = 0;  // and it can be stopped
  std::vector<Columns> rows;
  for (std::int32_t a = 0; a < 7; ++a) {
    for (std::int32_t b = a + 1; b < 7; ++b) rows.push_back({a, b});
  }
  bool stopped = false;
  try {
    (void)best_choice(rows, std::vector<std::int32_t>(7, 1), [&] {
      if (++steps == 2) throw 1;
    });
  } catch (int) {
    stopped = true;
  }
  CHECK(stopped);
  return 0;
}
