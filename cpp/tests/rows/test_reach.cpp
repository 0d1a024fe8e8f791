// Rows with unknowns, of every kind of column, against all of their completions.

#include <cstring>
#include <set>
#include <stdexcept>

#include "core/rows/reach.hpp"
#include "tests/check.hpp"
#include "tests/trees.hpp"

using namespace orderless;
using namespace orderless::rows;
using namespace orderless::tests;

namespace {

void no_poll() {}

/// One feature of the rows: what the core is told, and what that means.
struct Told {
  Column column;
  std::vector<std::byte> first, second;
  std::vector<Values> possible;  // by row
};

template <class T>
void put(std::vector<std::byte>& bytes, std::ptrdiff_t stride, std::size_t row, T value) {
  const auto at = static_cast<std::size_t>(stride) * row;
  if (bytes.size() < at + sizeof(T)) bytes.resize(at + sizeof(T));
  std::memcpy(bytes.data() + at, &value, sizeof(T));
}

using Kind = Column::Kind;

/// Bytes of one cell.
std::ptrdiff_t width(Kind kind, const Domain& domain) {
  if (kind == Kind::f32) return static_cast<std::ptrdiff_t>(sizeof(float));
  if (kind == Kind::code) return static_cast<std::ptrdiff_t>(sizeof(std::int32_t));
  return kind == Kind::among ? domain.n_values : static_cast<std::ptrdiff_t>(sizeof(double));
}

/// Write a number, or that it is unknown; give what it can be.
Values put_number(Told& told, std::size_t row, double x, const Domain& domain, const Values& all) {
  const std::ptrdiff_t stride = told.column.stride;
  // 1e300 does not fit a float, but which side it is on does not change.
  if (told.column.kind == Kind::f32) {
    const double most = std::numeric_limits<float>::max();
    put(told.first, stride, row, static_cast<float>(std::fmin(std::fmax(x, -most), most)));
    if (std::isnan(x)) put(told.first, stride, row, std::numeric_limits<float>::quiet_NaN());
  } else {
    put(told.first, stride, row, x);
  }
  return std::isnan(x) && !domain.nan ? all : Values{x};
}

/// Write an interval, perhaps without a lower end; give the values in it.
Values put_between(Told& told, std::size_t row, double low, double high, bool open,
                   const Values& all) {
  if (!std::isnan(low) && !std::isnan(high) && low > high) std::swap(low, high);
  if (std::isnan(low)) high = low;
  if (open && !std::isnan(low)) low = -infinity;
  put(told.first, told.column.stride, row, low);
  put(told.second, told.column.stride, row, high);
  Values possible;
  for (const double x : all) {
    const bool is_in =
        std::isnan(x) ? std::isnan(high) : low <= x && (std::isnan(high) || x <= high);
    if (is_in) possible.push_back(x);
  }
  return possible;
}

Told tell(Random& random, const Domain& domain, std::size_t n_rows) {
  const std::vector<double> all = values_of(domain);
  Told told;
  const auto gap = static_cast<std::ptrdiff_t>(random.below(3));  // odd strides are legal
  if (random.below(6) == 0) {
    told.possible.assign(n_rows, all);
    return told;
  }
  if (domain.ordered) {
    const Kind kinds[] = {Kind::f64, Kind::f32, Kind::between};
    told.column.kind = kinds[random.below(3)];
  } else {
    told.column.kind = random.coin() ? Kind::code : Kind::among;
  }
  told.column.stride = width(told.column.kind, domain) + gap;
  told.column.second_stride = told.column.stride;
  const std::ptrdiff_t stride = told.column.stride;
  for (std::size_t row = 0; row < n_rows; ++row) {
    const double value = all[random.below(all.size())];
    const bool unknown = random.below(3) == 0;
    Values possible;
    switch (told.column.kind) {
      case Kind::f64:
      case Kind::f32:
        possible = put_number(told, row, unknown ? not_a_number : value, domain, all);
        break;
      case Kind::between:
        possible = put_between(told, row, value, all[random.below(all.size())], unknown, all);
        break;
      case Kind::code:
        put(told.first, stride, row, unknown ? -1 : static_cast<std::int32_t>(value));
        possible = unknown ? all : Values{value};
        break;
      default:
        for (std::int32_t v = 0; v < domain.n_values; ++v) {
          const bool is_in = v == static_cast<std::int32_t>(value) || random.coin();
          put(told.first, 1, static_cast<std::size_t>(stride) * row + static_cast<std::size_t>(v),
              static_cast<std::uint8_t>(is_in ? 7 : 0));
          if (is_in) possible.push_back(v);
        }
    }
    told.possible.push_back(possible);
  }
  return told;
}

void test_against_completions() {
  Random random{1};
  const std::size_t n_rows = 5, n_classes = 3;
  int determined = 0, open = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::vector<Domain> domains = random_domains(random);
    const Arrays tree = without_dead(random_tree(random, domains, n_classes, 5), domains);
    std::vector<Told> told;
    for (const Domain& domain : domains) told.push_back(tell(random, domain, n_rows));
    std::vector<Column> columns;
    for (Told& one : told) {
      one.column.first = one.first.data();
      one.column.second = one.second.data();
      columns.push_back(one.column);
    }
    std::vector<std::int32_t> leaf(n_rows), label(n_rows), label_only(n_rows);
    std::vector<std::uint8_t> possible(n_rows * n_classes);
    reach(tree.view(), domains, tree.threshold, columns, n_rows, n_classes, {leaf, label, possible},
          no_poll);
    std::vector<std::int32_t> leaf_only(n_rows);
    reach(tree.view(), domains, tree.threshold, columns, n_rows, n_classes,
          {leaf_only, label_only, {}}, no_poll);
    CHECK(leaf == leaf_only);
    CHECK(label == label_only);
    for (std::size_t row = 0; row < n_rows; ++row) {
      std::vector<Values> choices;
      for (const Told& one : told) choices.push_back(one.possible[row]);
      std::set<std::int32_t> leaves, labels;
      for (const Values& point : product(choices)) {
        const std::int32_t at = decide(tree.view(), domains, point);
        leaves.insert(at);
        labels.insert(tree.leaf_class[static_cast<std::size_t>(at)]);
      }
      CHECK(leaf[row] == (leaves.size() == 1 ? *leaves.begin() : -1));
      CHECK(label[row] == (labels.size() == 1 ? *labels.begin() : -1));
      for (std::size_t c = 0; c < n_classes; ++c) {
        const bool can = labels.count(static_cast<std::int32_t>(c)) > 0;
        CHECK((possible[row * n_classes + c] != 0) == can);
      }
      (labels.size() == 1 ? determined : open) += 1;
    }
  }
  CHECK(determined > 1000 && open > 1000);
}

