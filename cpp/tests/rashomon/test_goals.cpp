// Second goals against every tree of small sets, one by one; every index is checked here.

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "core/rashomon/goals.hpp"
#include "tests/check.hpp"

namespace {

using namespace orderless;
using namespace orderless::rashomon;
using orderless::tests::Random;

constexpr std::size_t n_columns = 4, n_classes = 3;

/// Rows with a class and a weight.
struct Sample {
  std::vector<std::uint8_t> table;
  std::vector<std::int32_t> y;
  std::vector<std::int64_t> weights;

  Sample(Random& random, std::size_t n, bool equal_columns) {
    for (std::size_t r = 0; r < n; ++r) {
      for (std::size_t j = 0; j < n_columns; ++j) {
        table.push_back(random.coin() ? 1 : 0);
        // Two columns that training rows do not tell apart.
        if (equal_columns && j == 1) table.back() = table[table.size() - 2];
      }
      y.push_back(static_cast<std::int32_t>(random.below(n_classes)));
      weights.push_back(static_cast<std::int64_t>(1 + random.below(4)));
    }
  }
  [[nodiscard]] Rows rows() const { return read_rows(table, n_columns, y, weights, n_classes); }
  [[nodiscard]] std::size_t size() const { return y.size(); }
};

/// Trees may cost so much more than the best.
Slack within(std::size_t more) {
  Slack slack;
  slack.numerator = static_cast<std::int64_t>(more);
  return slack;
}

Meter plenty() {
  return {std::size_t{1} << 32U, [] {}};
}

std::int32_t said(const FlatTrees& trees, std::size_t tree, const std::uint8_t* row) {
  const auto root = static_cast<std::size_t>(trees.start[tree]);
  std::size_t node = root;
  while (trees.column[node] >= 0) {
    const bool yes = row[trees.column[node]] != 0;
    node = yes ? node + 1 : root + static_cast<std::size_t>(trees.false_child[node]);
  }
  return trees.label[node];
}

std::int64_t measured(const FlatTrees& trees, std::size_t tree, const Sample& sample,
                      const std::vector<std::int64_t>& factors) {
  std::int64_t sum = 0;
  for (std::size_t r = 0; r < sample.size(); ++r) {
    const std::int32_t label = said(trees, tree, sample.table.data() + r * n_columns);
    sum += sample.weights[r] * factors[static_cast<std::size_t>(sample.y[r]) * n_classes +
                                       static_cast<std::size_t>(label)];
  }
  return sum;
}

struct Member {
  std::int64_t cost, measure;
};

/// Every tree of a view.
std::vector<Member> members(const Counts& counts, const Sample& sample,
                            const std::vector<std::int64_t>& factors, const FlatTrees& trees) {
  std::vector<Member> out;
  Meter meter = plenty();
  const auto cells = counts.histogram(meter);
  std::size_t tree = 0;
  for (const Cell& cell : cells) {
    for (Count i = 0; i < counts.count(cell); i += Count{1}) {
      out.push_back({cell.cost, measured(trees, tree++, sample, factors)});
    }
  }
  return out;
}

void check_front(const std::shared_ptr<const Measured>& places, const Factors& factors,
                 const std::vector<Member>& all, const Sample& sample) {
  Meter meter = plenty();
  const Goal goal(places, factors, meter);
  std::vector<Member> due;
  for (const Member& each : all) {  // by rising cost
    if (!due.empty() && each.measure >= due.back().measure) continue;
    if (!due.empty() && due.back().cost == each.cost) due.pop_back();
    due.push_back(each);
  }
  CHECK(goal.front().size() == due.size());
  std::vector<std::int64_t> positions;
  for (std::size_t i = 0; i < due.size(); ++i) {
    CHECK(goal.front()[i].cost == due[i].cost && goal.front()[i].measure == due[i].measure);
    positions.push_back(static_cast<std::int64_t>(i));
  }
  const FlatTrees trees = goal.trees(positions, meter);
  for (std::size_t i = 0; i < due.size(); ++i) {
    CHECK(measured(trees, i, sample, factors.table) == due[i].measure);
  }
}

void check_nearest(const std::shared_ptr<const Measured>& places, const Factors& factors,
                   const std::vector<Member>& all, const Sample& sample, std::size_t most) {
  Meter meter = plenty();
  const Nearest nearest(places, factors, 2, most, meter);
  CHECK(nearest.found() == !all.empty());
  if (all.empty()) return;
  std::int64_t due = std::abs(all[0].measure - 2);
  for (const Member& each : all) due = std::min(due, std::abs(each.measure - 2));
  CHECK(nearest.at_least() <= due && due <= nearest.distance());
  if (most > 1000) CHECK(nearest.at_least() == due && due == nearest.distance());
  const FlatTrees tree = nearest.tree(meter);
  CHECK(measured(tree, 0, sample, factors.table) == nearest.measure());
  CHECK(std::abs(nearest.measure() - 2) == nearest.distance());
}

void test_goals() {
  Random random{7};
  for (int round = 0; round < 60; ++round) {
    const Sample train(random, 6 + random.below(8), random.coin());
    const Sample other(random, 1 + random.below(10), false);
    const Costs costs{3, static_cast<std::int64_t>(1 + random.below(3))};
    Meter meter = plenty();
    const auto graph = std::make_shared<const Graph>(
        build_graph(train.rows(), costs, 2, within(random.below(12)), meter));
    View view;
    view.bound = graph->bound;
    view.allowed.assign(n_columns, 1);
    view.trivial = random.coin();
    if (random.below(3) == 0) view.max_leaves = static_cast<std::int64_t>(1 + random.below(4));
    if (random.below(3) == 0) view.required.push_back({0, 2});
    if (random.below(3) == 0) view.allowed[3] = 0;
    Factors factors;
    factors.n_labels = n_classes;
    for (std::size_t i = 0; i < n_classes * n_classes; ++i) {
      factors.table.push_back(static_cast<std::int64_t>(random.below(7)) - 3);
    }
    const Counts counts(graph, view, meter);
    std::vector<Count> positions;
    for (Count i = 0; i < counts.n(); i += Count{1}) positions.push_back(i);
    const FlatTrees trees = counts.unrank(positions, meter);
    const Sample& sample = random.coin() ? train : other;
    const auto places =
        std::make_shared<const Measured>(graph, view, MeasuredRows{sample.rows(), -1}, meter);
    const std::vector<Member> all = members(counts, sample, factors.table, trees);
    check_front(places, factors, all, sample);
    for (const std::size_t most : {std::size_t{1}, std::size_t{3}, std::size_t{100000}}) {
      check_nearest(places, factors, all, sample, most);
    }
  }
}

/// Where every leaf has training rows of one class, shares are 0 or 1: an error weighs 2.
void test_shares() {
  Random random{8};
  for (int round = 0; round < 20; ++round) {
    const Sample train(random, 8, false);
    Meter meter = plenty();
    const auto graph =
        std::make_shared<const Graph>(build_graph(train.rows(), {1, 0}, 4, within(0), meter));
    View view;
    view.bound = graph->bound;
    view.allowed.assign(n_columns, 1);
    const auto places =
        std::make_shared<const Measured>(graph, view, MeasuredRows{train.rows(), 20}, meter);
    Factors factors;
    factors.n_labels = n_classes;
    factors.table.assign((n_classes + 1) * n_classes, 0);
    std::fill(factors.table.end() - n_classes, factors.table.end(), 1);
    const Goal goal(places, factors, meter);
    CHECK(!goal.front().empty());
    if (graph->optimum == 0) CHECK(goal.front().back().measure == 0);
    CHECK(goal.front().back().measure <= 2 * graph->optimum << 20U);
  }
}

void test_limits() {
  Random random{9};
  const Sample train(random, 200, false);
  Meter meter = plenty();
  const auto graph =
      std::make_shared<const Graph>(build_graph(train.rows(), {1, 1}, 4, within(20), meter));
  View view;
  view.bound = graph->bound;
  view.allowed.assign(n_columns, 1);
  Meter small{1000, [] {}};
  bool refused = false;
  try {
    const Measured places(graph, view, MeasuredRows{train.rows(), -1}, small);
  } catch (const MemoryLimit&) {
    refused = true;
  }
  CHECK(refused);
  CHECK(small.held() == 0);
}

}  // namespace

int main() {
  test_goals();
  test_shares();
  test_limits();
}
