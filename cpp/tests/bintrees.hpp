#pragma once

// Random trees over bins, and brute force over all cells and boxes: shares no algorithm with the
// core.

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/bins/bins.hpp"
#include "tests/check.hpp"

namespace orderless::tests {

/// The arrays that a BinTree looks at.
struct BinArrays {
  std::vector<std::int32_t> feature, cut, when_true, when_false, leaf_class, set_bins;
  std::vector<std::uint8_t> nan_true;
  std::vector<std::int64_t> set_start{0};

  [[nodiscard]] BinTree view() const {
    return {feature, cut, nan_true, when_true, when_false, leaf_class, set_start, set_bins};
  }
};

inline BinTree view_of(const WrittenTree& tree) {
  return {tree.feature,    tree.cut,        tree.nan_true,  tree.when_true,
          tree.when_false, tree.leaf_class, tree.set_start, tree.set_bins};
}

using Cell = std::vector<std::int32_t>;  // a bin per feature; NaN: n_bins

/// How many bins a feature has, with NaN.
inline std::int32_t width(const BinFeature& feature) {
  return feature.n_bins + (feature.ordered && feature.nan ? 1 : 0);
}

inline bool holds(const BinTree& tree, std::size_t node, const BinFeature& feature,
                  std::int32_t bin) {
  if (feature.ordered) {
    return bin == feature.n_bins ? tree.nan_true[node] != 0 : bin <= tree.cut[node];
  }
  for (auto k = tree.set_start[node]; k < tree.set_start[node + 1]; ++k) {
    if (tree.set_bins[static_cast<std::size_t>(k)] == bin) return true;
  }
  return false;
}

/// (leaf, questions asked) of a cell.
inline std::pair<std::size_t, int> walk_cell(const BinTree& tree,
                                             const std::vector<BinFeature>& features,
                                             const Cell& cell) {
  std::size_t node = 0;
  int asked = 0;
  while (tree.feature[node] >= 0) {
    const auto f = static_cast<std::size_t>(tree.feature[node]);
    const bool yes = holds(tree, node, features[f], cell[f]);
    node = static_cast<std::size_t>(yes ? tree.when_true[node] : tree.when_false[node]);
    ++asked;
  }
  return {node, asked};
}

inline std::int32_t label_of(const BinTree& tree, const std::vector<BinFeature>& features,
                             const Cell& cell) {
  return tree.leaf_class[walk_cell(tree, features, cell).first];
}

inline std::vector<Cell> cells(const std::vector<BinFeature>& features) {
  std::vector<Cell> out{{}};
  for (const BinFeature& feature : features) {
    std::vector<Cell> longer;
    for (const Cell& cell : out) {
      for (std::int32_t b = 0; b < width(feature); ++b) {
        longer.push_back(cell);
        longer.back().push_back(b);
      }
    }
    out = std::move(longer);
  }
  return out;
}

/// Grows a tree; `alive`: every branch has some of the cells `here`.
inline std::int32_t grow(BinArrays& tree, Random& random, const std::vector<BinFeature>& features,
                         int depth, bool alive, const std::vector<Cell>& here) {
  const auto node = tree.feature.size();
  const std::size_t f = random.below(features.size());
  const BinFeature& feature = features[f];
  tree.feature.push_back(static_cast<std::int32_t>(f));
  tree.cut.push_back(feature.ordered ? static_cast<std::int32_t>(
                                           random.below(static_cast<std::size_t>(feature.n_bins)))
                                     : -1);
  tree.nan_true.push_back(random.coin() ? 1 : 0);
  tree.leaf_class.push_back(-1);
  tree.when_true.push_back(-1);
  tree.when_false.push_back(-1);
  for (std::int32_t b = 0; !feature.ordered && b < feature.n_bins; ++b) {
    if (random.coin()) tree.set_bins.push_back(b);
  }
  tree.set_start.push_back(static_cast<std::int64_t>(tree.set_bins.size()));
  std::vector<Cell> sides[2];
  for (const Cell& cell : here) {
    sides[holds(tree.view(), node, feature, cell[f]) ? 0 : 1].push_back(cell);
  }
  const bool dead = alive && (sides[0].empty() || sides[1].empty());
  if (depth == 0 || random.below(6) == 0 || dead) {
    tree.feature[node] = -1;
    tree.leaf_class[node] = static_cast<std::int32_t>(random.below(3));
    tree.set_bins.resize(static_cast<std::size_t>(tree.set_start[node]));
    tree.set_start[node + 1] = tree.set_start[node];
  } else {
    tree.when_true[node] = grow(tree, random, features, depth - 1, alive, sides[0]);
    const std::int32_t no = grow(tree, random, features, depth - 1, alive, sides[1]);
    tree.when_false[node] = no;
  }
  return static_cast<std::int32_t>(node);
}

inline BinArrays random_bin_tree(Random& random, const std::vector<BinFeature>& features, int depth,
                                 bool alive) {
  BinArrays tree;
  (void)grow(tree, random, features, depth, alive, alive ? cells(features) : std::vector<Cell>{});
  return tree;
}

using Slots = std::vector<std::uint16_t>;

inline bool inside(const BoxLayout& layout, const std::uint16_t* box, const Cell& cell) {
  for (std::size_t f = 0; f < cell.size(); ++f) {
    const std::size_t s = layout.slot(f);
    const auto b = static_cast<std::size_t>(cell[f]);
    const BinFeature& feature = layout.feature(f);
    if (!feature.ordered) {
      if ((box[s + b / 16] >> (b % 16) & 1U) == 0) return false;
    } else if (cell[f] == feature.n_bins) {
      if (box[s + 2] == 0) return false;
    } else if (cell[f] < box[s] || cell[f] > box[s + 1]) {
      return false;
    }
  }
  return true;
}

/// All sides that a box can have on a feature, but the empty one, as slots.
inline std::vector<Slots> all_sides(const BinFeature& feature) {
  std::vector<Slots> out;
  if (!feature.ordered) {
    for (std::uint16_t set = 1; set < 1U << feature.n_bins; ++set) out.push_back({set});
    return out;
  }
  for (std::uint16_t nan = 0; nan <= (feature.nan ? 1 : 0); ++nan) {
    for (std::uint16_t lo = 0; lo < feature.n_bins; ++lo) {
      for (std::uint16_t hi = lo; hi < feature.n_bins; ++hi) {
        out.push_back(feature.nan ? Slots{lo, hi, nan} : Slots{lo, hi});
      }
    }
    if (nan != 0) out.push_back({1, 0, 1});
  }
  return out;
}

/// All boxes; for features of at most 16 bins.
inline std::vector<Slots> all_boxes(const std::vector<BinFeature>& features) {
  std::vector<Slots> out{{}};
  for (const BinFeature& feature : features) {
    std::vector<Slots> longer;
    for (const Slots& box : out) {
      for (const Slots& side : all_sides(feature)) {
        longer.push_back(box);
        longer.back().insert(longer.back().end(), side.begin(), side.end());
      }
    }
    out = std::move(longer);
  }
  return out;
}

/// The numbers of the cells that are in a box.
inline std::vector<std::size_t> inner_cells(const BoxLayout& layout, const std::uint16_t* box,
                                            const std::vector<Cell>& all) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (inside(layout, box, all[i])) out.push_back(i);
  }
  return out;
}

/// Features of all kinds, few enough for all boxes to be tried.
inline std::vector<BinFeature> random_features(Random& random) {
  const BinFeature kinds[] = {{true, false, 3}, {true, true, 2}, {false, false, 3},
                              {true, false, 2}, {true, true, 1}, {false, false, 2}};
  std::vector<BinFeature> out;
  for (std::size_t n = 1 + random.below(3); n > 0; --n) out.push_back(kinds[random.below(6)]);
  return out;
}

}  // namespace orderless::tests