/// Rows backwards, a column that is one value for all, and thresholds that replace the tree's.
void test_strides_and_thresholds() {
  Arrays tree;
  const std::int32_t root = tree.add(0, 1, false, -1);
  tree.leaf(0);
  tree.leaf(1);
  tree.hang(root, 1, 2);
  const std::vector<Domain> domains{numeric()};
  const std::vector<double> data{0, 1, 2};
  std::vector<std::int32_t> leaf(3), label(3);
  const auto at = [&](std::size_t i) { return reinterpret_cast<const std::byte*>(&data[i]); };
  const auto run = [&](const Column& column, const std::vector<double>& threshold) {
    reach(tree.view(), domains, threshold, std::vector<Column>{column}, 3, 2, {leaf, label, {}},
          no_poll);
    return label;
  };
  using Labels = std::vector<std::int32_t>;
  CHECK((run({Column::Kind::f64, at(0), 8, nullptr, 0}, tree.threshold) == Labels{0, 0, 1}));
  CHECK((run({Column::Kind::f64, at(2), -8, nullptr, 0}, tree.threshold) == Labels{1, 0, 0}));
  CHECK((run({Column::Kind::f64, at(2), 0, nullptr, 0}, tree.threshold) == Labels{1, 1, 1}));
  CHECK((run({Column::Kind::f64, at(0), 8, nullptr, 0}, {2, 0, 0}) == Labels{0, 0, 0}));
  CHECK((run({}, tree.threshold) == Labels{-1, -1, -1}));
  const Column none{Column::Kind::f64, nullptr, 0, nullptr, 0};
  reach(tree.view(), domains, tree.threshold, std::vector<Column>{none}, 0, 2, {{}, {}, {}},
        no_poll);
}

void test_deep_and_polled() {
  const Arrays deep = chain(100000);
  const std::vector<Domain> domains{numeric()};
  const std::vector<Column> unknown(1);
  std::vector<std::int32_t> leaf(1), label(1);
  std::vector<std::uint8_t> possible(2);
  reach(deep.view(), domains, deep.threshold, unknown, 1, 2, {leaf, label, possible}, no_poll);
  CHECK(leaf[0] == -1 && label[0] == -1 && possible[0] == 1 && possible[1] == 1);
  const Arrays small = chain(1);
  const std::size_t many = 100000;
  std::vector<std::int32_t> leaves(many), labels(many);
  bool stopped = false;
  try {
    reach(small.view(), domains, small.threshold, unknown, many, 2, {leaves, labels, {}},
          [] { throw std::runtime_error("stop"); });
  } catch (const std::runtime_error&) {
    stopped = true;
  }
  CHECK(stopped);
}

}  // namespace

int main() {
  test_against_completions();
  test_strides_and_thresholds();
  test_deep_and_polled();
}
