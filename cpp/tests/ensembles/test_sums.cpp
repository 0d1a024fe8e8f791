// Sums of trees: what is said of a box, against all of its cells, added up one after the other.

#include <algorithm>
#include <atomic>
#include <set>
#include <vector>

#include "core/ensembles/api.hpp"
#include "tests/bintrees.hpp"
#include "tests/check.hpp"

using namespace orderless;
using namespace orderless::tests;
namespace sums = orderless::ensembles;

namespace {

constexpr double endless = 1e9;
constexpr std::size_t much = std::size_t{1} << 30;

/// Some trees, the values of whose leaves are small whole numbers: no sum is rounded.
struct Drawn {
  std::vector<BinFeature> features;
  BinArrays nodes;
  std::vector<std::int32_t> roots, score;
  std::vector<double> values, base, cuts;
  std::vector<std::int64_t> whole, whole_base, slack, whole_cuts;
  sums::Rule rule;
  std::int32_t n_classes;

  Drawn(Random& random, std::vector<BinFeature> given) : features(std::move(given)) {
    rule = random.coin() ? sums::Rule::largest : sums::Rule::cuts;
    const std::size_t n_scores = rule == sums::Rule::largest ? 2 + random.below(3) : 1;
    const std::size_t n_trees = 1 + random.below(6);
    const auto value = [&] { return static_cast<std::int64_t>(random.below(7)) - 3; };
    for (std::size_t t = 0; t < n_trees; ++t) {
      const std::size_t begin = nodes.feature.size();
      roots.push_back(grow(nodes, random, features, 3, false, {}));
      score.push_back(-1);
      for (std::size_t i = begin; i < nodes.feature.size(); ++i) {
        if (nodes.feature[i] >= 0) continue;
        nodes.leaf_class[i] = static_cast<std::int32_t>(whole.size() / n_scores);
        for (std::size_t s = 0; s < n_scores; ++s) whole.push_back(value());
      }
    }
    for (const std::int64_t own : whole) values.push_back(static_cast<double>(own));
    for (std::size_t s = 0; s < n_scores; ++s) {
      whole_base.push_back(value());
      base.push_back(static_cast<double>(whole_base.back()));
    }
    slack.assign(n_scores, random.below(3) == 0 ? 2 : 0);  // more than there is: all is replayed
    n_classes = static_cast<std::int32_t>(n_scores);
    if (rule == sums::Rule::cuts) {
      whole_cuts = {-1, 2};
      cuts = {-1, 2};
      n_classes = 3;
    }
  }

  [[nodiscard]] sums::Sum sum() const {
    return sums::Sum({nodes.view(), roots, score, values, whole, base, whole_base, slack, false,
                      false, 1.0, rule, cuts, whole_cuts, 0, 0, false, n_classes},
                     features);
  }

  /// What one tree adds to a score.
  [[nodiscard]] std::int64_t part(std::int32_t root, const Cell& cell, std::size_t s) const {
    const BinTree tree = nodes.view();
    auto node = static_cast<std::size_t>(root);
    while (tree.feature[node] >= 0) {
      const auto f = static_cast<std::size_t>(tree.feature[node]);
      const bool yes = holds(tree, node, features[f], cell[f]);
      node = static_cast<std::size_t>(yes ? tree.when_true[node] : tree.when_false[node]);
    }
    return whole[static_cast<std::size_t>(tree.leaf_class[node]) * base.size() + s];
  }

  [[nodiscard]] std::vector<std::int64_t> scores(const Cell& cell) const {
    std::vector<std::int64_t> out = whole_base;
    for (const std::int32_t root : roots) {
      for (std::size_t s = 0; s < out.size(); ++s) out[s] += part(root, cell, s);
    }
    return out;
  }

