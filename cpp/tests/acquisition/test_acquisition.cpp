// The cheapest policy: what plain recursion over all purchases finds, with one and with several
// words of leaves, budgets, the worst case, classes that overlap (intervals of numbers), and
// however early it is stopped.

#include <algorithm>
#include <vector>

#include "core/acquisition/problem.hpp"
#include "tests/acquisition/cases.hpp"
#include "tests/check.hpp"

using namespace orderless;
using namespace orderless::acquisition;
using namespace orderless::acquisition::tests;

namespace {

using Value = std::pair<std::int64_t, std::int64_t>;  // weight left undetermined, cost

/// Every purchase in every situation, nothing remembered, no bound.
Value plain(const Case& one, const Acquisition& problem, const std::vector<std::uint32_t>& rows,
            const std::vector<std::uint64_t>& leaves, std::uint32_t bought, Rest rest) {
  if (one.settled(leaves)) return {0, 0};
  std::int64_t weight = 0;
  for (const std::uint32_t row : rows) weight += problem.weight[row];
  Value best{problem.may_stop ? weight : Acquisition::unlimited, 0};
  for (std::size_t p = 0; p < problem.n_purchases; ++p) {
    if ((bought >> p & 1U) != 0 || !rest.allows(problem.cost[p])) continue;
    Value here{0, problem.worst ? 0 : problem.cost[p] * weight};
    std::int64_t most = 0;
    for (std::int32_t which = 0; which < 2; ++which) {
      std::vector<std::uint32_t> inside;
      for (const std::uint32_t row : rows) {
        if (problem.outcome_of(row, p) == which) inside.push_back(row);
      }
      if (inside.empty()) continue;
      std::vector<std::uint64_t> left = leaves;
      for (std::size_t w = 0; w < left.size(); ++w) left[w] &= problem.mask(p, which)[w];
      const Value below =
          plain(one, problem, inside, left, bought | 1U << p, rest.after(problem.cost[p]));
      here.first += below.first;
      here.second += problem.worst ? 0 : below.second;
      most = std::max(most, below.second);
    }
    if (problem.worst) here.second = problem.cost[p] + most;
    best = std::min(best, here);
  }
  return best;
}

double never() { return 0; }
double always() { return 1; }

Value value_of(const Acquisition& problem, const PolicyTree& tree) {
  return {tree.missed[0], problem.worst ? tree.worst[0] : tree.cost[0]};
}

void check(const Case& one, const Acquisition& problem) {
  const auto idle = [](std::size_t) {};
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < problem.n_rows(); ++row) rows.push_back(row);
  const std::vector<std::uint64_t> start(problem.start.begin(), problem.start.end());
  const Value best = plain(one, problem, rows, start, 0, {problem.budget, problem.questions});
  const Cheapest found = cheapest_policy(problem, 1U << 20, {idle, never, 1.0});
  CHECK(found.proven);
  CHECK(value_of(problem, found.tree) == best);
  CHECK(Value(found.bound_missed, found.bound) == best);
  const auto least = least_cost(problem);
  CHECK(Value(least.second, least.first) <= best);
  for (const Fixed kind : {Fixed::naive, Fixed::path, Fixed::greedy}) {
    CHECK(best <= value_of(problem, fixed_policy(problem, kind, kind == Fixed::greedy, idle)));
  }
  for (const std::size_t limit :
       {1U, 5U, 40U}) {  // stopped early: a policy and a bound all the same
    const Cheapest some = cheapest_policy(problem, limit, {idle, never, 1.0});
    CHECK(best <= value_of(problem, some.tree));
    CHECK(Value(some.bound_missed, some.bound) <= best);
    CHECK(!some.proven || value_of(problem, some.tree) == best);
  }
  const Cheapest late = cheapest_policy(problem, 1U << 20, {idle, always, 0.5});
  CHECK(best <= value_of(problem, late.tree));
  const Learned learned = learned_policy(problem, {50, 0.1, 0.9, 0.5, 20, 1}, idle);
  CHECK(best <= value_of(problem, learned.tree));
}

/// All ways to ask for the best: expected, worst case, a budget, a maximum of questions.
void check_all(Random& random, const Case& one) {
  Acquisition problem = one.problem();
  check(one, problem);
  problem.worst = true;
  check(one, problem);
  problem.may_stop = true;
  problem.budget = static_cast<std::int64_t>(random.below(9));
  check(one, problem);
  problem.worst = false;
  problem.questions = static_cast<std::int64_t>(random.below(4));
  check(one, problem);
}

}  // namespace

int main() {
  Random random{7};
  for (int round = 0; round < 120; ++round) {
    const std::size_t bits = 1 + random.below(4);
    const std::size_t rows = 1 + random.below(std::min<std::size_t>(8, std::size_t{1} << bits));
    const Case one(random, bits, rows, 2 + random.below(2));
    check_all(random, one);
    if (bits > 1) {  // what is known at the start is bought first, for nothing
      Case known = one;
      known.cost[0] = 0;
      Acquisition with = known.problem();
      const auto idle = [](std::size_t) {};
      const Clock clock{idle, never, 1.0};
      const std::int64_t expected = cheapest_policy(with, 1U << 20, clock).tree.cost[0];
      with.free = 0;
      CHECK(cheapest_policy(with, 1U << 20, clock).tree.cost[0] == expected);
      CHECK(least_cost(with).first <= expected);
    }
    const std::size_t numbers = 3 + random.below(6);
    Case overlapping(random, bits, rows, numbers);
    overlapping.widen(static_cast<std::int64_t>(random.below(numbers)), numbers);
    check_all(random, overlapping);
  }
  // Much is free: certificates may hold more than is needed.
  for (int round = 0; round < 300; ++round) {
    Case cheap(random, 5, 6, 2 + random.below(2));
    for (std::int64_t& cost : cheap.cost) cost = static_cast<std::int64_t>(random.below(4) / 2);
    cheap.prune(random);
    check_all(random, cheap);
  }
  for (int round = 0; round < 30; ++round) {  // more purchases than there are certificates for
    const std::size_t bits = 2 + random.below(3);
    Case one(random, bits, std::min<std::size_t>(8, std::size_t{1} << bits), 2 + random.below(2));
    const auto idle = [](std::size_t) {};
    for (const bool worst : {false, true}) {
      Acquisition few = one.problem();
      few.worst = worst;
      Case padded = one;
      padded.pad(70);
      Acquisition many = padded.problem();
      many.worst = worst;
      const Cheapest expected = cheapest_policy(few, 1U << 20, {idle, never, 1.0});
      const Cheapest found = cheapest_policy(many, 1U << 20, {idle, never, 1.0});
      CHECK(found.proven && found.bound == expected.bound);
      CHECK(value_of(many, found.tree) == value_of(few, expected.tree));
    }
  }
  for (int round = 0; round < 8; ++round) {  // 128 leaves: two words
    Case wide(random, 7, 3, round < 4 ? 2 : 9);
    if (round >= 4) wide.widen(5 + round % 3, 9);
    Acquisition problem = wide.problem();
    problem.may_stop = true;
    problem.questions = 3;
    check(wide, problem);
  }
  return 0;
}
