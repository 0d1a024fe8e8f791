// Trees of numbers against plain recursion over lists of rows; every index is checked here.

#include <algorithm>
#include <map>
#include <set>

#include "core/rashomon/best.hpp"
#include "core/rashomon/decide.hpp"
#include "core/rashomon/functions.hpp"
#include "tests/check.hpp"

namespace {

using namespace orderless;
using namespace orderless::rashomon;
using orderless::tests::Random;

using List = std::vector<std::size_t>;

struct Problem {
  std::size_t n_columns, n_rows;
  Loss loss;
  std::int64_t fine = 1;
  std::vector<std::uint8_t> table;
  std::vector<std::int64_t> y, weights, numbers;
  Costs costs;

  Problem(Random& random, std::size_t columns, std::size_t rows)
      : n_columns(columns), n_rows(rows), loss(random.coin() ? Loss::squared : Loss::absolute) {
    constexpr std::int64_t fines[] = {1, 2, 10, 1000};
    constexpr std::uint64_t most[] = {1, 2, 9, 5000};
    if (loss == Loss::squared) fine = fines[random.below(4)];
    const std::uint64_t n_numbers = most[random.below(4)] + 1;
    for (std::size_t r = 0; r < n_rows; ++r) {
      for (std::size_t j = 0; j < n_columns; ++j) table.push_back(random.coin() ? 1 : 0);
      y.push_back(static_cast<std::int64_t>(random.below(n_numbers)));
      weights.push_back(static_cast<std::int64_t>(random.below(4)));
    }
    weights[0] = 3;
    numbers = y;
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    costs = {static_cast<std::int64_t>(1 + random.below(3)),
             static_cast<std::int64_t>(random.below(1 + static_cast<std::uint64_t>(whole()) / 4))};
  }

  [[nodiscard]] bool bit(std::size_t row, std::size_t column) const {
    return table[row * n_columns + column] != 0;
  }
  [[nodiscard]] std::int64_t largest() const { return numbers.back(); }
  [[nodiscard]] Rows rows() const {
    if (loss == Loss::squared) return read_squared(table, n_columns, y, weights, fine, largest());
    std::vector<std::int32_t> place;
    for (const std::int64_t number : y) {
      const auto at = std::lower_bound(numbers.begin(), numbers.end(), number);
      place.push_back(static_cast<std::int32_t>(at - numbers.begin()));
    }
    return read_absolute(table, n_columns, place, weights, numbers);
  }

  [[nodiscard]] List all() const {
    List list;
    for (std::size_t r = 0; r < n_rows; ++r) {
      if (weights[r] > 0) list.push_back(r);
    }
    return list;
  }

  /// What is said of rows, in 1 / fine-ths, and the loss of it.
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> leaf(const List& list) const {
    std::int64_t weight = 0, sum = 0;
    for (const std::size_t r : list) {
      weight += weights[r];
      sum += weights[r] * y[r];
    }
    std::int64_t said = (2 * fine * sum + weight) / (2 * weight);
    if (loss == Loss::absolute) {
      for (const std::int64_t number : numbers) {
        std::int64_t up_to = 0;
        for (const std::size_t r : list) up_to += y[r] <= number ? weights[r] : 0;
        said = number;
        if (2 * up_to >= weight) break;
      }
    }
    std::int64_t errors = 0;
    for (const std::size_t r : list) {
      const std::int64_t apart = std::abs(fine * y[r] - said);
      errors += weights[r] * apart * (loss == Loss::squared ? apart : 1);
    }
    return {said, errors};
  }
  [[nodiscard]] std::int64_t whole() const { return leaf(all()).second; }

