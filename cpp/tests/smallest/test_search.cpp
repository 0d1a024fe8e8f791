// The smallest tree: the same function on every cell, never worse than what came, and the same for
// every order of asking.

#include <algorithm>
#include <vector>

#include "core/smallest/search.hpp"
#include "tests/bintrees.hpp"
#include "tests/check.hpp"

using namespace orderless;
using namespace orderless::smallest;
using namespace orderless::tests;

namespace {

void check(Random& random, const std::vector<BinFeature>& features, int depth) {
  const BinArrays given = random_bin_tree(random, features, depth, false);
  const std::vector<Cell> all = cells(features);
  std::vector<std::int32_t> bins;
  for (const Cell& cell : all) bins.insert(bins.end(), cell.begin(), cell.end());
  const std::vector<std::int64_t> weight(all.size(), 1);
  const WeightedRows rows{bins, weight};
  const std::size_t limits[] = {1, 5, 100, 20'000};
  for (const Minimize minimize : {Minimize::leaves, Minimize::depth, Minimize::expected_depth}) {
    for (const std::size_t limit : limits) {
      const bool weighed = minimize == Minimize::expected_depth;
      for (const bool with_rows : {false, true}) {
        if (with_rows && !weighed) continue;
        const SmallestTree found = smallest_tree(given.view(), features, minimize,
                                                 with_rows ? &rows : nullptr, limit, [](auto) {});
        const BinTree tree = view_of(found);
        std::int64_t total = 0;
        int deepest = 0;
        for (const Cell& cell : all) {
          const auto [leaf, asked] = walk_cell(tree, features, cell);
          CHECK(tree.leaf_class[leaf] == label_of(given.view(), features, cell));
          total += asked;
          deepest = std::max(deepest, asked);
        }
        CHECK(found.bound <= found.value);
        CHECK(limit < 20'000 || found.bound == found.value);
        if (minimize == Minimize::leaves) {
          CHECK(found.value == static_cast<std::int64_t>(found.feature.size() + 1) / 2);
        }
        if (minimize == Minimize::depth) CHECK(found.value == deepest);
        if (with_rows) CHECK(found.value == total);
        if (with_rows) CHECK(found.weight == static_cast<std::int64_t>(all.size()));
      }
    }
  }
}

}  // namespace

int main() {
  Random random{7};
  const std::vector<BinFeature> mixed{
      {true, false, 4}, {true, true, 3}, {false, false, 4}, {true, false, 2}};
  for (int i = 0; i < 60; ++i) check(random, mixed, 1 + i % 4);
  const std::vector<BinFeature> many{{false, false, 70}};  // more than one word per mask
  for (int i = 0; i < 10; ++i) {
    const BinArrays given = random_bin_tree(random, many, 3, false);
    const SmallestTree found =
        smallest_tree(given.view(), many, Minimize::leaves, nullptr, 1000, [](auto) {});
    const BinTree tree = view_of(found);
    for (const Cell& cell : cells(many)) {
      CHECK(label_of(tree, many, cell) == label_of(given.view(), many, cell));
    }
  }
  return 0;
}
