// The first of many trees that is determined, against every completion of every row.

#include <set>
#include <vector>

#include "core/rows/decide.hpp"
#include "tests/check.hpp"
#include "tests/trees.hpp"

using namespace orderless;
using namespace orderless::rows;
using namespace orderless::tests;

namespace {

/// Trees one after the other.
struct Many {
  Arrays nodes;
  std::vector<std::int64_t> start{0};

  void add(const Arrays& tree) {
    for (std::size_t node = 0; node < tree.feature.size(); ++node) {
      const auto set = tree.view().set(node);
      (void)nodes.add(tree.feature[node], tree.threshold[node], tree.nan_true[node] != 0,
                      tree.leaf_class[node], {set.begin(), set.end()});
      nodes.hang(static_cast<std::int32_t>(nodes.feature.size()) - 1, tree.when_true[node],
                 tree.when_false[node]);
    }
    start.push_back(static_cast<std::int64_t>(nodes.feature.size()));
  }
};

/// The class of all completions of a row, -1 if there are several.
std::int32_t determined(const TreeView& tree, const std::vector<Domain>& domains,
                        const Values& row) {
  std::vector<Values> choices;
  for (std::size_t f = 0; f < row.size(); ++f) {
    const bool unknown = std::isnan(row[f]) && !domains[f].nan;
    choices.push_back(unknown ? values_of(domains[f]) : Values{row[f]});
  }
  std::set<std::int32_t> classes;
  for (const Values& point : product(choices)) {
    classes.insert(tree.leaf_class[static_cast<std::size_t>(tests::decide(tree, domains, point))]);
  }
  return classes.size() == 1 ? *classes.begin() : -1;
}

void check(Random& random, std::size_t n_rows) {
  const std::size_t n_features = 1 + random.below(3);
  std::vector<Domain> domains;
  for (std::size_t f = 0; f < n_features; ++f) domains.push_back(numeric(random.below(3) == 0));
  std::vector<Arrays> trees;
  Many many;
  for (std::size_t n = 1 + random.below(5); n > 0; --n) {
    trees.push_back(without_dead(random_tree(random, domains, 3, 4), domains));
    many.add(trees.back());
  }
  std::vector<double> values(n_rows * n_features);
  std::vector<Column> columns(n_features);
  for (std::size_t f = 0; f < n_features; ++f) {
    const Values all = values_of(domains[f]);
    for (std::size_t r = 0; r < n_rows; ++r) {
      values[r * n_features + f] = random.coin() ? not_a_number : all[random.below(all.size())];
    }
    columns[f].kind = Column::Kind::f64;
    columns[f].first = reinterpret_cast<const std::byte*>(values.data() + f);
    columns[f].stride = static_cast<std::ptrdiff_t>(n_features * sizeof(double));
  }
  std::vector<std::int32_t> tree(n_rows, -7), label(n_rows, -7);
  first_determined({many.nodes.view(), many.start}, domains, many.nodes.threshold, columns, n_rows,
                   {tree, label}, [] {});
  for (std::size_t r = 0; r < n_rows; ++r) {
    const Values row(values.begin() + static_cast<std::ptrdiff_t>(r * n_features),
                     values.begin() + static_cast<std::ptrdiff_t>((r + 1) * n_features));
    std::int32_t first = -1, expected = -1;
    for (std::size_t t = 0; t < trees.size() && first < 0; ++t) {
      expected = determined(trees[t].view(), domains, row);
      if (expected >= 0) first = static_cast<std::int32_t>(t);
    }
    CHECK(tree[r] == first && label[r] == expected);
  }
}

}  // namespace

int main() {
  Random random{23};
  for (int round = 0; round < 400; ++round) check(random, 1 + random.below(12));
  check(random, rows_at_once + 3);  // more than one block
  return 0;
}
