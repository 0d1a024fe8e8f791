// The Rashomon engine against plain recursion over lists of rows; every index is checked here.

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "core/rashomon/best.hpp"
#include "core/rashomon/decide.hpp"
#include "core/rashomon/functions.hpp"
#include "core/rashomon/kernels.hpp"
#include "tests/check.hpp"
#include "tests/rashomon/problem.hpp"

namespace {

using namespace orderless;
using namespace orderless::rashomon;
using namespace orderless::tests;

/// How many trees, by cost and leaves.
using Table = std::map<std::pair<std::int64_t, std::int64_t>, std::uint64_t>;

Table plain_counts(const Problem& problem, const List& list, int depth) {
  Table out{{{problem.costs.of(leaf_errors(problem, list), 1), 1}, 1}};
  if (depth == 0) return out;
  for_splits(problem, list, [&](std::size_t, const List& yes, const List& no) {
    const Table a = plain_counts(problem, yes, depth - 1);
    const Table b = plain_counts(problem, no, depth - 1);
    for (const auto& [x, m] : a) {
      for (const auto& [z, n] : b) out[{x.first + z.first, x.second + z.second}] += m * n;
    }
  });
  return out;
}

/// What leaves of each class weigh in a function.
const LabelValues values{{}, {{1, 2}, {3, 4}, {5, 6}, {7, 8}}};

Meter plenty() {
  return {std::size_t{1} << 32U, [] {}};
}

void test_kernels() {
  Random random{1};
  for (int round = 0; round < 60; ++round) {
    const Problem problem(random, 1 + random.below(20), 1 + random.below(200));
    const Rows rows = problem.rows();
    List list = all_rows(problem);
    // A random support, by the first columns.
    Words support = rows.all;
    for (std::size_t j = 0; j < std::min<std::size_t>(2, problem.n_columns); ++j) {
      if (random.coin()) continue;
      for (std::size_t w = 0; w < rows.n_words; ++w) support[w] &= rows.column(j)[w];
      std::erase_if(list, [&](std::size_t r) { return !problem.bit(r, j); });
    }
    std::vector<std::int64_t> weights(problem.n_classes);
    class_weights(rows, support.data(), weights.data());
    CHECK(rows.leaf(weights.data()).errors == leaf_errors(problem, list));
    Restriction restriction(rows);
    static_cast<void>(restriction.of(rows.all.data()));  // leaves nothing behind
    const Part& part = restriction.of(support.data());
    SplitErrors errors(part.rows);
    const auto count = [&](auto&& holds, std::size_t c) {
      std::int64_t n = 0;
      for (const std::size_t r : list) {
        if (static_cast<std::size_t>(problem.y[r]) == c && holds(r)) n += problem.weights[r];
      }
      return n;
    };
    const auto value = [&](std::size_t r, std::size_t j) {
      return problem.bit(r, j) != (part.flip[j] != 0);
    };
    for (std::size_t j = 0; j < problem.n_columns; ++j) {
      const bool constant = std::all_of(list.begin(), list.end(), [&](std::size_t r) {
        return problem.bit(r, j) == problem.bit(list[0], j);
      });
      CHECK((part.group[j] < 0) == (list.empty() || constant));
      if (part.group[j] < 0) continue;
      errors.look(static_cast<std::size_t>(part.group[j]));
      for (std::size_t k = 0; k < problem.n_columns; ++k) {
        if (part.group[k] < 0) continue;
        for (const bool yes : {true, false}) {
          for (const bool also : {true, false}) {
            errors.cell(yes, static_cast<std::size_t>(part.group[k]), also, weights.data());
            for (std::size_t c = 0; c < problem.n_classes; ++c) {
              CHECK(weights[c] ==
                    count([&](std::size_t r) { return value(r, j) == yes && value(r, k) == also; },
                          c));
            }
          }
        }
      }
    }
  }
}

void test_best() {
  Random random{2};
  for (int round = 0; round < 60; ++round) {
    const Problem problem(random, 1 + random.below(11), 1 + random.below(20));
    const Rows rows = problem.rows();
    Meter meter = plenty();
    for (const int depth : {0, 1, 2, 3}) {
      const std::int64_t best = plain_best(problem, all_rows(problem), depth);
      Best search(rows, problem.costs, meter);
      CHECK(search.of(rows.all.data(), depth, unreachable) == best);
      CHECK(search.of(rows.all.data(), depth, best) >= best);
      CHECK(Best(rows, problem.costs, meter).of(rows.all.data(), depth, best) >= best);
      CHECK(search.lower_bound(rows.all.data()) <= best);
    }
  }
  for (int round = 0; round < 30; ++round) {
    const Problem problem(random, 5, 12);
    const Rows rows = problem.rows();
    Meter meter = plenty();
    for (const int depth : {4, 5}) {
      const std::int64_t best = plain_best(problem, all_rows(problem), depth);
      CHECK(Best(rows, problem.costs, meter).of(rows.all.data(), depth, unreachable) == best);
      CHECK(Best(rows, problem.costs, meter).of(rows.all.data(), depth, best + 1) == best);
    }
  }
}

/// Larger weights make the same sides dearer; from 2^28 on they are counted by class.
void test_signs() {
  Random random{4};
  for (int round = 0; round < 30; ++round) {
    Problem problem(random, 1 + random.below(40), 1 + random.below(300));
    problem.n_classes = 2;
    for (std::int32_t& label : problem.y) label %= 2;
    const Rows rows = problem.rows();
    std::int64_t weights[2];
    class_weights(rows, rows.all.data(), weights);
    const std::int64_t most = (std::int64_t{1} << 28U) - 1;
    const std::int64_t times = most / (weights[0] + weights[1]);
    const Part part = Restriction(rows).of(rows.all.data());
    Meter meter = plenty();
    const SideCosts one = sides_of_depth_1(part.rows, problem.costs);
    const SideCosts two = sides_of_depth_2(part.rows, problem.costs, meter);
    for (const std::int64_t scale : {times, times + 1}) {
      Problem larger = problem;
      for (std::int64_t& weight : larger.weights) weight *= scale;
      const Costs costs{problem.costs.error, problem.costs.leaf * scale};
      const Rows large = larger.rows();
      const Part whole = Restriction(large).of(large.all.data());
      CHECK(signs_suffice(whole.rows) == (scale == times));
      const SideCosts dear_one = sides_of_depth_1(whole.rows, costs);
      const SideCosts dear_two = sides_of_depth_2(whole.rows, costs, meter);
      // Groups keep their numbers; which form of a column a group has may change.
      CHECK(whole.group == part.group && dear_two.size() == two.size());
      for (std::size_t j = 0; j < problem.n_columns; ++j) {
        if (part.group[j] < 0) continue;
        for (const bool yes : {true, false}) {
          const auto at = [&](const Part& in) {
            return 2 * static_cast<std::size_t>(in.group[j]) + (yes == (in.flip[j] != 0) ? 1 : 0);
          };
          CHECK(dear_one[at(whole)] == scale * one[at(part)]);
          CHECK(dear_two[at(whole)] == scale * two[at(part)]);
        }
      }
    }
    CHECK(meter.held() == 0);
  }
}

void test_order() {
  Random random{5};
  for (int round = 0; round < 60; ++round) {
    const std::size_t n = random.below(3000);
    const std::size_t n_errors = round % 3 == 0 ? 1000000 : 1 + random.below(30);
    const std::size_t n_values = round % 4 == 0 ? 50 : orderless::Field::prime;
    const Costs costs{static_cast<std::int64_t>(1 + random.below(3)),
                      static_cast<std::int64_t>(random.below(9))};
    std::vector<Function> functions(n);
    for (Function& f : functions) {
      f.value = {random.below(n_values), random.below(n_values)};
      f.errors = static_cast<std::int64_t>(random.below(n_errors));
      f.leaves = static_cast<std::uint16_t>(1 + random.below(8));
      f.groups = static_cast<std::uint16_t>(random.below(3));
    }
    const auto key = [&](const Function& f) {
      return std::tuple(costs.of(f.errors, f.leaves), f.leaves, f.value, f.groups);
    };
    std::vector<Function> sorted;
    std::set<std::uint32_t> numbers;
    for (const Standing& each : in_order(functions, costs)) {
      numbers.insert(each.number);
      sorted.push_back(functions[each.number]);
    }
    CHECK(numbers.size() == n);
    CHECK(std::is_sorted(sorted.begin(), sorted.end(),
                         [&](const Function& a, const Function& b) { return key(a) < key(b); }));
  }
}

void test_counts() {
  Random random{3};
  for (int round = 0; round < 60; ++round) {
    const Problem problem(random, 1 + random.below(10), 1 + random.below(14));
    const int depth = static_cast<int>(random.below(problem.n_columns < 6 ? 5 : 4));
    const Table all = plain_counts(problem, all_rows(problem), depth);
    const auto slack = static_cast<std::int64_t>(random.below(12));
    Meter meter = plenty();
    const auto graph = std::make_shared<Graph>(
        build_graph(problem.rows(), problem.costs, depth, {slack, 1, false}, meter));
    CHECK(graph->optimum == all.begin()->first.first);
    View view;
    view.bound = graph->bound;
    view.allowed.assign(problem.n_columns, 1);
    const Counts counts(graph, view, meter);
    Table found;
    for (const Cell& cell : counts.histogram(meter)) {
      found[{cell.cost, cell.leaves}] = cell.trees.low();
    }
    Table wanted = all;
    std::erase_if(wanted, [&](const auto& each) { return each.first.first > graph->bound; });
    CHECK(found == wanted);
    const auto n = counts.n().low();
    for (int i = 0; i < 20; ++i) {
      const Count position[] = {random.bits() % n};
      const FlatTrees tree = counts.unrank(position, meter);
      CHECK(counts.rank(tree.column, tree.label, meter) == position[0]);
    }
    CHECK(meter.held() == 0);
    // On the rows every function is one, and all trees are of some function.
    if (n > 20000) continue;
    Functions::Options options;
    options.listed = true;
    options.limit = n;
    const Functions functions(graph, view, nullptr, values, options, meter);
    std::uint64_t trees = 0;
    for (std::size_t i = 0; i < functions.n(); ++i) trees += functions.n_trees(i);
    CHECK(trees == n);
    options.listed = false;
    const Functions counted(graph, view, nullptr, values, options, meter);
    CHECK(counted.n() == functions.n() && counted.all().empty());
    const Decisions decisions =
        decide(*graph, view, std::vector<std::uint8_t>(problem.n_columns, 1),
               std::vector<std::uint8_t>(problem.n_columns, 0), 1, meter);
    CHECK(decisions.cost[0] == graph->optimum);
  }
}

void test_limits() {
  Random random{4};
  const Problem problem(random, 12, 60);
  std::size_t polled = 0;
  // Whatever it may hold, it stops with the limit's own error, or is done.
  for (std::size_t limit = 1000; limit < 4000000; limit *= 2) {
    Meter meter(limit, [&] { ++polled; });
    try {
      const auto graph = std::make_shared<Graph>(
          build_graph(problem.rows(), problem.costs, 3, {10, 1, false}, meter));
      View view;
      view.bound = graph->bound;
      view.allowed.assign(problem.n_columns, 1);
      const Counts counts(graph, view, meter);
      Functions::Options options;
      options.limit = 1U << 30U;
      const Functions functions(graph, view, nullptr, values, options, meter);
      CHECK(functions.bytes() <= limit);
    } catch (const MemoryLimit&) {
    }
    CHECK(meter.held() == 0);
  }
}

}  // namespace

int main() {
  test_kernels();
  test_best();
  test_signs();
  test_order();
  test_counts();
  test_limits();
}
