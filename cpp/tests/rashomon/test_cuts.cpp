// Columns in chains against the same columns as words; every index is checked here.

#include <map>
#include <tuple>

#include "core/rashomon/counts.hpp"
#include "core/rashomon/cut_triples.hpp"
#include "core/rashomon/signed.hpp"
#include "tests/check.hpp"

namespace {

using namespace orderless;
using namespace orderless::rashomon;
using orderless::tests::Random;

Meter plenty() {
  return {std::size_t{1} << 32U, [] {}};
}

/// Features with few or many values, and a column for each cut of each.
struct Problem {
  std::size_t n_columns = 0, n_rows;
  std::size_t n_classes;
  std::vector<std::uint8_t> table;
  std::vector<std::int32_t> y;
  std::vector<std::int64_t> weights;
  Costs costs;

  Problem(Random& random, std::size_t n_features, std::size_t rows, std::size_t n_values,
          std::size_t classes, std::int64_t heavy)
      : n_rows(rows), n_classes(classes) {
    std::vector<std::vector<std::size_t>> values(n_features);
    std::vector<std::size_t> n_cuts;
    for (auto& feature : values) {
      n_cuts.push_back(1 + random.below(n_values));
      for (std::size_t r = 0; r < rows; ++r) feature.push_back(random.below(n_cuts.back() + 1));
      n_columns += n_cuts.back();
    }
    const bool unit = random.coin();
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t f = 0; f < n_features; ++f) {
        for (std::size_t cut = 0; cut < n_cuts[f]; ++cut) {
          table.push_back(values[f][r] <= cut ? 1 : 0);
        }
      }
      const bool noise = random.below(4) == 0;
      y.push_back(static_cast<std::int32_t>(noise ? random.below(classes)
                                                  : (values[0][r] + values.back()[r]) % classes));
      weights.push_back(heavy * (unit ? 1 : static_cast<std::int64_t>(random.below(6))));
    }
    weights[0] = 3 * heavy;
    costs = {static_cast<std::int64_t>(1 + random.below(3)),
             heavy * static_cast<std::int64_t>(random.below(4))};
  }

  [[nodiscard]] Rows rows(int loss) const {
    std::vector<std::int64_t> numbers;
    if (loss == 0) return read_rows(table, n_columns, y, weights, n_classes);
    if (loss == 1) {
      numbers.assign(y.begin(), y.end());
      const auto largest = static_cast<std::int64_t>(n_classes) - 1;
      return read_squared(table, n_columns, numbers, weights, 10, largest);
    }
    for (std::size_t c = 0; c < n_classes; ++c) {
      numbers.push_back(static_cast<std::int64_t>(c * c + 1));
    }
    return read_absolute(table, n_columns, y, weights, numbers);
  }
};

/// How many trees, by cost and leaves; and some of the graph itself.
using Found = std::tuple<std::int64_t, std::int64_t, std::size_t, std::size_t,
                         std::map<std::pair<std::int64_t, std::int64_t>, std::uint64_t>>;

Found found(Rows rows, const Costs& costs, int depth, const Slack& slack) {
  Meter meter = plenty();
  const std::size_t n_columns = rows.n_columns;
  const auto graph =
      std::make_shared<Graph>(build_graph(std::move(rows), costs, depth, slack, meter));
  View view;
  view.bound = graph->bound;
  view.allowed.assign(n_columns, 1);
  const Counts counts(graph, view, meter);
  Found out{graph->optimum, graph->bound, graph->n_nodes(), graph->edges.size(), {}};
  for (const Cell& cell : counts.histogram(meter)) {
    std::get<4>(out)[{cell.cost, cell.leaves}] += cell.trees.low();
  }
  CHECK(meter.held() == 0);
  return out;
}

void compare(const Problem& problem, int loss, int depth, const Slack& slack) {
  Rows plain = problem.rows(loss), chains = problem.rows(loss);
  plain.cuts = {};
  find_chains(chains, 1, 1);
  CHECK(chains.cuts.used());
  CHECK(found(std::move(plain), problem.costs, depth, slack) ==
        found(std::move(chains), problem.costs, depth, slack));
}

void test_classes() {
  Random random{11};
  for (int round = 0; round < 120; ++round) {
    const std::size_t classes = round % 3 == 0 ? 3 : 2;
    const std::int64_t heavy = round % 4 == 1 ? 40000 : 1;  // more than 16 bits
    const Problem problem(random, 1 + random.below(4), 1 + random.below(60),
                          round % 5 == 0 ? 40 : 1 + random.below(6), classes, heavy);
    const auto slack = heavy * static_cast<std::int64_t>(random.below(6));
    for (const int depth : {1, 2, 3}) compare(problem, 0, depth, {slack, 1, false});
    if (problem.n_columns < 10) compare(problem, 0, 4, {slack, 1, false});
    compare(problem, 0, 3, {1, 7, true});
  }
}

void test_numbers() {
  Random random{12};
  for (int round = 0; round < 40; ++round) {
    const Problem problem(random, 1 + random.below(3), 1 + random.below(30), 1 + random.below(6),
                          2 + random.below(4), 1);
    const auto slack = static_cast<std::int64_t>(random.below(30));
    for (const int loss : {1, 2}) {
      for (const int depth : {1, 2, 3}) compare(problem, loss, depth, {slack, 1, false});
    }
  }
}

/// Both ways to look at three cuts give the same.
void test_triples() {
  Random random{13};
  for (int round = 0; round < 60; ++round) {
    const Problem problem(random, 1 + random.below(4), 1 + random.below(80),
                          round % 4 == 0 ? 70 : 1 + random.below(9), 2, 1);
    Rows rows = problem.rows(0);
    find_chains(rows, 1, 1);
    const Part part = Restriction(rows).of(rows.all.data());
    CHECK(triples_suffice(part.rows));
    Meter meter = plenty();
    const SideCosts wanted = sides_of_depth_2(part.rows, problem.costs, meter);
    Best best(rows, problem.costs, meter);
    const std::int64_t leaf = problem.costs.of(best.leaf(rows.all.data()).errors, 1);
    const NearCuts near = near_cuts(
        part.rows, problem.costs, leaf, [](std::int64_t optimum) { return optimum + 5; }, meter);
    CHECK(near.sides == wanted);
    CHECK(near.optimum == best.of(rows.all.data(), 3, unreachable));
    CHECK(near.bound == near.optimum + 5);
  }
}

}  // namespace

int main() {
  test_classes();
  test_numbers();
  test_triples();
}
