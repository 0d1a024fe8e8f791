// The cheapest certificates of single rows: what trying every choice of purchases finds, whatever
// was bought before, and one purchase later. Summed over rows they bound every policy from below,
// which test_acquisition asserts of the search.

#include <bit>

#include "core/acquisition/bound.hpp"
#include "tests/acquisition/cases.hpp"

using namespace orderless;
using namespace orderless::acquisition;
using namespace orderless::acquisition::tests;

namespace {

/// Every choice of purchases for one row: which are bought as bits, and what is decided by the
/// numbers of the leaves that are left.
struct Plain {
  const Case& one;
  const Acquisition& problem;
  std::uint32_t row;

  [[nodiscard]] bool settled(std::uint32_t bought) const {
    std::vector<std::uint64_t> left(problem.start.begin(), problem.start.end());
    for (std::size_t p = 0; p < problem.n_purchases; ++p) {
      if ((bought >> p & 1U) == 0) continue;
      for (std::size_t w = 0; w < left.size(); ++w) left[w] &= problem.mask_of(row, p)[w];
    }
    return one.settled(left);
  }
  [[nodiscard]] std::int64_t cost(std::uint32_t some) const {
    std::int64_t sum = 0;
    for (std::size_t p = 0; p < problem.n_purchases; ++p) {
      if ((some >> p & 1U) != 0) sum += problem.cost[p];
    }
    return sum;
  }
  /// The least cost, or number, of purchases that settle the row when these are bought.
  template <class Measure>
  [[nodiscard]] std::int64_t least(std::uint32_t bought, Measure&& measure) const {
    std::int64_t best = Acquisition::unlimited;
    for (std::uint32_t all = 0; all < (1U << problem.n_purchases); ++all) {
      if ((bought & ~all) == 0 && settled(all)) best = std::min(best, measure(all & ~bought));
    }
    return best;
  }
};

void check(const Case& one) {
  const Acquisition problem = one.problem();
  RowCosts costs(problem);
  Certificates certificates(problem, costs, [](std::size_t) {});
  CHECK(certificates.exist());
  const auto bits = [&](std::uint32_t some) {
    Purchases out = 0;
    for (std::size_t p = 0; p < problem.n_purchases; ++p) {
      if ((some >> p & 1U) != 0) out |= certificates.bit(p);
    }
    return out;
  };
  for (std::uint32_t row = 0; row < problem.n_rows(); ++row) {
    const Plain plain{one, problem, row};
    const auto cost = [&](std::uint32_t some) { return plain.cost(some); };
    const auto count = [&](std::uint32_t some) -> std::int64_t { return std::popcount(some); };
    for (std::uint32_t bought = 0; bought < (1U << problem.n_purchases); ++bought) {
      const Certificate found = certificates.cheapest(row, bits(bought));
      CHECK(found.cost == plain.least(bought, cost));
      std::uint32_t own = 0;
      for (std::size_t p = 0; p < problem.n_purchases; ++p) {
        if ((found.purchases & certificates.bit(p)) != 0) own |= 1U << p;
      }
      CHECK(plain.settled(bought | own) && plain.cost(own) == found.cost);
      for (std::int64_t questions = 0; questions < 5; ++questions) {
        CHECK(!certificates.asks_more_than(questions, row, bits(bought)) ||
              plain.least(bought, count) > questions);
      }
      for (std::size_t p = 0; p < problem.n_purchases; ++p) {
        if ((bought >> p & 1U) != 0) continue;
        const std::uint32_t more = bought | 1U << p;
        const Certificate after = certificates.after(row, found, bits(more), p);
        CHECK(after.cost == plain.least(more, cost));
      }
    }
  }
}

}  // namespace

int main() {
  Random random{11};
  for (int round = 0; round < 150; ++round) {
    const std::size_t bits = 1 + random.below(5);
    const std::size_t rows = 1 + random.below(std::min<std::size_t>(4, std::size_t{1} << bits));
    const std::size_t numbers = 2 + random.below(5);
    Case one(random, bits, rows, numbers);
    if (random.coin()) one.prune(random);
    check(one);
    one.widen(static_cast<std::int64_t>(random.below(numbers)), numbers);
    check(one);
  }
  check(Case(random, 7, 1, 2));  // 128 leaves: two words
  Case many(random, 3, 4, 2);
  many.pad(65);
  const Acquisition problem = many.problem();
  RowCosts costs(problem);
  CHECK(!Certificates(problem, costs, [](std::size_t) {}).exist());
  return 0;
}
