// Covers of a class by reasons, against every choice of reasons.

#include <algorithm>
#include <bit>
#include <optional>
#include <tuple>
#include <vector>

#include "core/reasons/cover.hpp"
#include "core/reasons/maximal.hpp"
#include "tests/bintrees.hpp"
#include "tests/check.hpp"

using namespace orderless;
using namespace orderless::reasons;
using namespace orderless::tests;

namespace {

constexpr auto idle = [](std::size_t) {};

struct Case {
  std::vector<BinFeature> features;
  BoxLayout layout;
  BinArrays tree;
  LeafMasks masks;
  std::vector<Cell> all;

  explicit Case(Random& random)
      : features(random_features(random)),
        layout(features),
        tree(random_bin_tree(random, features, 5, true)),
        masks(tree.view(), layout, 3),
        all(cells(features)) {}

  [[nodiscard]] BoxList leaves(std::int32_t label) const {
    BoxList out;
    out.n_slots = layout.n_slots();
    for (std::size_t node = 0; node < tree.feature.size(); ++node) {
      if (tree.leaf_class[node] == label) out.push(masks.region(node));
    }
    return out;
  }

  /// What is wrong with the chosen boxes as a cover, cell by cell.
  [[nodiscard]] CoverFault fault(std::int32_t label, const BoxList& list,
                                 std::uint32_t which) const {
    bool open = false;
    for (const Cell& cell : all) {
      bool covered = false;
      for (std::size_t i = 0; i < list.size(); ++i) {
        covered = covered || ((which >> i & 1U) != 0 && inside(layout, list[i], cell));
      }
      const bool own = label_of(tree.view(), features, cell) == label;
      if (covered && !own) return CoverFault::mixed;
      open = open || (own && !covered);
    }
    return open ? CoverFault::open : CoverFault::none;
  }
};

constexpr std::uint32_t everything = ~std::uint32_t{0};

void check_smallest(const Case& one, std::int32_t label, const BoxList& reasons) {
  if (reasons.size() > 12) return;
  using Rank = std::tuple<std::size_t, std::int32_t, std::vector<std::int32_t>>;
  std::optional<Rank> best;
  for (std::uint32_t which = 0; which < 1U << reasons.size(); ++which) {
    if (one.fault(label, reasons, which) != CoverFault::none) continue;
    std::vector<std::int32_t> chosen;
    std::int32_t conditions = 0;
    for (std::size_t i = 0; i < reasons.size(); ++i) {
      if ((which >> i & 1U) == 0) continue;
      chosen.push_back(static_cast<std::int32_t>(i));
      conditions += one.layout.n_conditions(reasons[i]);
    }
    Rank rank{chosen.size(), conditions, chosen};
    if (!best || rank < *best) best = std::move(rank);
  }
  CHECK(best.has_value());
  CHECK(smallest_cover(one.layout, one.leaves(label), reasons, idle) == std::get<2>(*best));
  const FastCover fast = irredundant_cover(one.layout, one.masks, static_cast<std::size_t>(label),
                                           one.leaves(label), idle);
  CHECK(static_cast<std::size_t>(fast.bound) <= std::get<0>(*best));
  CHECK(fast.boxes.size() >= std::get<0>(*best));
  CHECK(one.fault(label, fast.boxes, everything) == CoverFault::none);
  for (std::size_t i = 0; i < fast.boxes.size(); ++i) {  // none can be left out
    CHECK(one.fault(label, fast.boxes, everything ^ (1U << i)) == CoverFault::open);
    const auto is_it = [&](std::size_t k) {
      return std::equal(fast.boxes[i], fast.boxes[i] + fast.boxes.n_slots, reasons[k]);
    };
    bool reason = false;
    for (std::size_t k = 0; k < reasons.size(); ++k) reason = reason || is_it(k);
    CHECK(reason);
  }
}

/// Any boxes at all: what is wrong with them is found, and nothing else.
void check_faults(Random& random, const Case& one, std::int32_t label) {
  const std::vector<Slots> boxes = all_boxes(one.features);
  BoxList some;
  some.n_slots = one.layout.n_slots();
  for (std::size_t n = random.below(4); n > 0; --n)
    some.push(boxes[random.below(boxes.size())].data());
  CHECK(cover_fault(one.layout, one.masks, static_cast<std::size_t>(label), one.leaves(label), some,
                    idle) == one.fault(label, some, everything));
}

}  // namespace

int main() {
  Random random{3};
  for (int round = 0; round < 300; ++round) {
    const Case one(random);
    const std::vector<BoxList> reasons = all_reasons(one.tree.view(), one.layout, 3, 1000, idle);
    for (const std::int32_t label : {0, 1, 2}) {
      check_smallest(one, label, reasons[static_cast<std::size_t>(label)]);
      check_faults(random, one, label);
    }
  }
  return 0;
}
