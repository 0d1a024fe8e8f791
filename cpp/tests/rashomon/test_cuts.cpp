// Columns in chains against the same columns as words; every index is checked here.

#include <map>
#include <tuple>

#include "core/rashomon/best.hpp"
#include "core/rashomon/counts.hpp"
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

Found found(Rows rows, const Costs& costs, int depth, const Slack& slack,
            const Keeping& keeping = {}) {
  Meter meter = plenty();
  const std::size_t n_columns = rows.n_columns;
  const auto graph =
      std::make_shared<Graph>(build_graph(std::move(rows), costs, depth, slack, meter, keeping));
  View view;
  view.bound = graph->bound;
  view.allowed.assign(n_columns, 1);
  const Counts counts(graph, view, meter);
  // Edges that are not written down, and leaves that nobody reaches, are no difference.
  const bool written = graph->last == nullptr;
  Found out{graph->optimum,
            graph->bound,
            written ? graph->n_nodes() : 0,
            written ? graph->edges.size() : 0,
            {}};
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

/// The trees of a graph one after the other, and where each is found again; views of it.
void compare_trees(const Graph& graph, const Graph& other) {
  const auto counted = [](const Graph& of, const View& view, Meter& meter) {
    return std::make_unique<Counts>(std::make_shared<Graph>(of), view, meter);
  };
  Meter meter = plenty();
  View view;
  view.bound = graph.bound;
  view.allowed.assign(graph.rows.n_columns, 1);
  for (int kind = 0; kind < 4; ++kind) {
    if (kind == 1) view.allowed[0] = 0;
    if (kind == 2) view.max_leaves = 5;
    if (kind == 3) view.required = {{1}};
    if (kind == 3 && graph.rows.n_columns < 2) return;
    const auto a = counted(graph, view, meter), b = counted(other, view, meter);
    CHECK(a->n() == b->n() && a->n_nontrivial() == b->n_nontrivial());
    std::vector<Count> places;
    const auto n = static_cast<std::uint64_t>(a->n().to_double());
    for (std::uint64_t i = 0; i < n; i += 1 + n / 50) places.emplace_back(i);
    const FlatTrees x = a->unrank(places, meter), y = b->unrank(places, meter);
    CHECK(x.column == y.column && x.label == y.label);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto from = static_cast<std::size_t>(y.start[i]);
      const auto size = static_cast<std::size_t>(y.start[i + 1]) - from;
      const auto found_at =
          b->rank({y.column.data() + from, size}, {y.label.data() + from, size}, meter);
      CHECK(found_at.has_value() && *found_at == places[i]);
    }
  }
}

/// Sides that grow cut by cut, and last splits that are not written down.
void test_walk() {
  Random random{14};
  int n_open = 0;
  for (int round = 0; round < 90; ++round) {
    const Problem problem(random, 1 + random.below(4), 1 + random.below(80),
                          round % 4 == 0 ? 70 : 1 + random.below(9), 2, 1);
    const Slack slack{static_cast<std::int64_t>(random.below(6)), 1, false};
    Rows plain = problem.rows(0), chains = problem.rows(0);
    plain.cuts = {};
    find_chains(chains, 1, 1);
    const Found wanted = found(plain, problem.costs, 3, slack);
    CHECK(found(chains, problem.costs, 3, slack, {0, std::size_t{1} << 26U}) == wanted);
    Found loose = wanted;
    std::get<2>(loose) = std::get<3>(loose) = 0;
    for (const std::size_t most : {0, 7}) {
      Found open = found(chains, problem.costs, 3, slack, {0, most});
      std::get<2>(open) = std::get<3>(open) = 0;
      CHECK(open == loose);
    }
    if (round % 4 == 0) continue;
    Meter meter = plenty();
    const Graph a = build_graph(plain, problem.costs, 3, slack, meter);
    const Graph b = build_graph(chains, problem.costs, 3, slack, meter, {0, 0});
    n_open += b.last != nullptr ? 1 : 0;
    compare_trees(a, b);
    CHECK(best_tree(a).column == best_tree(b).column);
  }
  CHECK(n_open > 30);
}

}  // namespace

int main() {
  test_classes();
  test_numbers();
  test_walk();
}
