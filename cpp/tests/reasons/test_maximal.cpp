// All reasons, against every box of small spaces.

#include <algorithm>
#include <vector>

#include "core/base/errors.hpp"
#include "core/reasons/canonical.hpp"
#include "core/reasons/maximal.hpp"
#include "tests/bintrees.hpp"
#include "tests/check.hpp"

using namespace orderless;
using namespace orderless::reasons;
using namespace orderless::tests;

namespace {

constexpr auto idle = [](std::size_t) {};

/// Per class the pure boxes that no other pure box contains, in no order.
std::vector<std::vector<Slots>> by_trying(const BinTree& tree, const BoxLayout& layout,
                                          const std::vector<BinFeature>& features) {
  const std::vector<Cell> all = cells(features);
  std::vector<std::vector<std::pair<Slots, std::vector<std::size_t>>>> pure(3);
  for (const Slots& box : all_boxes(features)) {
    std::vector<std::size_t> own = inner_cells(layout, box.data(), all);
    const std::int32_t label = label_of(tree, features, all[own[0]]);
    const bool one = std::all_of(own.begin(), own.end(), [&](std::size_t i) {
      return label_of(tree, features, all[i]) == label;
    });
    if (one) pure[static_cast<std::size_t>(label)].emplace_back(box, std::move(own));
  }
  std::vector<std::vector<Slots>> out(3);
  for (std::size_t c = 0; c < 3; ++c) {
    for (const auto& [box, own] : pure[c]) {
      const bool stuck = std::none_of(pure[c].begin(), pure[c].end(), [&, inner = &own](auto& b) {
        return b.second.size() > inner->size() &&
               std::includes(b.second.begin(), b.second.end(), inner->begin(), inner->end());
      });
      if (stuck) out[c].push_back(box);
    }
  }
  return out;
}

void check(Random& random) {
  const std::vector<BinFeature> features = random_features(random);
  const BoxLayout layout(features);
  const BinArrays tree = random_bin_tree(random, features, 5, true);
  std::vector<std::vector<Slots>> expected = by_trying(tree.view(), layout, features);
  const std::vector<BoxList> found = all_reasons(tree.view(), layout, 3, 1000, idle);
  std::size_t most = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    std::sort(expected[c].begin(), expected[c].end(), [&](const Slots& a, const Slots& b) {
      const auto n_a = layout.n_conditions(a.data()), n_b = layout.n_conditions(b.data());
      return n_a != n_b ? n_a < n_b : a < b;
    });
    CHECK(found[c].size() == expected[c].size());
    for (std::size_t i = 0; i < expected[c].size(); ++i) {
      CHECK(std::equal(expected[c][i].begin(), expected[c][i].end(), found[c][i]));
    }
    most = std::max(most, expected[c].size());
  }
  const std::vector<std::uint8_t> wanted{0, 1, 0};  // those of one class alone are the same
  const std::vector<BoxList> some = all_reasons(tree.view(), layout, 3, 1000, idle, wanted);
  CHECK(some[0].size() + some[2].size() == 0);
  CHECK(some[1].slots == found[1].slots);
  if (most < 2) return;
  std::size_t met = 0;
  try {
    (void)all_reasons(tree.view(), layout, 3, most - 1, idle);
  } catch (const TooMany& limit) {
    met = limit.met;
  }
  CHECK(met >= most);
}

/// The canonical tree is the same function, and the same for another tree of that function.
void check_canonical(Random& random) {
  const std::vector<BinFeature> features = random_features(random);
  const BinArrays tree = random_bin_tree(random, features, 4, true);
  const WrittenTree one = canonical_tree(tree.view(), features, 10'000, idle);
  for (const Cell& cell : cells(features)) {
    CHECK(label_of(view_of(one), features, cell) == label_of(tree.view(), features, cell));
  }
  const WrittenTree again = canonical_tree(view_of(one), features, 10'000, idle);
  CHECK(again.feature == one.feature && again.cut == one.cut && again.nan_true == one.nan_true &&
        again.leaf_class == one.leaf_class && again.set_bins == one.set_bins);
}

}  // namespace

int main() {
  Random random{5};
  for (int round = 0; round < 400; ++round) check(random);
  for (int round = 0; round < 200; ++round) check_canonical(random);
  return 0;
}
