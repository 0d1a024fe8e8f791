// Masks of leaves and walks, with AVX2 and without, against all completions of each row.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "core/rows/block_walk.hpp"
#include "core/rows/decide.hpp"
#include "core/rows/lane_walk.hpp"
#include "core/rows/masks.hpp"
#include "core/rows/walk.hpp"
#include "tests/check.hpp"
#include "tests/trees.hpp"

using namespace orderless;
using namespace orderless::rows;
using namespace orderless::tests;

namespace {

void no_poll() {}

// 0.1 is no float, and floats lie on both of its sides; the others are floats, or not even near
// one.
constexpr double all_cuts[] = {0, 0.1, 0.5, 1, 2, 1e-42, -3, 1e300};
constexpr double float_cuts[] = {0, 0.5, 1, 2, -3, 16777217, 1e-42};

/// A tree without dead branches; `low` and `high` bound each feature.
std::int32_t grow_alive(Arrays& tree, Random& random, std::span<const double> from, Values low,
                        Values high, std::size_t n_classes, int depth) {
  const std::size_t f = random.below(low.size());
  const double cut = from[random.below(from.size())];
  if (depth == 0 || cut <= low[f] || cut >= high[f]) {
    return tree.leaf(static_cast<std::int32_t>(random.below(n_classes)));
  }
  const std::int32_t node = tree.add(static_cast<std::int32_t>(f), cut, false, -1);
  Values middle = high;
  middle[f] = cut;
  const std::int32_t yes = grow_alive(tree, random, from, low, middle, n_classes, depth - 1);
  low[f] = cut;
  const std::int32_t no = grow_alive(tree, random, from, low, high, n_classes, depth - 1);
  tree.hang(node, yes, no);
  return node;
}

std::int32_t class_of(const Arrays& tree, const Values& row) {
  std::size_t node = 0;
  while (tree.feature[node] >= 0) {
    const bool yes = row[static_cast<std::size_t>(tree.feature[node])] <= tree.threshold[node];
    node = static_cast<std::size_t>(yes ? tree.when_true[node] : tree.when_false[node]);
  }
  return tree.leaf_class[node];
}

/// The least and the greatest class of all completions.
std::pair<std::int32_t, std::int32_t> by_completions(const Arrays& tree, const Values& row,
                                                     const Values& everything) {
  std::vector<Values> choices;
  for (const double x : row) choices.push_back(std::isnan(x) ? everything : Values{x});
  std::set<std::int32_t> classes;
  for (const Values& point : product(choices)) classes.insert(class_of(tree, point));
  return {*classes.begin(), *classes.rbegin()};
}

/// Blocks of all sizes, so that small trees have many levels of them.
template <class S, class T>
void check_blocks(const PackedTree& packed, const Column& first,
                  const std::vector<std::int32_t>& low, const std::vector<std::int32_t>& high) {
  const std::size_t n_rows = low.size();
  for (const std::size_t most : {2, 3, 5, 64}) {
    const BlockTree blocks = blocks_of(packed, most);
    std::size_t n_leaves = 0;
    for (const Block& block : blocks.blocks) {
      CHECK(block.by_low.size() <= most);
      for (const Block::Exit& exit : block.by_low) n_leaves += exit.block < 0 ? 1 : 0;
    }
    CHECK(n_leaves == packed.n_leaves());
    CHECK(most > 2 || blocks.levels == packed.depth);
    CHECK(packed.n_leaves() > most || blocks.levels == 1);
    for (const bool wide : {false, has_avx2()}) {
      const BlockWalk<S, T> walk(blocks, packed.offsets, first.first, first.stride, wide);
      std::vector<std::int32_t> least(n_rows, -7), greatest(n_rows, -7);
      walk.run(0, n_rows, least.data(), greatest.data());
      CHECK(least == low);
      CHECK(greatest == high);
      walk.run(n_rows / 2, n_rows, least.data(), greatest.data());  // from any row on
      const auto half = static_cast<std::ptrdiff_t>(n_rows / 2);
      CHECK(std::equal(low.begin() + half, low.end(), least.begin()));
      CHECK(std::equal(high.begin() + half, high.end(), greatest.begin()));
    }
  }
}

/// Lanes, from the first row on and from another; and the ends of what they have left open.
template <class S, class T>
void check_lanes(const PackedTree& packed, const Column& column,
                 const std::vector<std::int32_t>& low, const std::vector<std::int32_t>& high) {
  const std::size_t n_rows = low.size();
  CHECK((LaneWalk<S, T>::takes(packed)));
  const EndsWalk<S> every(packed, column.first, column.stride);
  for (const bool wide : {false, has_avx2()}) {
    const LaneWalk<S, T> walk(packed, column.first, column.stride, wide);
    for (const std::size_t first : {std::size_t{0}, n_rows / 3}) {
      std::vector<std::int32_t> least(n_rows - first, -7), greatest(n_rows - first, -7);
      walk.run(first, n_rows, least.data(), greatest.data());
      for (std::size_t r = first; r < n_rows; ++r) {
        CHECK((least[r - first] == greatest[r - first]) == (low[r] == high[r]));
        CHECK(low[r] != high[r] || least[r - first] == low[r]);
      }
      every.run(first, n_rows, least.data(), greatest.data(), true);
      CHECK(std::equal(least.begin(), least.end(), low.begin() + static_cast<long>(first)));
      CHECK(std::equal(greatest.begin(), greatest.end(), high.begin() + static_cast<long>(first)));
    }
  }
}

using Labels = std::vector<std::int32_t>;

/// What walks a packed tree by itself, in every way, finds the least and the greatest class.
template <class S>
void check_packed(const PackedTree& packed, const Column& column, const Labels& low,
                  const Labels& high) {
  const std::byte* base = column.first;
  const std::size_t n_rows = low.size();
  for (const bool complete : {false, true}) {
    Labels least(n_rows, -7), greatest(n_rows, -7);
    const EndsWalk<S> every(packed, base, column.stride);
    every.run(0, n_rows, least.data(), greatest.data(), false);
    CHECK(least == low);
    CHECK(greatest == high);
    const RowWalk<S> walk(packed, base, column.stride);
    walk.run(0, n_rows, {least.data(), greatest.data()}, complete);
    for (std::size_t r = 0; r < n_rows; ++r) {
      CHECK((least[r] == greatest[r] ? least[r] : -1) == (low[r] == high[r] ? low[r] : -1));
    }
    every.run(0, n_rows, least.data(), greatest.data(), true);  // the rest of what was begun
    CHECK(least == low);
    CHECK(greatest == high);
  }
  check_blocks<S, S>(packed, column, low, high);
  check_lanes<S, S>(packed, column, low, high);
  const MaskTree one = masks_of(packed, 1), two = masks_of(packed, 2), four = masks_of(packed, 4),
                 eight = masks_of(packed, 8);
  bool sharp = true;
  for (const auto& node : packed.nodes) sharp = sharp && sharp_as_float(node.cut);
  const auto check = [&](const auto& masks) {
    Labels least(n_rows, -7), greatest(n_rows, -7);
    masks.run(0, n_rows, least.data(), greatest.data());
    CHECK(least == low);
    CHECK(greatest == high);
    if (n_rows < 2) return;
    masks.run(1, n_rows, least.data(), greatest.data());  // from any row on
    CHECK(std::equal(low.begin() + 1, low.end(), least.begin()));
    CHECK(std::equal(high.begin() + 1, high.end(), greatest.begin()));
  };
  if (sharp) check_blocks<S, float>(packed, column, low, high);
  if (sharp) check_lanes<S, float>(packed, column, low, high);
  for (const bool wide : {false, has_avx2()}) {
    const std::ptrdiff_t stride = column.stride;
    check(RowMasks<S, S, 1>(one, base, stride, wide));
    check(RowMasks<S, S, 4>(four, base, stride, wide));
    if (sharp) check(RowMasks<S, float, 2>(two, base, stride, wide));
    if (sharp) check(RowMasks<S, float, 8>(eight, base, stride, wide));
  }
}

template <class S>
void test_rows(Random& random, std::span<const double> from, bool fortran) {
  const std::size_t n_features = 1 + random.below(3);
  const std::size_t n_classes = 1 + random.below(4);
  Arrays tree;
  grow_alive(tree, random, from, Values(n_features, -infinity), Values(n_features, infinity),
             n_classes, 1 + static_cast<int>(random.below(6)));
  Values everything(from.begin(), from.end());  // one value of each bin
  everything.push_back(infinity);
  Values near{-infinity, infinity};
  for (const double cut : from) {
    for (const double x : {cut, std::nextafter(cut, -infinity), std::nextafter(cut, infinity)}) {
      near.push_back(x);
    }
  }
  const std::size_t n_rows = 1 + random.below(600);
  std::vector<S> values(n_rows * n_features);
  const std::size_t row_step = fortran ? 1 : n_features;
  const std::size_t column_step = fortran ? n_rows : 1;
  std::vector<std::int32_t> expected(n_rows), low(n_rows), high(n_rows);
  for (std::size_t r = 0; r < n_rows; ++r) {
    Values row;
    for (std::size_t f = 0; f < n_features; ++f) {
      const bool unknown = random.below(5) == 0;
      const auto x = static_cast<S>(near[random.below(near.size())]);
      S& cell = values[r * row_step + f * column_step];
      cell = unknown ? std::numeric_limits<S>::quiet_NaN() : x;
      row.push_back(static_cast<double>(cell));
    }
    std::tie(low[r], high[r]) = by_completions(tree, row, everything);
    expected[r] = low[r] == high[r] ? low[r] : -1;
  }
  std::vector<Column> columns(n_features);
  for (std::size_t f = 0; f < n_features; ++f) {
    columns[f].kind = sizeof(S) == 8 ? Column::Kind::f64 : Column::Kind::f32;
    columns[f].first = reinterpret_cast<const std::byte*>(values.data() + f * column_step);
    columns[f].stride = static_cast<std::ptrdiff_t>(row_step * sizeof(S));
  }
  const std::vector<Domain> domains(n_features, numeric());
  std::vector<std::int32_t> label(n_rows, -7);
  decide(tree.view(), domains, tree.threshold, columns, n_rows, label, 2, no_poll);
  CHECK(label == expected);
  std::vector<std::int32_t> least(n_rows, -7), greatest(n_rows, -7);
  const auto take = [&](std::size_t first, std::span<std::int32_t> some_low,
                        std::span<std::int32_t> some_high) {
    std::ranges::copy(some_low, least.data() + first);
    std::ranges::copy(some_high, greatest.data() + first);
  };
  ends(tree.view(), domains, tree.threshold, columns, n_rows, true, 2, no_poll, take);
  CHECK(least == low);
  CHECK(greatest == high);
  std::vector<std::int32_t> by_reach_low(n_rows), by_reach_high(n_rows);
  reach(tree.view(), domains, tree.threshold, columns, n_rows, n_classes,
        {{}, label, {}, by_reach_low, by_reach_high, true}, no_poll);
  CHECK(label == expected);
  CHECK(by_reach_low == low);
  CHECK(by_reach_high == high);
  const std::byte* base = columns[0].first;
  const PackedTree packed = pack(tree.view(), tree.threshold, columns, base);
  if (!packed.nodes.empty()) check_packed<S>(packed, columns[0], low, high);
}

/// A tree of thousands of leaves, which `ends` goes through in blocks, and one that is a chain,
/// which it walks; more rows than are read at once. Against `reach`, which was compared above.
template <class S>
void test_many_leaves(Random& random, bool chain) {
  const std::size_t n_features = 5;
  Values cuts;
  for (int i = 0; i < (chain ? 4000 : 40); ++i) cuts.push_back((i + 0.5) / (chain ? 4000 : 40));
  Arrays tree;
  if (chain) {
    std::int32_t last = tree.add(0, cuts[0], false, -1);
    for (std::size_t i = 1; i <= cuts.size(); ++i) {
      const bool end = i == cuts.size();
      const std::int32_t leaf = tree.leaf(static_cast<std::int32_t>(random.below(3000)));
      const std::int32_t next =
          end ? tree.leaf(7)
              : tree.add(static_cast<std::int32_t>(i % n_features), cuts[i], false, -1);
      tree.hang(last, leaf, next);
      last = next;
    }
  } else {
    grow_alive(tree, random, cuts, Values(n_features, -infinity), Values(n_features, infinity),
               3000, 12);
  }
  const std::size_t n_rows = 20000;
  std::vector<S> values(n_rows * n_features);
  for (S& x : values) {
    x = static_cast<S>(random.below(1000)) / S{1000};
    if (random.below(4) == 0) x = std::numeric_limits<S>::quiet_NaN();
  }
  std::vector<Column> columns(n_features);
  for (std::size_t f = 0; f < n_features; ++f) {
    columns[f].kind = sizeof(S) == 8 ? Column::Kind::f64 : Column::Kind::f32;
    columns[f].first = reinterpret_cast<const std::byte*>(values.data() + f);
    columns[f].stride = static_cast<std::ptrdiff_t>(n_features * sizeof(S));
  }
  const std::vector<Domain> domains(n_features, numeric());
  std::vector<std::int32_t> low(n_rows), high(n_rows), least(n_rows), greatest(n_rows);
  reach(tree.view(), domains, tree.threshold, columns, n_rows, 3000, {{}, {}, {}, low, high, true},
        no_poll);
  ends(tree.view(), domains, tree.threshold, columns, n_rows, true, 2, no_poll,
       [&](std::size_t first, std::span<std::int32_t> some_low, std::span<std::int32_t> some_high) {
         std::ranges::copy(some_low, least.data() + first);
         std::ranges::copy(some_high, greatest.data() + first);
       });
  CHECK(least == low);
  CHECK(greatest == high);
  std::vector<std::int32_t> label(n_rows, -7);
  decide(tree.view(), domains, tree.threshold, columns, n_rows, label, 2, no_poll);
  for (std::size_t r = 0; r < n_rows; ++r) CHECK(label[r] == (low[r] == high[r] ? low[r] : -1));
  const PackedTree packed = pack(tree.view(), tree.threshold, columns, columns[0].first);
  CHECK((LaneWalk<S, S>::takes(packed)) != chain);
  if (!chain) check_lanes<S, S>(packed, columns[0], low, high);
}

void test_sharp() {
  CHECK(!sharp_as_float(0.1));  // a double above it rounds to the same float
  CHECK(!sharp_as_float(1.0));
  CHECK(!sharp_as_float(infinity));
  CHECK(!sharp_as_float(1e300));
  const double half_way = (1.0 + static_cast<double>(std::nextafter(1.0F, 2.0F))) / 2;
  CHECK(sharp_as_float(half_way));  // rounds to 1, the even one; all above do not
}

void test_label_bytes() {
  const char items[] = {'a', 'b', 'c', 'd', 'e', 'f'};  // two labels of three bytes
  std::vector<std::byte> data(12);
  std::vector<std::uint8_t> hidden(4, 9);
  const LabelBytes out{std::as_bytes(std::span(items)), 3, data.data(), hidden.data()};
  const std::vector<std::int32_t> label{1, -1, 0};
  out.write(1, label);
  CHECK(std::memcmp(data.data() + 3, "defabcabc", 9) == 0);
  CHECK((hidden == std::vector<std::uint8_t>{9, 0, 1, 0}));
}

void test_stops() {
  Arrays tree;
  const std::int32_t root = tree.add(0, 0.5, false, -1);
  tree.hang(root, tree.leaf(0), tree.leaf(1));
  const std::vector<float> values(100000, 1.0F);
  Column column;
  column.kind = Column::Kind::f32;
  column.first = reinterpret_cast<const std::byte*>(values.data());
  column.stride = sizeof(float);
  const std::vector<Domain> domains(1, numeric());
  std::vector<std::int32_t> label(values.size());
  bool stopped = false;
  try {
    decide(tree.view(), domains, tree.threshold, {&column, 1}, values.size(), label, 1,
           [] { throw std::runtime_error("stop"); });
  } catch (const std::runtime_error&) {
    stopped = true;
  }
  CHECK(stopped);
}

}  // namespace

int main() {
  Random random{4};
  std::vector<double> sharp_cuts;  // as read_tree moves them: half way between two floats
  for (const double cut : float_cuts) {
    const auto near = static_cast<float>(cut);
    const auto next = static_cast<double>(std::nextafter(near, 1e30F));
    const double half_way = (static_cast<double>(near) + next) / 2;
    const bool even = sharp_as_float(half_way);
    sharp_cuts.push_back(even ? half_way : std::nextafter(half_way, -infinity));
    CHECK(sharp_as_float(sharp_cuts.back()));
  }
  for (int round = 0; round < 20; ++round) {
    for (const bool fortran : {false, true}) {
      test_rows<float>(random, all_cuts, fortran);
      test_rows<double>(random, all_cuts, fortran);
      test_rows<double>(random, sharp_cuts, fortran);
    }
  }
  for (const bool chain : {false, true}) {
    test_many_leaves<float>(random, chain);
    test_many_leaves<double>(random, chain);
  }
  test_sharp();
  test_label_bytes();
  test_stops();
}