  [[nodiscard]] std::int32_t label(const Cell& cell) const {
    const std::vector<std::int64_t> own = scores(cell);
    if (rule == sums::Rule::largest) {
      return static_cast<std::int32_t>(std::ranges::max_element(own) - own.begin());
    }
    return static_cast<std::int32_t>(
        std::ranges::count_if(whole_cuts, [&](std::int64_t cut) { return own[0] > cut; }));
  }
};

std::vector<std::uint8_t> random_box(Random& random, const std::vector<BinFeature>& features) {
  std::vector<std::uint8_t> box;
  for (const BinFeature& feature : features) {
    const auto n = static_cast<std::size_t>(width(feature));
    const std::size_t first = box.size();
    const std::size_t kind = random.below(3);
    for (std::size_t b = 0; b < n; ++b) box.push_back(kind == 0 || (kind == 1 && random.coin()));
    box[first + random.below(n)] = 1;
  }
  return box;
}

/// What facts leave: which cells of all are possible.
struct Facts {
  BinArrays tree;
  const std::vector<BinFeature>* features = nullptr;

  [[nodiscard]] bool possible(const Cell& cell) const {
    if (features == nullptr) return true;
    const BinTree own = tree.view();
    std::size_t node = 0;
    while (own.feature[node] >= 0) {
      const auto f = static_cast<std::size_t>(own.feature[node]);
      const bool yes = holds(own, node, (*features)[f], cell[f]);
      node = static_cast<std::size_t>(yes ? own.when_true[node] : own.when_false[node]);
    }
    return own.leaf_class[node] == 0;
  }
};

/// The classes of all possible cells in a box.
std::set<std::int32_t> labels_in(const Drawn& drawn, const sums::Sum& sum,
                                 const std::vector<Cell>& all, const Facts& facts,
                                 const std::vector<std::uint8_t>& box) {
  std::set<std::int32_t> labels;
  for (const Cell& cell : all) {
    bool inside = facts.possible(cell);
    for (std::size_t f = 0; f < cell.size(); ++f) {
      inside = inside && box[sum.first_bin(f) + static_cast<std::size_t>(cell[f])] != 0;
    }
    if (inside) labels.insert(drawn.label(cell));
  }
  return labels;
}

/// The reason of a certain box: enough, minimal, and wide.
void check_reason(const Drawn& drawn, const sums::Sum& sum, const std::vector<Cell>& all,
                  const Facts& facts, const std::vector<std::uint8_t>& box, std::int32_t label,
                  sums::Watch& watch) {
  const auto keeping = [&](const std::vector<std::uint8_t>& kept) {
    std::vector<std::uint8_t> out(box);
    for (std::size_t f = 0; f < kept.size(); ++f) {
      const auto first = out.begin() + static_cast<std::ptrdiff_t>(sum.first_bin(f));
      if (kept[f] == 0) std::fill(first, first + sum.width(f), std::uint8_t{1});
    }
    return out;
  };
  sums::Reasons reasons(sum, box, label, watch);
  std::vector<std::uint8_t> kept(sum.n_features(), 1);
  reasons.shrink(kept);
  CHECK(labels_in(drawn, sum, all, facts, keeping(kept)).size() == 1);
  for (const std::size_t f : reasons.order()) {
    if (kept[f] == 0) continue;
    std::vector<std::uint8_t> less(kept);
    less[f] = 0;
    CHECK(labels_in(drawn, sum, all, facts, keeping(less)).size() > 1);
  }
  for (const std::size_t nodes : {1, 3, 0}) {
    const sums::Box wide = reasons.widen(kept, nodes);
    CHECK(labels_in(drawn, sum, all, facts, wide) == std::set<std::int32_t>{label});
    for (std::size_t b = 0; b < box.size(); ++b) {
      CHECK(keeping(kept)[b] == 0 || wide[b] != 0);
    }
    if (nodes != 0) continue;
    for (std::size_t f = 0; f < sum.n_features(); ++f) {  // no bin beside a side can be added
      const std::size_t first = sum.first_bin(f);
      const auto n = static_cast<std::size_t>(sum.width(f));
      const auto numbers = static_cast<std::size_t>(sum.feature(f).n_bins);
      std::size_t runs = 0;  // a side that has gaps grows around its first number only
      for (std::size_t b = 0; b < numbers; ++b) {
        runs += wide[first + b] != 0 && (b == 0 || wide[first + b - 1] == 0) ? 1 : 0;
      }
      if (sum.feature(f).ordered && runs > 1) continue;
      for (std::size_t b = 0; b < n; ++b) {
        const bool apart = sum.feature(f).ordered && b < numbers &&
                           !(b > 0 && wide[first + b - 1] != 0) &&
                           !(b + 1 < numbers && wide[first + b + 1] != 0);
        if (wide[first + b] != 0 || apart) continue;
        sums::Box wider(wide);
        wider[first + b] = 1;
        CHECK(labels_in(drawn, sum, all, facts, wider).size() > 1);
      }
    }
  }
}

/// How wide the scores range in a box, tree for tree; 0 where that settles the class and it counts.
std::int64_t range_in(const Drawn& drawn, const sums::Sum& sum, const std::vector<Cell>& all,
                      const std::vector<std::uint8_t>& box, bool open_only) {
  std::vector<std::int64_t> low = drawn.whole_base;
  std::vector<std::int64_t> high = drawn.whole_base;
  for (const std::int32_t root : drawn.roots) {
    for (std::size_t s = 0; s < low.size(); ++s) {
      std::set<std::int64_t> found;
      for (const Cell& cell : all) {
        bool inside = true;
        for (std::size_t f = 0; f < cell.size(); ++f) {
          inside = inside && box[sum.first_bin(f) + static_cast<std::size_t>(cell[f])] != 0;
        }
        if (inside) found.insert(drawn.part(root, cell, s));
      }
      low[s] += *found.begin();
      high[s] += *found.rbegin();
    }
  }
  std::set<std::int32_t> open;  // classes that are not ruled out
  if (drawn.rule == sums::Rule::cuts) {
    for (std::int64_t x = low[0] - drawn.slack[0]; x <= high[0] + drawn.slack[0]; ++x) {
      open.insert(static_cast<std::int32_t>(
          std::ranges::count_if(drawn.whole_cuts, [&](std::int64_t cut) { return x > cut; })));
    }
  } else {
    open = {0, 1};
    for (std::size_t c = 0; c < low.size(); ++c) {
      bool first = true;
      for (std::size_t d = 0; d < low.size(); ++d) {
        first = first && (c == d || low[c] - drawn.slack[c] > high[d] + drawn.slack[d]);
      }
      if (first) open = {static_cast<std::int32_t>(c)};
    }
  }
  if (open_only && open.size() == 1) return 0;
  std::int64_t width = 0;
  for (std::size_t s = 0; s < low.size(); ++s) width += high[s] - low[s];
  return width;
}

void check_ranges(const Drawn& drawn, const sums::Sum& sum, const std::vector<Cell>& all,
                  const std::vector<std::uint8_t>& box) {
  const sums::Ranges ranges = sums::ranges(sum, box);
  CHECK(ranges.now == range_in(drawn, sum, all, box, false));
  for (std::size_t f = 0; f < sum.n_features(); ++f) {
    std::int64_t left = 0;
    bool narrows = false;
    for (std::int32_t b = 0; b < sum.width(f); ++b) {
      if (box[sum.first_bin(f) + static_cast<std::size_t>(b)] == 0) continue;
      std::vector<std::uint8_t> part(box);
      for (std::int32_t other = 0; other < sum.width(f); ++other) {
        part[sum.first_bin(f) + static_cast<std::size_t>(other)] = other == b ? 1 : 0;
      }
      left += range_in(drawn, sum, all, part, true);
      narrows = narrows || range_in(drawn, sum, all, part, false) < ranges.now;
    }
    if (ranges.asked[f] != 0) {
      CHECK(left == ranges.high[f] * (std::int64_t{1} << 32) + ranges.low[f]);
    } else {
      CHECK(!narrows);
    }
  }
}

void check_box(const Drawn& drawn, const sums::Sum& sum, const std::vector<Cell>& all,
               const Facts& facts, const std::vector<std::uint8_t>& box, sums::Watch& watch) {
  std::set<std::int32_t> labels;
  std::set<std::int64_t> scores;
  for (const Cell& cell : all) {
    bool inside = facts.possible(cell);
    for (std::size_t f = 0; f < cell.size(); ++f) {
      inside = inside && box[sum.first_bin(f) + static_cast<std::size_t>(cell[f])] != 0;
    }
    if (!inside) continue;
    labels.insert(drawn.label(cell));
    scores.insert(drawn.scores(cell)[0]);
  }
  const sums::Decision decision = decide(sum, box, watch);
  CHECK((decision.status == sums::Status::certain) == (labels.size() <= 1));
  CHECK(decision.status == sums::Status::certain || decision.status == sums::Status::open);
  CHECK((decision.label < 0) == (labels.size() != 1));
  if (labels.size() == 1) {
    CHECK(decision.label == *labels.begin());
    check_reason(drawn, sum, all, facts, box, *labels.begin(), watch);
  }
  if (labels.size() > 1) {
    CHECK(drawn.label(decision.first) != drawn.label(decision.second));
    CHECK(facts.possible(decision.first) && facts.possible(decision.second));
  }
  const sums::Possibility possible = sums::possible(sum, box, watch);
  for (std::int32_t c = 0; c < drawn.n_classes; ++c) {
    const auto place = static_cast<std::size_t>(c);
    CHECK(possible.possible[place] == (labels.contains(c) ? 1 : 0));
    if (labels.contains(c)) CHECK(drawn.label(possible.cells[place]) == c);
    if (labels.contains(c)) CHECK(facts.possible(possible.cells[place]));
  }
  if (labels.empty()) return;
  sums::Weights weights(drawn.base.size(), 0);
  weights[0] = 1;
  const sums::Extent extent = sums::extent(sum, box, weights, watch);
  CHECK(extent.low == *scores.begin() && extent.found_low == extent.low);
  CHECK(extent.high == *scores.rbegin() && extent.found_high == extent.high);
  CHECK(drawn.scores(extent.high_cell)[0] == extent.high);
  CHECK(facts.possible(extent.high_cell) && facts.possible(extent.low_cell));
}

void check(Random& random, const std::vector<BinFeature>& features) {
  const Drawn drawn(random, features);
  const sums::Sum sum = drawn.sum();
  const std::vector<Cell> all = cells(features);
  const std::atomic<bool> stop{false};
  sums::Watch watch(much, nullptr, stop);
  watch.begin(endless, {});
  Facts facts{random_bin_tree(random, features, 3, false), &features};
  for (std::int32_t& own : facts.tree.leaf_class) own = own < 0 ? own : own % 2;
  const std::int32_t root = 0;
  const sums::Sum known(sum, facts.tree.view(), std::span(&root, 1));
  for (int i = 0; i < 4; ++i) {
    const std::vector<std::uint8_t> box = random_box(random, features);
    check_box(drawn, sum, all, {}, box, watch);
    if (all.size() < 100) check_ranges(drawn, sum, all, box);
    check_box(drawn, known, all, facts, box, watch);
  }
  const sums::Complete complete(sum);
  std::vector<std::int32_t> flat;
  for (const Cell& cell : all) flat.insert(flat.end(), cell.begin(), cell.end());
  std::vector<double> added(all.size() * sum.n_scores());
  std::vector<std::int32_t> label(all.size());
  complete.run(flat, all.size(), added, label);
  for (std::size_t i = 0; i < all.size(); ++i) CHECK(label[i] == drawn.label(all[i]));
}

void check_alike() {
  const std::vector<std::vector<std::uint8_t>> boxes{{1, 0}, {0, 1}, {1, 0}, {1, 1}, {0, 1}};
  const auto box = [&](std::size_t i, std::vector<std::uint8_t>&) {
    return std::span<const std::uint8_t>(boxes[i]);
  };
  CHECK((sums::first_alike(5, box) == std::vector<std::size_t>{0, 1, 0, 3, 1}));
  CHECK(sums::first_alike(0, box).empty());
}

}  // namespace

int main() {
  Random random{18};
  const BinFeature number{true, false, 4};
  const BinFeature gaps{true, true, 3};
  const BinFeature kinds{false, false, 5};
  const BinFeature many{false, false, 70};
  for (int i = 0; i < 150; ++i) {
    check(random, {number});
    check(random, {number, gaps, kinds});
    check(random, {number, number, gaps, number});
    check(random, {many, gaps});
  }
  check_alike();
}
