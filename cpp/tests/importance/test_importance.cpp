// Importance: counts that do not overflow, gains that are exactly 0, every order of a small
// function, and permuted errors against handing every row every other row's values.

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/errors.hpp"
#include "core/base/wide.hpp"
#include "core/bins/fragments.hpp"
#include "core/importance/orders.hpp"
#include "core/importance/permuted.hpp"
#include "tests/check.hpp"

using namespace orderless;
using namespace orderless::importance;
using namespace orderless::tests;

namespace {

void check_counts() {
  BigCount factorial(1);
  std::vector<BigCount> all{factorial};
  for (std::uint32_t n = 1; n <= 40; ++n) {
    BigCount next;
    next.add_product(factorial, BigCount(n));
    factorial = next;
    all.push_back(factorial);
    // n! = n x (n - 1)!, seen from the other side.
    CHECK(std::abs(BigCount::share(all[n - 1], BigCount(n), all[n]) - 1.0) < 1e-14);
  }
  // 25! = 15511210043330985984000000, which has 84 bits.
  CHECK((all[25].words() == std::vector<std::uint32_t>{0x7bc00000U, 0x619fb090U, 0xcd4a0U}));
  // Carries that run through: (2^32 - 1)^2 added to itself often.
  BigCount sum;
  const BigCount most(0xffffffffU);
  for (int i = 0; i < 1000; ++i) sum.add_product(most, most);
  CHECK(std::abs(BigCount::share(most, most, sum) * 1000.0 - 1.0) < 1e-14);
  CHECK(BigCount(0).words().empty());
  BigCount none;
  none.add_product(most, BigCount(0));
  CHECK(none.words().empty());
}

void check_gains() {
  const std::vector<double> third{1, 2};
  const std::vector<double> more{7, 14};
  const std::vector<double> nothing{0, 0};
  for (const Criterion criterion : {Criterion::gini, Criterion::entropy}) {
    CHECK(impurity_gain(criterion, third, more) == 0.0);
    CHECK(impurity_gain(criterion, third, nothing) == 0.0);
    CHECK(impurity_gain(criterion, nothing, nothing) == 0.0);
  }
  const std::vector<double> left{4, 0};
  const std::vector<double> right{0, 4};
  CHECK(std::abs(impurity_gain(Criterion::gini, left, right) - 4.0) < 1e-12);     // 8 x 1/2
  CHECK(std::abs(impurity_gain(Criterion::entropy, left, right) - 8.0) < 1e-12);  // 8 x 1 bit
  // Weight, sum and size: {1, 1} beside {5, 5, 5, 5} has 6 x variance = 2 x 4 / 6 x 16.
  const std::vector<double> ones{2, 2, 2};
  const std::vector<double> fives{4, 20, 20};
  const std::vector<double> none{0, 0, 0};
  CHECK(std::abs(impurity_gain(Criterion::variance, ones, fives) - 64.0 / 3.0) < 1e-12);
  CHECK(impurity_gain(Criterion::variance, ones, none) == 0.0);
  // 0.1 + 0.2 is not 0.3 in doubles, but the means are meant to be equal.
  const std::vector<double> two{2, 0.1 + 0.2, 0.1 + 0.2};
  const std::vector<double> four{4, 0.6, 0.6};
  CHECK(impurity_gain(Criterion::variance, two, four) == 0.0);
}

/// AND of three bits: 3! orders, each bit first in a third of them.
void check_orders() {
  const std::vector<std::int32_t> feature{0, -1, 1, -1, 2, -1, -1};
  const std::vector<std::int32_t> cut{0, -1, 0, -1, 0, -1, -1};
  const std::vector<std::uint8_t> nan_true(7, 0);
  const std::vector<std::int32_t> when_true{1, -1, 3, -1, 5, -1, -1};
  const std::vector<std::int32_t> when_false{2, -1, 4, -1, 6, -1, -1};
  const std::vector<std::int32_t> leaf_class{-1, 0, -1, 0, -1, 0, 1};
  const std::vector<std::int64_t> set_start(8, 0);
  const BinTree tree{feature, cut, nan_true, when_true, when_false, leaf_class, set_start, {}};
  const std::vector<BinFeature> features(3, BinFeature{true, false, 2});
  std::vector<std::int32_t> bins;
  std::vector<double> weight;
  for (int cell = 0; cell < 8; ++cell) {
    for (int f = 0; f < 3; ++f) bins.push_back(cell >> f & 1);
    weight.push_back(cell == 7 ? 0.0 : 1.0);
    weight.push_back(cell == 7 ? 1.0 : 0.0);
  }
  const PollFunction poll = [](std::size_t) {};
  const ClassRows rows{bins, weight, 2};
  const Orders found = all_orders(tree, features, rows, Criterion::gini, 100, poll);
  CHECK(found.n_trees == std::vector<std::uint32_t>{6});
  CHECK(found.irredundant);
  CHECK(found.n_states == 7);
  double sum = 0.0;
  for (std::size_t f = 0; f < 3; ++f) {
    CHECK(std::abs(found.low[f] - found.low[0]) < 1e-12);
    CHECK(std::abs(found.high[f] - found.high[0]) < 1e-12);
    CHECK(found.share_low[f] < found.share_high[f]);
    sum += found.mean[f];
  }
  CHECK(std::abs(sum - 8.0 * (1.0 - (49.0 + 1.0) / 64.0)) < 1e-12);  // leaves are pure
  bool refused = false;
  try {
    (void)all_orders(tree, features, rows, Criterion::gini, 6, poll);
  } catch (const TooMany&) {
    refused = true;
  }
  CHECK(refused);
  const auto groups = function_bins(tree, features);
  CHECK((groups == std::vector<std::vector<std::int32_t>>(3, {0, 1})));
}

struct Flat {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> column, label;
};

void grow(Flat& flat, Random& random, std::size_t n_columns, int depth) {
  const bool leaf = depth == 0 || random.below(5) == 0;
  flat.column.push_back(leaf ? -1 : static_cast<std::int32_t>(random.below(n_columns)));
  flat.label.push_back(leaf ? static_cast<std::int32_t>(random.below(3)) : -1);
  if (leaf) return;
  grow(flat, random, n_columns, depth - 1);
  grow(flat, random, n_columns, depth - 1);
}

std::size_t end_of(const Flat& flat, std::size_t node) {
  return flat.column[node] < 0 ? node + 1 : end_of(flat, end_of(flat, node + 1));
}

void check_permuted(Random& random) {
  const std::size_t n_rows = 1 + random.below(150);
  const std::size_t n_columns = 1 + random.below(5);
  const std::size_t n_groups = 1 + random.below(n_columns);
  Flat flat;
  for (int t = 0; t < 4; ++t) {
    grow(flat, random, n_columns, 4);
    flat.offsets.push_back(static_cast<std::int64_t>(flat.column.size()));
  }
  std::vector<std::uint8_t> cells(n_rows * n_columns);
  for (auto& cell : cells) cell = random.coin() ? 1 : 0;
  std::vector<std::int32_t> label(n_rows), group(n_columns);
  for (auto& own : label) own = static_cast<std::int32_t>(random.below(3));
  for (auto& own : group) own = static_cast<std::int32_t>(random.below(n_groups));
  std::vector<std::int64_t> weight(n_rows);
  for (auto& own : weight) own = static_cast<std::int64_t>(random.below(6));
  const BinaryRows rows{cells, label, group, 3, n_groups};
  const auto found =
      permuted_errors<std::int64_t>({flat.offsets, flat.column, flat.label}, rows, weight, [] {});
  std::int64_t total = 0;
  for (const auto own : weight) total += own;
  CHECK(found.total == total);
  for (std::size_t t = 0; t < 4; ++t) {
    for (std::size_t g = 0; g < n_groups; ++g) {
      const auto wrong = [&](std::size_t r, std::size_t other) {
        auto node = static_cast<std::size_t>(flat.offsets[t]);
        while (flat.column[node] >= 0) {
          const auto j = static_cast<std::size_t>(flat.column[node]);
          const std::size_t from = static_cast<std::size_t>(group[j]) == g ? other : r;
          node = cells[from * n_columns + j] != 0 ? node + 1 : end_of(flat, node + 1);
        }
        return flat.label[node] != label[r];
      };
      std::int64_t excess = 0;
      std::int64_t errors = 0;
      for (std::size_t r = 0; r < n_rows; ++r) {
        if (wrong(r, r)) errors += weight[r];
        for (std::size_t k = 0; k < n_rows; ++k) {
          if (wrong(r, k)) excess += weight[r] * weight[k];
        }
      }
      CHECK(found.errors[t] == errors);
      CHECK(found.excess[t * n_groups + g] == excess - total * errors);
    }
  }
}

void check_permuted_numbers(Random& random) {
  const std::size_t n_rows = 1 + random.below(90), n_columns = 1 + random.below(4);
  const std::size_t n_groups = 1 + random.below(n_columns);
  Flat flat;
  grow(flat, random, n_columns, 4);
  flat.offsets.push_back(static_cast<std::int64_t>(flat.column.size()));
  std::vector<std::uint8_t> cells(n_rows * n_columns);
  for (auto& cell : cells) cell = random.coin() ? 1 : 0;
  std::vector<std::int32_t> group(n_columns);
  for (auto& own : group) own = static_cast<std::int32_t>(random.below(n_groups));
  std::vector<std::int64_t> y(n_rows), weight(n_rows), said(3);
  const std::uint64_t most = random.coin() ? 4 : 1000;  // few numbers, or more than boxes keep
  for (auto& own : y) own = static_cast<std::int64_t>(random.below(most));
  for (auto& own : said) own = static_cast<std::int64_t>(random.below(most));
  for (auto& own : weight) own = static_cast<std::int64_t>(random.below(6));
  for (const bool squared : {true, false}) {
    const auto found = permuted_losses({flat.offsets, flat.column, flat.label},
                                       {cells, y, group, said, n_groups, squared}, weight, [] {});
    for (std::size_t g = 0; g < n_groups; ++g) {
      const auto loss = [&](std::size_t r, std::size_t other) {
        std::size_t node = 0;
        while (flat.column[node] >= 0) {
          const auto j = static_cast<std::size_t>(flat.column[node]);
          const std::size_t from = static_cast<std::size_t>(group[j]) == g ? other : r;
          node = cells[from * n_columns + j] != 0 ? node + 1 : end_of(flat, node + 1);
        }
        const std::int64_t apart =
            std::abs(said[static_cast<std::size_t>(flat.label[node])] - y[r]);
        return squared ? apart * apart : apart;
      };
      std::int64_t excess = 0;
      for (std::size_t r = 0; r < n_rows; ++r) {
        for (std::size_t k = 0; k < n_rows; ++k) {
          excess += weight[r] * weight[k] * (loss(r, k) - loss(r, r));
        }
      }
      CHECK(found.excess[g] == static_cast<double>(excess));
    }
  }
}

}  // namespace

int main() {
  check_counts();
  check_gains();
  check_orders();
  Random random{7};
  for (int i = 0; i < 60; ++i) check_permuted(random);
  for (int i = 0; i < 60; ++i) check_permuted_numbers(random);
  return 0;
}