  /// What the core adds to the errors of every tree.
  [[nodiscard]] std::int64_t offset() const {
    if (loss == Loss::absolute) return 0;
    const std::int64_t middle = fine * largest() / 2, far = fine * largest() - middle;
    std::int64_t sum = 0;
    for (const std::size_t r : all()) {
      const std::int64_t apart = fine * y[r] - middle;
      sum += weights[r] * (far * far - apart * apart);
    }
    return sum;
  }
};

/// A tree's cost and leaves, and what it says of each row.
struct Plain {
  std::int64_t cost, leaves;
  std::map<std::size_t, std::int64_t> said;
};

std::vector<Plain> plain_trees(const Problem& problem, const List& list, int depth) {
  const auto [said, errors] = problem.leaf(list);
  std::vector<Plain> out{{problem.costs.of(errors, 1), 1, {}}};
  for (const std::size_t r : list) out[0].said[r] = said;
  if (depth == 0) return out;
  for (std::size_t j = 0; j < problem.n_columns; ++j) {
    List yes, no;
    for (const std::size_t r : list) (problem.bit(r, j) ? yes : no).push_back(r);
    if (yes.empty() || no.empty()) continue;
    const auto on = plain_trees(problem, yes, depth - 1);
    const auto off = plain_trees(problem, no, depth - 1);
    for (const Plain& a : on) {
      for (const Plain& b : off) {
        Plain both{a.cost + b.cost, a.leaves + b.leaves, a.said};
        both.said.insert(b.said.begin(), b.said.end());
        out.push_back(std::move(both));
      }
    }
  }
  return out;
}

/// A root without a table answers as one with a table does, in any view.
void test_open_root(Random& random, const std::shared_ptr<Graph>& graph, View view) {
  Meter meter(std::size_t{1} << 32U, [] {});
  const std::size_t n_columns = view.allowed.size();
  for (int round = 0; round < 4; ++round) {
    view.bound = graph->bound - (round == 1 ? (graph->bound - graph->optimum) / 2 : 0);
    view.trivial = round != 2;
    view.max_leaves = round == 3 ? 3 : 0;
    view.required.clear();
    if (round == 3) view.required = {{static_cast<std::int32_t>(random.below(n_columns))}};
    view.allowed.assign(n_columns, 1);
    if (round == 1) view.allowed[random.below(n_columns)] = 0;
    const Counts closed(graph, view, meter, 1e300), open(graph, view, meter, -1);
    CHECK(open.n() == closed.n() && open.n_nontrivial() == closed.n_nontrivial());
    const auto a = open.histogram(meter), b = closed.histogram(meter);
    CHECK(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      CHECK(a[i].same_kind(b[i]) && a[i].trees == b[i].trees && a[i].nontrivial == b[i].nontrivial);
      CHECK(open.n_at(a[i].cost, meter) == closed.n_at(a[i].cost, meter));
    }
    std::vector<Count> positions;
    for (Count i = 0; i < closed.n(); ++i) positions.push_back(i);
    const FlatTrees in_order = open.unrank(positions, meter);
    const FlatTrees due = closed.unrank(positions, meter);
    CHECK(in_order.column == due.column && in_order.label == due.label);
    for (std::size_t i = 0; i < positions.size() && i < 40; ++i) {
      const Count position[] = {random.below(positions.size())};
      const FlatTrees tree = open.unrank(position, meter);
      CHECK(open.rank(tree.column, tree.label, meter) == position[0]);
      CHECK(closed.rank(tree.column, tree.label, meter) == position[0]);
    }
  }
  CHECK(meter.held() == 0);
}

/// The smallest and the largest number of every row, and of those in a window, over all trees.
void test_ranges(const Problem& problem, const std::vector<Plain>& trees, const Graph& graph,
                 const View& view, std::int64_t base) {
  Meter meter(std::size_t{1} << 32U, [] {});
  const auto label_of = [&](std::int64_t said) {
    if (problem.loss == Loss::squared) return static_cast<std::int32_t>(said);
    const auto at = std::lower_bound(problem.numbers.begin(), problem.numbers.end(), said);
    return static_cast<std::int32_t>(at - problem.numbers.begin());
  };
  std::int32_t every_low = -1, every_high = -1;
  for (const std::size_t r : problem.all()) {
    std::vector<std::uint8_t> one, zero;
    for (std::size_t j = 0; j < problem.n_columns; ++j) {
      one.push_back(problem.bit(r, j) ? 1 : 0);
      zero.push_back(problem.bit(r, j) ? 0 : 1);
    }
    std::set<std::int32_t> said;
    for (const Plain& tree : trees) {
      if (tree.cost + base <= graph.bound) said.insert(label_of(tree.said.at(r)));
    }
    const Ranges found = ranges(graph, view, one, zero, 1, {}, meter);
    CHECK(found.smallest[0] == *said.begin() && found.largest[0] == *said.rbegin());
    every_low = every_low < 0 ? *said.begin() : std::min(every_low, *said.begin());
    every_high = std::max(every_high, *said.rbegin());
    const std::int32_t first[] = {*said.begin() + 1}, last[] = {*said.rbegin() - 1};
    std::int32_t low = -1, high = -1;
    for (const std::int32_t label : said) {
      if (label < first[0] || label > last[0]) continue;
      low = low < 0 ? label : low;
      high = label;
    }
    const Ranges inside = ranges(graph, view, one, zero, 1, {first, last}, meter);
    CHECK(inside.smallest[0] == low && inside.largest[0] == high);
  }
  const std::vector<std::uint8_t> any(problem.n_columns, 1);
  const Ranges open = ranges(graph, view, any, any, 1, {}, meter);
  CHECK(open.smallest[0] == every_low && open.largest[0] == every_high);
  CHECK(meter.held() == 0);
}

/// Every row with all columns known is decided by a best tree; of nothing known, by what all say.
void test_decisions(const Problem& problem, const std::vector<Plain>& trees, const Graph& graph,
                    const View& view, std::int64_t base) {
  Meter meter(std::size_t{1} << 32U, [] {});
  const std::vector<std::uint8_t> any(problem.n_columns, 1);
  const Decisions open = decide(graph, view, any, any, 1, meter);
  std::int64_t constant = -1;
  for (const Plain& tree : trees) {
    std::set<std::int64_t> said;
    for (const auto& [row, number] : tree.said) said.insert(number);
    if (said.size() > 1 || tree.cost + base > graph.bound) continue;
    constant = constant < 0 ? tree.cost + base : std::min(constant, tree.cost + base);
  }
  CHECK(open.cost[0] == constant);
  for (const std::size_t r : problem.all()) {
    std::vector<std::uint8_t> one, zero;
    for (std::size_t j = 0; j < problem.n_columns; ++j) {
      one.push_back(problem.bit(r, j) ? 1 : 0);
      zero.push_back(problem.bit(r, j) ? 0 : 1);
    }
    CHECK(decide(graph, view, one, zero, 1, meter).cost[0] == graph.optimum);
  }
  CHECK(meter.held() == 0);
}

void test_against_lists() {
  Random random{1};
  for (int round = 0; round < 200; ++round) {
    const Problem problem(random, 1 + random.below(4), 1 + random.below(12));
    const int depth = static_cast<int>(random.below(problem.n_columns < 4 ? 4 : 3));
    const auto trees = plain_trees(problem, problem.all(), depth);
    const std::int64_t base = problem.costs.error * problem.offset();
    std::int64_t best = trees[0].cost;
    for (const Plain& tree : trees) best = std::min(best, tree.cost);
    const auto slack =
        static_cast<std::int64_t>(random.below(1 + static_cast<std::uint64_t>(problem.whole())));
    Meter meter(std::size_t{1} << 32U, [] {});
    const bool relative = round % 4 == 0;
    const Slack epsilon{relative ? 1 : slack, relative ? 3 : 1, relative, base};
    const auto graph =
        std::make_shared<Graph>(build_graph(problem.rows(), problem.costs, depth, epsilon, meter));
    CHECK(graph->optimum == best + base);
    CHECK(graph->bound == base + best + (relative ? best / 3 : slack));

    std::map<std::pair<std::int64_t, std::int64_t>, std::uint64_t> wanted, found;
    std::set<std::map<std::size_t, std::int64_t>> functions;
    for (const Plain& tree : trees) {
      if (tree.cost + base > graph->bound) continue;
      ++wanted[{tree.cost + base, tree.leaves}];
      functions.insert(tree.said);
    }
    View view;
    view.bound = graph->bound;
    view.allowed.assign(problem.n_columns, 1);
    const Counts counts(graph, view, meter);
    for (const Cell& cell : counts.histogram(meter)) {
      found[{cell.cost, cell.leaves}] = cell.trees.low();
    }
    CHECK(found == wanted);
    for (Count position = 0; position < counts.n(); ++position) {
      const Count positions[] = {position};
      const FlatTrees tree = counts.unrank(positions, meter);
      CHECK(counts.rank(tree.column, tree.label, meter) == position);
    }

    test_open_root(random, graph, view);
    test_ranges(problem, trees, *graph, view, base);
    LabelValues values{graph->labels(), {}};
    for (std::size_t i = 0; i < values.labels.size(); ++i) {
      values.values.push_back({random.below(Field::prime), random.below(Field::prime)});
    }
    Functions::Options options;
    options.listed = true;
    options.limit = 1U << 30U;
    CHECK(Functions(graph, view, nullptr, values, options, meter).n() == functions.size());
    test_decisions(problem, trees, *graph, view, base);
    CHECK(meter.held() == 0);
  }
}

/// Deeper than what is solved without recursion, and with many columns at once.
void test_best() {
  Random random{2};
  for (int round = 0; round < 40; ++round) {
    const bool deep = round % 2 == 0;
    const Problem problem(random, deep ? 4 : 17, deep ? 10 : 20);
    const Rows rows = problem.rows();
    Meter meter(std::size_t{1} << 32U, [] {});
    const std::int64_t base = problem.costs.error * problem.offset();
    for (const int depth : deep ? std::vector{3, 4, 5} : std::vector{1, 2}) {
      std::int64_t best = unreachable;
      for (const Plain& tree :
           plain_trees(problem, problem.all(), deep ? std::min(depth, 3) : depth))
        best = std::min(best, tree.cost + base);
      Best search(rows, problem.costs, meter);
      const std::int64_t value = search.of(rows.all.data(), depth, unreachable);
      CHECK(deep && depth > 3 ? value <= best : value == best);
      CHECK(search.lower_bound(rows.all.data()) <= value);
      CHECK(Best(rows, problem.costs, meter).of(rows.all.data(), depth, value + 1) == value);
      CHECK(Best(rows, problem.costs, meter).of(rows.all.data(), depth, value) >= value);
    }
  }
}

/// Numbers as large as fit: weight x square just below 2^51.
void test_large() {
  for (const std::int64_t largest : {3, 94906, 30000000}) {
    const std::int64_t far = (largest + 1) / 2;
    const std::int64_t weight = std::min((std::int64_t{1} << 51U) / (far * far) / 4,
                                         (std::int64_t{1} << 50U) / largest / 4);
    const std::vector<std::int64_t> y{0, 1, largest - 1, largest};
    const std::vector<std::int64_t> weights(4, weight);
    const std::vector<std::uint8_t> table{0, 0, 0, 1, 1, 0, 1, 1};
    const Rows rows = read_squared(table, 2, y, weights, 1, largest);
    const Target target = Target::squared(1, largest);
    const std::int64_t middle = largest / 2, most = (largest - middle) * (largest - middle);
    for (const std::int64_t n : {weight, 2 * weight, 3 * weight, 4 * weight}) {
      for (const std::int64_t s : {std::int64_t{0}, n, n * largest - 1, n * largest, n / 2}) {
        const std::int64_t sums[] = {n, s};
        const Leaf leaf = target.leaf(sums, 2);
        const auto said = static_cast<std::int64_t>((2 * s + n) / (2 * n));
        CHECK(leaf.label == said);
        const std::int64_t rest = said - middle, sum = s - n * middle;
        CHECK(leaf.errors == n * most - rest * (2 * sum - n * rest));
        CHECK(leaf.errors >= 0);
      }
    }
    CHECK(rows.n_rows == 4 && rows.least.size() == 4);
  }
}

}  // namespace

int main() {
  test_against_lists();
  test_best();
  test_large();
}
