// Sets of three and four columns, and threads, against plain recursion and one thread.

#include <atomic>
#include <memory>
#include <stdexcept>

#include "core/rashomon/best.hpp"
#include "core/rashomon/graph.hpp"
#include "core/rashomon/kernels.hpp"
#include "core/rashomon/meter.hpp"
#include "tests/check.hpp"
#include "tests/rashomon/problem.hpp"

namespace {

using namespace orderless::rashomon;
using namespace orderless::tests;
using orderless::Words;

constexpr std::size_t many = std::size_t{1} << 40U;  // steps that are worth any number of threads

Problem of_two_classes(Random& random, std::size_t columns, std::size_t rows) {
  Problem problem(random, columns, rows);
  problem.n_classes = 2;
  for (std::int32_t& label : problem.y) label %= 2;
  return problem;
}

/// Columns that are seldom 1, so that packing pays.
void thin(Problem& problem, Random& random) {
  for (std::uint8_t& bit : problem.table) {
    if (random.below(4) != 0) bit = 0;
  }
}

void test_pairs() {
  Random random{1};
  for (int round = 0; round < 30; ++round) {
    Problem problem(random, 2 + random.below(60), 1 + random.below(2000));
    if (round % 2 == 0) thin(problem, random);
    const Rows rows = problem.rows();
    const std::size_t stride = rows.stride();
    const std::size_t first = random.below(problem.n_columns - 1), i = random.below(first + 1);
    std::vector<std::int64_t> counts(rows.n_classes * stride * stride), one(rows.n_classes);
    Within within;
    within.narrow(rows, rows.all.data(), i);
    pair_counts(within.mask(), within.rows(), first, counts.data());
    for (std::size_t k = std::max(first, i + 1); k < rows.n_columns; ++k) {
      for (std::size_t l = k + 1; l < rows.n_columns; ++l) {
        Words mask(rows.n_words);
        for (std::size_t w = 0; w < rows.n_words; ++w) {
          mask[w] = rows.all[w] & rows.column(i)[w] & rows.column(k)[w] & rows.column(l)[w];
        }
        class_weights(rows, mask.data(), one.data());
        for (std::size_t c = 0; c < rows.n_classes; ++c) {
          CHECK(counts[(k * rows.n_classes + c) * stride + l] == one[c]);
        }
      }
    }
  }
}

/// The rows of a part on which a group is 1, or 0, as words of the whole.
Words side_of(const Rows& rows, const Part& part, std::size_t group, bool yes) {
  const auto column = static_cast<std::size_t>(part.column[group]);
  const bool holds = yes != (part.flip[column] != 0);
  Words out(rows.n_words);
  for (std::size_t w = 0; w < rows.n_words; ++w) {
    out[w] = rows.all[w] & (holds ? rows.column(column)[w] : ~rows.column(column)[w]);
  }
  return out;
}

/// The cheapest trees of sides are the same from all columns at once, column by column, and by
/// trying every tree.
void test_sides() {
  Random random{2};
  for (int round = 0; round < 40; ++round) {
    const bool small = round % 2 == 0;
    Problem problem = small ? of_two_classes(random, 4 + random.below(4), 1 + random.below(14))
                            : of_two_classes(random, 4 + random.below(30), random.below(400) + 1);
    if (round % 4 > 1) thin(problem, random);
    const Rows rows = problem.rows();
    const Part part = Restriction(rows).of(rows.all.data());
    Meter meter(std::size_t{1} << 32U, [] {});
    const SideCosts sides = sides_of_depth_2(part.rows, problem.costs, meter);
    CHECK(meter.held() == 0);
    Best best(rows, problem.costs, meter);
    for (std::size_t side = 0; side < sides.size(); ++side) {
      const std::size_t group = side / 2;
      const bool yes = side % 2 == 0;
      const Words support = side_of(rows, part, group, yes);
      CHECK(sides[side] == best.of(support.data(), 2, unreachable));
      if (!small) continue;
      const auto column = static_cast<std::size_t>(part.column[group]);
      List list = all_rows(problem);
      std::erase_if(list, [&](std::size_t r) {
        return problem.bit(r, column) != (yes != (part.flip[column] != 0));
      });
      CHECK(sides[side] == plain_best(problem, list, 2));
      CHECK(best.of(support.data(), 4, unreachable) == plain_best(problem, list, 4));
    }
  }
}

void test_each() {
  for (const std::size_t n_threads : {1U, 2U, 5U}) {
    Meter meter(1000, [] {}, n_threads);
    std::vector<std::atomic<int>> done(300);
    each(done.size(), many, meter, [&](std::size_t i, std::size_t worker) {
      CHECK(worker < workers(done.size(), many, meter) || n_threads > 1);
      CHECK(worker < n_threads);
      meter.step();
      meter.change(0, 10);
      meter.release(10);
      each(2, many, meter, [&](std::size_t, std::size_t inner) { CHECK(inner == 0); });
      ++done[i];
    });
    for (const auto& times : done) CHECK(times == 1);
    CHECK(meter.held() == 0);
    CHECK(workers(300, many, meter) == n_threads);
    CHECK(workers(300, 10, meter) == 1);
    CHECK(workers(1, many, meter) == 1);
  }
}

/// What one thread throws is thrown, and the others stop; a poll that throws stops them all.
void test_faults() {
  for (const std::size_t n_threads : {1U, 3U}) {
    Meter meter(1000, [] {}, n_threads);
    for (int round = 0; round < 20; ++round) {
      bool thrown = false;
      try {
        each(100, many, meter, [&](std::size_t i, std::size_t) {
          if (i == 37) throw std::runtime_error("no");
          if (i > 37 && n_threads > 1) {
            for (;;) meter.step(1U << 20U);  // until it is told to stop
          }
        });
      } catch (const std::runtime_error&) {
        thrown = true;
      } catch (const Stopped&) {
        CHECK(false);
      }
      CHECK(thrown);
    }
  }
  std::atomic<bool> asked = false;
  Meter meter(
      1000,
      [&] {
        if (asked) throw std::runtime_error("stop");
      },
      3);
  bool stopped = false;
  try {
    each(3, many, meter, [&](std::size_t, std::size_t worker) {
      if (worker == 0) return;  // waits, and polls
      asked = true;
      for (;;) meter.step();
    });
  } catch (const std::runtime_error&) {
    stopped = true;
  }
  // The one that polls may have done all the work before the others came.
  CHECK(stopped || !asked);
}

bool same_graphs(const Graph& a, const Graph& b) {
  const auto edges = [](const Graph& graph) {
    std::vector<std::uint32_t> out;
    for (const Edge& edge : graph.edges) {
      out.insert(out.end(), {edge.column, edge.when_true, edge.when_false});
    }
    return out;
  };
  return a.optimum == b.optimum && a.bound == b.bound && a.label == b.label &&
         a.errors == b.errors && a.budget == b.budget && a.best == b.best &&
         a.edge_start == b.edge_start && edges(a) == edges(b) && a.level_start == b.level_start;
}

void test_graphs() {
  Random random{4};
  for (int round = 0; round < 6; ++round) {
    Problem problem(random, 8 + random.below(6), 300 + random.below(1500));
    if (round % 2 == 0) problem = of_two_classes(random, problem.n_columns, problem.n_rows);
    problem.costs = {1, 1 + static_cast<std::int64_t>(problem.n_rows / 50)};
    const int depth = 3 + round % 3;
    const Slack slack{3 * problem.costs.leaf, 1, false, 0, {}};
    Meter one(std::size_t{1} << 32U, [] {}), three(std::size_t{1} << 32U, [] {}, 3);
    const Graph graph = build_graph(problem.rows(), problem.costs, depth, slack, one);
    CHECK(same_graphs(graph, build_graph(problem.rows(), problem.costs, depth, slack, three)));
    Slack known = slack;
    known.optimum = graph.optimum;
    CHECK(same_graphs(graph, build_graph(problem.rows(), problem.costs, depth, known, one)));
    CHECK(one.held() == 0 && three.held() == 0);
  }
}

}  // namespace

int main() {
  test_pairs();
  test_sides();
  test_each();
  test_faults();
  test_graphs();
}
