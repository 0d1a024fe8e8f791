// The smallest tree: the same function on every cell, never worse than what came, and the same for
// every order of asking.

#include <algorithm>
#include <vector>

#include "core/smallest/search.hpp"
#include "tests/check.hpp"

using namespace orderless;
using namespace orderless::smallest;
using namespace orderless::tests;

namespace {

/// The arrays that a BinTree looks at.
struct Arrays {
  std::vector<std::int32_t> feature, cut, when_true, when_false, leaf_class, set_bins;
  std::vector<std::uint8_t> nan_true;
  std::vector<std::int64_t> set_start{0};

  [[nodiscard]] BinTree view() const {
    return {feature, cut, nan_true, when_true, when_false, leaf_class, set_start, set_bins};
  }
};

using Cell = std::vector<std::int32_t>;

bool holds(const BinTree& tree, std::size_t node, const BinFeature& feature, std::int32_t bin) {
  if (feature.ordered) {
    return bin == feature.n_bins ? tree.nan_true[node] != 0 : bin <= tree.cut[node];
  }
  for (auto k = tree.set_start[node]; k < tree.set_start[node + 1]; ++k) {
    if (tree.set_bins[static_cast<std::size_t>(k)] == bin) return true;
  }
  return false;
}

/// (class, questions asked) of a cell.
std::pair<std::int32_t, int> decide(const BinTree& tree, const std::vector<BinFeature>& features,
                                    const Cell& cell) {
  std::size_t node = 0;
  int asked = 0;
  while (tree.feature[node] >= 0) {
    const auto f = static_cast<std::size_t>(tree.feature[node]);
    const bool yes = holds(tree, node, features[f], cell[f]);
    node = static_cast<std::size_t>(yes ? tree.when_true[node] : tree.when_false[node]);
    ++asked;
  }
  return {tree.leaf_class[node], asked};
}

std::int32_t grow(Arrays& tree, Random& random, const std::vector<BinFeature>& features,
                  int depth) {
  const auto node = tree.feature.size();
  const bool leaf = depth == 0 || random.below(6) == 0;
  const std::size_t f = random.below(features.size());
  tree.feature.push_back(leaf ? -1 : static_cast<std::int32_t>(f));
  tree.cut.push_back(features[f].ordered ? static_cast<std::int32_t>(random.below(
                                               static_cast<std::size_t>(features[f].n_bins)))
                                         : -1);
  tree.nan_true.push_back(random.coin() ? 1 : 0);
  tree.leaf_class.push_back(leaf ? static_cast<std::int32_t>(random.below(3)) : -1);
  tree.when_true.push_back(-1);
  tree.when_false.push_back(-1);
  for (std::int32_t b = 0; !leaf && !features[f].ordered && b < features[f].n_bins; ++b) {
    if (random.coin()) tree.set_bins.push_back(b);
  }
  tree.set_start.push_back(static_cast<std::int64_t>(tree.set_bins.size()));
  if (!leaf) {
    const std::int32_t yes = grow(tree, random, features, depth - 1);
    const std::int32_t no = grow(tree, random, features, depth - 1);
    tree.when_true[node] = yes;
    tree.when_false[node] = no;
  }
  return static_cast<std::int32_t>(node);
}

std::vector<Cell> cells(const std::vector<BinFeature>& features) {
  std::vector<Cell> out{{}};
  for (const BinFeature& feature : features) {
    std::vector<Cell> longer;
    for (const Cell& cell : out) {
      for (std::int32_t b = 0; b < feature.n_bins + (feature.ordered && feature.nan); ++b) {
        longer.push_back(cell);
        longer.back().push_back(b);
      }
    }
    out = std::move(longer);
  }
  return out;
}

void check(Random& random, const std::vector<BinFeature>& features, int depth) {
  Arrays given;
  (void)grow(given, random, features, depth);
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
        const BinTree tree{found.feature,    found.cut,        found.nan_true,  found.when_true,
                           found.when_false, found.leaf_class, found.set_start, found.set_bins};
        std::int64_t total = 0;
        int deepest = 0;
        for (const Cell& cell : all) {
          const auto [label, asked] = decide(tree, features, cell);
          CHECK(label == decide(given.view(), features, cell).first);
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
    Arrays given;
    (void)grow(given, random, many, 3);
    const SmallestTree found =
        smallest_tree(given.view(), many, Minimize::leaves, nullptr, 1000, [](auto) {});
    const BinTree tree{found.feature,    found.cut,        found.nan_true,  found.when_true,
                       found.when_false, found.leaf_class, found.set_start, found.set_bins};
    for (const Cell& cell : cells(many)) {
      CHECK(decide(tree, many, cell).first == decide(given.view(), many, cell).first);
    }
  }
  return 0;
}
