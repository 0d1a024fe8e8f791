#include "core/rows/many.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "core/rows/decide.hpp"

namespace orderless::rows {

namespace {

std::size_t bytes_of(Column::Kind kind, const Domain& domain) {
  switch (kind) {
    case Column::Kind::f64:
    case Column::Kind::between:
      return sizeof(double);
    case Column::Kind::f32:
      return sizeof(float);
    case Column::Kind::code:
      return sizeof(std::int32_t);
    case Column::Kind::among:
      return static_cast<std::size_t>(domain.n_values);
    case Column::Kind::absent:
      break;
  }
  return 0;
}

/// The rows of one block that are still looked at: at first where they are, later copied together.
class Rest {
 public:
  Rest(std::span<const Domain> domains, std::span<const Column> columns, std::size_t first,
       std::size_t n_rows)
      : domains_(domains), columns_(from_row(columns, first)), rows_(n_rows) {
    for (std::size_t i = 0; i < n_rows; ++i) rows_[i] = first + i;
  }

  [[nodiscard]] std::span<const std::size_t> rows() const { return rows_; }
  [[nodiscard]] std::span<const Column> columns() const { return columns_; }

  /// Goes on with the rows at these places only.
  void keep(std::span<const std::size_t> places) {
    std::size_t size = 0;
    for (std::size_t f = 0; f < columns_.size(); ++f) {
      const std::size_t each = bytes_of(columns_[f].kind, domains_[f]);
      size += each * places.size() * (columns_[f].second != nullptr ? 2 : 1);
    }
    std::vector<std::byte> copy(size);
    std::byte* to = copy.data();
    for (std::size_t f = 0; f < columns_.size(); ++f) {
      Column& column = columns_[f];
      const std::size_t each = bytes_of(column.kind, domains_[f]);
      gather(column.first, column.stride, each, places, to);
      gather(column.second, column.second_stride, each, places, to);
    }
    values_.swap(copy);
    for (std::size_t i = 0; i < places.size(); ++i) rows_[i] = rows_[places[i]];
    rows_.resize(places.size());
  }

 private:
  static void gather(const std::byte*& from, std::ptrdiff_t& stride, std::size_t each,
                     std::span<const std::size_t> places, std::byte*& to) {
    if (from == nullptr) return;
    const std::byte* const begin = to;
    for (const std::size_t place : places) {
      std::memcpy(to, from + stride * static_cast<std::ptrdiff_t>(place), each);
      to += each;
    }
    from = begin;
    stride = static_cast<std::ptrdiff_t>(each);
  }

  std::span<const Domain> domains_;
  std::vector<Column> columns_;
  std::vector<std::size_t> rows_;
  std::vector<std::byte> values_;
};

}  // namespace

void first_determined(const Forest& forest, std::span<const Domain> domains,
                      std::span<const double> threshold, std::span<const Column> columns,
                      std::size_t n_rows, const FirstDetermined& out, Poll poll) {
  std::fill(out.tree.begin(), out.tree.end(), -1);
  std::fill(out.label.begin(), out.label.end(), -1);
  const std::size_t n_trees = forest.start.size() - 1;
  std::vector<std::int32_t> label(std::min(rows_at_once, n_rows));
  std::vector<std::size_t> open;
  for (std::size_t first = 0; first < n_rows; first += rows_at_once) {
    Rest rest(domains, columns, first, std::min(rows_at_once, n_rows - first));
    std::size_t n_open = rest.rows().size();
    for (std::size_t t = 0; t < n_trees && n_open > 0; ++t) {
      if (t % 64 == 0) poll();
      const TreeView tree = forest.tree(t);
      const auto begin = static_cast<std::size_t>(forest.start[t]);
      const std::span<std::int32_t> said{label.data(), rest.rows().size()};
      decide(tree, domains, threshold.subspan(begin, tree.size()), rest.columns(),
             rest.rows().size(), said, 1, [] {});
      open.clear();
      for (std::size_t i = 0; i < said.size(); ++i) {
        const std::size_t row = rest.rows()[i];
        if (out.tree[row] < 0 && said[i] >= 0) {
          out.tree[row] = static_cast<std::int32_t>(t);
          out.label[row] = said[i];
        }
        if (out.tree[row] < 0) open.push_back(i);
      }
      n_open = open.size();
      if (2 * n_open <= said.size()) rest.keep(open);
    }
  }
}

}  // namespace orderless::rows
