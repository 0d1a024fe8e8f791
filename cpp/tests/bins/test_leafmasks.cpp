// The leaves that a box meets, as bits: against the cells of every leaf.

#include <algorithm>
#include <set>
#include <vector>

#include "core/base/bits.hpp"
#include "core/bins/leafmasks.hpp"
#include "tests/bintrees.hpp"
#include "tests/check.hpp"

using namespace orderless;
using namespace orderless::tests;

namespace {

/// The leaves in the order of a walk, and the features asked at a node or below it.
void below(const BinTree& tree, std::size_t node, std::vector<std::size_t>& leaves,
           std::set<std::uint32_t>& asked) {
  if (tree.feature[node] < 0) {
    leaves.push_back(node);
    return;
  }
  asked.insert(static_cast<std::uint32_t>(tree.feature[node]));
  below(tree, static_cast<std::size_t>(tree.when_true[node]), leaves, asked);
  below(tree, static_cast<std::size_t>(tree.when_false[node]), leaves, asked);
}

void check(Random& random) {
  const std::vector<BinFeature> features = random_features(random);
  const BoxLayout layout(features);
  const BinArrays arrays = random_bin_tree(random, features, 4, true);
  const BinTree tree = arrays.view();
  const LeafMasks masks(tree, layout, 3);
  const std::vector<Cell> all = cells(features);
  std::vector<std::size_t> leaves;
  std::set<std::uint32_t> asked;
  below(tree, 0, leaves, asked);
  CHECK(masks.n_leaves() == leaves.size());
  for (std::size_t node = 0; node < arrays.feature.size(); ++node) {
    std::vector<std::size_t> own;
    asked.clear();
    below(tree, node, own, asked);
    CHECK(std::equal(own.begin(), own.end(),
                     leaves.begin() + static_cast<std::ptrdiff_t>(masks.first_leaf(node))));
    CHECK(masks.end_leaf(node) == masks.first_leaf(node) + own.size());
    CHECK(std::equal(asked.begin(), asked.end(), masks.active(node).begin(),
                     masks.active(node).end()));
  }
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    for (const Cell& cell : all) {
      const bool reached = walk_cell(tree, features, cell).first == leaves[i];
      CHECK(inside(layout, masks.region(leaves[i]), cell) == reached);
    }
    for (std::size_t c = 0; c < 3; ++c) {
      CHECK(has_bit(masks.not_class(c), i) ==
            (tree.leaf_class[leaves[i]] != static_cast<std::int32_t>(c)));
    }
  }
  // A leaf meets a side of a feature iff some cell of it has one of the side's bins.
  for (const Slots& box : all_boxes(features)) {
    for (std::size_t f = 0; f < features.size(); ++f) {
      std::vector<std::uint64_t> met(masks.n_words(), ~std::uint64_t{0});
      masks.meet(f, box.data(), met.data(), 0, masks.n_words());
      for (std::size_t i = 0; i < leaves.size(); ++i) {
        Slots side = layout.whole();
        std::copy(box.begin() + static_cast<std::ptrdiff_t>(layout.slot(f)),
                  box.begin() + static_cast<std::ptrdiff_t>(layout.slot(f + 1)),
                  side.begin() + static_cast<std::ptrdiff_t>(layout.slot(f)));
        const bool meets = std::any_of(all.begin(), all.end(), [&](const Cell& cell) {
          return inside(layout, side.data(), cell) && inside(layout, masks.region(leaves[i]), cell);
        });
        CHECK(has_bit(met, i) == meets);
      }
    }
  }
}

}  // namespace

int main() {
  Random random{11};
  for (int round = 0; round < 150; ++round) check(random);
  return 0;
}
