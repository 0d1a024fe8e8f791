// Constraints on the trees of a graph, and monotone trees, against plain recursion.

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <tuple>

#include "core/rashomon/counts.hpp"
#include "core/rashomon/functions.hpp"
#include "core/rashomon/measure.hpp"
#include "core/rashomon/narrow.hpp"
#include "tests/check.hpp"

namespace {

using namespace orderless;
using namespace orderless::rashomon;
using orderless::tests::Random;

Meter plenty() {
  return {std::size_t{1} << 40U, [] {}};
}

struct Problem {
  std::size_t n_columns, n_rows;
  std::vector<std::uint8_t> table;
  std::vector<std::int32_t> y;
  std::vector<std::int64_t> weights;
  Costs costs{2, 1};

  Problem(Random& random, std::size_t columns, std::size_t rows)
      : n_columns(columns), n_rows(rows) {
    for (std::size_t i = 0; i < n_rows * n_columns; ++i) table.push_back(random.coin() ? 1 : 0);
    for (std::size_t r = 0; r < n_rows; ++r) {
      y.push_back(static_cast<std::int32_t>(random.below(3)));
      weights.push_back(static_cast<std::int64_t>(1 + random.below(3)));
    }
  }
  [[nodiscard]] Rows rows() const { return read_rows(table, n_columns, y, weights, 3); }
};

/// What is asked of a tree: of its paths, and of all of it.
struct Asked {
  Narrowing narrowing;
  std::vector<std::int32_t> feature;
  std::size_t most_features = 64;
};

Asked draw(Random& random, std::size_t n_columns) {
  Asked out;
  for (std::size_t j = 0; j < n_columns; ++j) {
    out.feature.push_back(static_cast<std::int32_t>(random.below(3)));
  }
  if (random.coin()) out.narrowing.least_weight = static_cast<std::int64_t>(1 + random.below(6));
  if (random.coin()) {
    const auto columns = [&] {
      std::vector<std::uint8_t> some(n_columns, 0);
      for (auto& each : some) each = random.coin() ? 1 : 0;
      return some;
    };
    out.narrowing.first = {{columns(), random.coin() ? 1 : -1, random.coin() ? 1 : -1},
                           {columns(), -1, -1}};
  }
  if (random.coin()) {
    out.narrowing.feature = out.feature;
    for (int f = 0; f < 3; ++f) {
      out.narrowing.price.push_back(static_cast<std::int64_t>(random.below(3)));
    }
    out.narrowing.most_paid = static_cast<std::int64_t>(random.below(4));
  }
  if (random.coin()) out.most_features = random.below(3);
  return out;
}

using List = std::vector<std::size_t>;
/// How many trees, by cost, leaves and features asked.
using Table = std::map<std::tuple<std::int64_t, std::int64_t, unsigned>, std::uint64_t>;

Table plain(const Problem& problem, const Asked& asked, const List& list, int depth,
            std::int32_t due, unsigned paid, std::int64_t left) {
  Table out;
  std::int64_t weight = 0;
  std::map<std::int32_t, std::int64_t> by_class;
  for (const std::size_t r : list) {
    weight += problem.weights[r];
    by_class[problem.y[r]] += problem.weights[r];
  }
  std::int64_t most = 0;
  for (const auto& [label, own] : by_class) most = std::max(most, own);
  if (due < 0 && weight >= asked.narrowing.least_weight) {
    out[{problem.costs.of(weight - most, 1), 1, 0}] = 1;
  }
  if (depth == 0) return out;
  for (std::size_t j = 0; j < problem.n_columns; ++j) {
    List yes, no;
    for (const std::size_t r : list) {
      (problem.table[r * problem.n_columns + j] != 0 ? yes : no).push_back(r);
    }
    if (yes.empty() || no.empty()) continue;
    std::int32_t on_true = -1, on_false = -1;
    if (due >= 0) {
      const Question& question = asked.narrowing.first[static_cast<std::size_t>(due)];
      if (question.columns[j] == 0) continue;
      on_true = question.when_true;
      on_false = question.when_false;
    }
    const auto f = static_cast<std::size_t>(asked.feature[j]);
    const unsigned bit = 1U << f;
    std::int64_t after = left;
    if (!asked.narrowing.price.empty() && (paid & bit) == 0) after -= asked.narrowing.price[f];
    if (after < 0) continue;
    const Table a = plain(problem, asked, yes, depth - 1, on_true, paid | bit, after);
    const Table b = plain(problem, asked, no, depth - 1, on_false, paid | bit, after);
    for (const auto& [x, m] : a) {
      for (const auto& [z, n] : b) {
        out[{std::get<0>(x) + std::get<0>(z), std::get<1>(x) + std::get<1>(z),
             std::get<2>(x) | std::get<2>(z) | bit}] += m * n;
      }
    }
  }
  return out;
}

View view_of(const Graph& graph, const Asked& asked) {
  View view;
  view.bound = graph.bound;
  view.allowed.assign(graph.rows.n_columns, 1);
  if (asked.most_features < 64) {
    view.feature = asked.feature;
    view.most_features = static_cast<std::int64_t>(asked.most_features);
  }
  return view;
}

void check_counts(const Counts& counts, std::uint64_t n, Random& random, Meter& meter) {
  CHECK(counts.n() == Count(n));
  for (int i = 0; i < 10 && n > 0; ++i) {
    const Count position[] = {random.bits() % n};
    const FlatTrees tree = counts.unrank(position, meter);
    CHECK(counts.rank(tree.column, tree.label, meter) == position[0]);
  }
}

void test_narrow() {
  Random random{7};
  for (int round = 0; round < 200; ++round) {
    const Problem problem(random, 1 + random.below(5), 1 + random.below(12));
    const int depth = static_cast<int>(random.below(4));
    const Asked asked = draw(random, problem.n_columns);
    Meter meter = plenty();
    const Graph whole = build_graph(problem.rows(), problem.costs, depth,
                                    {static_cast<std::int64_t>(random.below(30)), 1, false}, meter);
    const auto graph = std::make_shared<Graph>(narrow(whole, asked.narrowing, meter));
    CHECK(graph->optimum == whole.optimum && graph->bound == whole.bound);
    List all;
    for (std::size_t r = 0; r < problem.n_rows; ++r) all.push_back(r);
    const Table every = plain(problem, asked, all, depth, asked.narrowing.first.empty() ? -1 : 0, 0,
                              asked.narrowing.price.empty() ? 1000 : asked.narrowing.most_paid);
    std::map<std::pair<std::int64_t, std::int64_t>, std::uint64_t> wanted, found;
    std::uint64_t n = 0;
    for (const auto& [key, trees] : every) {
      const auto [cost, leaves, features] = key;
      if (cost > whole.bound) continue;
      if (static_cast<std::size_t>(std::popcount(features)) > asked.most_features) continue;
      wanted[{cost, leaves}] += trees;
      n += trees;
    }
    const View view = view_of(*graph, asked);
    const Counts counts(graph, view, meter);
    for (const Cell& cell : counts.histogram(meter)) {
      found[{cell.cost, cell.leaves}] = cell.trees.low();
    }
    CHECK(found == wanted);
    check_counts(counts, n, random, meter);
    Functions::Options options;
    options.listed = true;
    options.limit = n;
    const LabelValues values{{}, {{1, 2}, {3, 4}, {5, 6}}};
    const Functions functions(graph, view, nullptr, values, options, meter);
    std::uint64_t trees = 0;
    for (std::size_t i = 0; i < functions.n(); ++i) trees += functions.n_trees(i);
    CHECK(trees == n);
    CHECK(meter.held() == 0);
  }
}

void test_limits() {
  Random random{8};
  const Problem problem(random, 8, 40);
  Meter free = plenty();
  const Graph whole = build_graph(problem.rows(), problem.costs, 3, {60, 1, false}, free);
  Narrowing narrowing;
  for (std::int32_t j = 0; j < 8; ++j) narrowing.feature.push_back(j);
  narrowing.price.assign(8, 1);
  narrowing.most_paid = 2;
  bool stopped = false, done = false;
  for (std::size_t limit = 100; limit < 40000000; limit *= 2) {
    Meter meter(limit, [] {});
    try {
      static_cast<void>(narrow(whole, narrowing, meter));
      done = true;
    } catch (const MemoryLimit&) {
      stopped = true;
    }
    CHECK(meter.held() == 0);
  }
  CHECK(stopped && done);
}

/// Trees over one numeric feature with two cuts (columns 0 and 1) and one boolean (column 2).
void test_monotone() {
  const std::vector<std::int32_t> feature{0, 0, 1};
  const std::vector<double> threshold{1.5, 2.5, 0.0};
  const std::vector<std::uint8_t> nan_true{0, 0, 0}, one_is_true{1, 1, 0};
  const std::vector<std::int64_t> set_start{0, 0, 0, 0};
  TreeView conditions;
  conditions.feature = feature;
  conditions.threshold = threshold;
  conditions.nan_true = nan_true;
  conditions.set_start = set_start;
  Domain number, boolean;
  number.ordered = boolean.ordered = true;
  number.lower = -1e300;
  number.upper = 1e300;
  boolean.lower = -1;
  boolean.upper = 1;
  const std::vector<Domain> domains{number, boolean};
  const std::vector<FeatureWeights> weights{{{1, 2}, {}}, {{3, 4}, {}}};
  const SpaceMeasure measure({conditions, one_is_true}, domains, weights);
  FlatTrees trees;
  const auto cut = [&](std::int32_t low, std::int32_t middle, std::int32_t high) {
    const std::size_t root = trees.add_split(0);
    trees.add_leaf(low);
    trees.begin_false(root);
    const std::size_t inner = trees.add_split(1);
    trees.add_leaf(middle);
    trees.begin_false(inner);
    trees.add_leaf(high);
  };
  for (std::int32_t code = 0; code < 27; ++code) {
    cut(code / 9, code / 3 % 3, code % 3);
    trees.end_tree();
  }
  // The boolean turns the order round: neither rises nor falls.
  const std::size_t root = trees.add_split(2);
  cut(0, 1, 2);
  trees.begin_false(root);
  cut(2, 1, 0);
  trees.end_tree();
  Meter meter = plenty();
  const FlatTreesView view{trees.start, trees.column, trees.label};
  const std::vector<Direction> up{{0, true, false}}, down{{1, false, false}};
  const auto rises = monotone(view, measure, up, meter),
             falls = monotone(view, measure, down, meter);
  for (std::size_t code = 0; code < 27; ++code) {
    const std::size_t a = code / 9, b = code / 3 % 3, c = code % 3;
    CHECK((rises[code] != 0) == (a <= b && b <= c));
    CHECK((falls[code] != 0) == (a >= b && b >= c));
  }
  CHECK(rises[27] == 0 && falls[27] == 0);
}

}  // namespace

int main() {
  test_narrow();
  test_limits();
  test_monotone();
}
