#include "core/rows/reach.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace orderless::rows {

std::vector<Column> from_row(std::span<const Column> columns, std::size_t first) {
  std::vector<Column> out(columns.begin(), columns.end());
  const auto rows = static_cast<std::ptrdiff_t>(first);
  for (Column& column : out) {
    if (column.first != nullptr) column.first += column.stride * rows;
    if (column.second != nullptr) column.second += column.second_stride * rows;
  }
  return out;
}

namespace {

template <class T>
T load(const std::byte* base, std::ptrdiff_t stride, std::size_t row) {
  T value;
  std::memcpy(&value, base + stride * static_cast<std::ptrdiff_t>(row), sizeof(T));
  return value;
}

/// One node, packed: what the loop over rows looks at.
struct Node {
  double cut = 0;
  std::int32_t feature = -1;
  std::int32_t when_true = -1;
  std::int32_t when_false = -1;
  std::int32_t label = -1;
  std::size_t set = 0;  // unordered: first entry in `member`
  bool nan_true = false;
  bool nan_value = false;
};

enum Ways : unsigned { none = 0, yes = 1, no = 2, both = 3 };

class Rows {
 public:
  Rows(const TreeView& tree, std::span<const Domain> domains, std::span<const double> threshold,
       std::span<const Column> columns)
      : tree_(tree), domains_(domains), columns_(columns), nodes_(tree.size()) {
    for (std::size_t i = 0; i < tree.size(); ++i) {
      Node& node = nodes_[i];
      node.feature = tree.feature[i];
      node.label = tree.leaf_class[i];
      if (node.feature < 0) continue;
      const Domain& domain = domains[static_cast<std::size_t>(node.feature)];
      node.cut = threshold[i];
      node.when_true = tree.when_true[i];
      node.when_false = tree.when_false[i];
      node.nan_true = tree.nan_true[i] != 0;
      node.nan_value = domain.nan;
      if (!domain.ordered) {
        node.set = member_.size();
        member_.resize(member_.size() + static_cast<std::size_t>(domain.n_values), 0);
        for (const std::int32_t v : tree.set(i)) {
          member_[node.set + static_cast<std::size_t>(v)] = 1;
        }
      }
    }
  }

  /// Calls `on_leaf(leaf)` for each leaf that the row reaches, until it returns false.
  template <class OnLeaf>
  void leaves(std::size_t row, OnLeaf&& on_leaf) {
    todo_.clear();
    std::int32_t at = 0;
    while (true) {
      const Node& node = nodes_[static_cast<std::size_t>(at)];
      if (node.feature < 0) {
        if (!on_leaf(at) || todo_.empty()) break;
        at = todo_.back();
        todo_.pop_back();
        continue;
      }
      switch (ways(node, row)) {
        case yes:
          at = node.when_true;
          break;
        case no:
          at = node.when_false;
          break;
        default:
          todo_.push_back(node.when_false);
          at = node.when_true;
      }
    }
  }

  /// Whether the row knows a feature as a set that is no interval: there, two conditions that can
  /// hold one by one need not be able to hold together.
  [[nodiscard]] bool by_side(std::size_t f) const {
    return columns_[f].kind == Column::Kind::among ||
           (columns_[f].kind == Column::Kind::between && domains_[f].nan);
  }

  /// The same for rows with such features: the set shrinks along the path.
  template <class OnLeaf>
  void leaves_by_side(std::size_t row, OnLeaf&& on_leaf) {
    Box box = whole(domains_);
    for (std::size_t f = 0; f < columns_.size(); ++f) {
      if (!by_side(f)) continue;
      const Column& column = columns_[f];
      if (column.kind == Column::Kind::between) {
        const double low = load<double>(column.first, column.stride, row);
        const double high = load<double>(column.second, column.second_stride, row);
        const double infinity = std::numeric_limits<double>::infinity();
        box[f].nan = std::isnan(high);
        box[f].upper = std::isnan(high) ? infinity : high;
        box[f].lower = std::isnan(low) ? infinity : std::nextafter(low, -infinity);
        continue;
      }
      const std::byte* allowed = column.first + column.stride * static_cast<std::ptrdiff_t>(row);
      for (std::size_t v = 0; v < static_cast<std::size_t>(domains_[f].n_values); ++v) {
        if (allowed[v] == std::byte{0}) box[f].bits[v / 64] &= ~(std::uint64_t{1} << (v % 64));
      }
    }
    struct Parts {
      Side on_true, on_false;
      bool some_true, some_false;
    };
    walk(
        tree_, box,
        [&](std::size_t i, const Side& side) {
          const Node& node = nodes_[i];
          const auto f = static_cast<std::size_t>(node.feature);
          if (by_side(f)) {
            const bool ordered = domains_[f].ordered;
            auto [on_true, on_false] = split(tree_, i, side, ordered);
            const bool some_true = !on_true.empty(ordered), some_false = !on_false.empty(ordered);
            return Parts{std::move(on_true), std::move(on_false), some_true, some_false};
          }
          const Ways way = ways(node, row);
          return Parts{side, side, (way & yes) != 0, (way & no) != 0};
        },
        on_leaf);
  }

 private:
  [[nodiscard]] Ways point(const Node& node, double x) const {
    if (std::isnan(x)) return !node.nan_value ? both : node.nan_true ? yes : no;
    return x <= node.cut ? yes : no;
  }

  [[nodiscard]] Ways ways(const Node& node, std::size_t row) const {
    const Column& column = columns_[static_cast<std::size_t>(node.feature)];
    switch (column.kind) {
      case Column::Kind::f64:
        return point(node, load<double>(column.first, column.stride, row));
      case Column::Kind::f32:
        return point(node, static_cast<double>(load<float>(column.first, column.stride, row)));
      case Column::Kind::between: {
        const double low = load<double>(column.first, column.stride, row);
        const double high = load<double>(column.second, column.second_stride, row);
        return static_cast<Ways>((low <= node.cut ? yes : none) | (high > node.cut ? no : none));
      }
      case Column::Kind::code: {
        const auto code = load<std::int32_t>(column.first, column.stride, row);
        if (code < 0) return both;
        return member_[node.set + static_cast<std::size_t>(code)] != 0 ? yes : no;
      }
      default:
        return both;
    }
  }

  TreeView tree_;
  std::span<const Domain> domains_;
  std::span<const Column> columns_;
  std::vector<Node> nodes_;
  std::vector<std::uint8_t> member_;
  std::vector<std::int32_t> todo_;
};

}  // namespace

void reach(const TreeView& tree, std::span<const Domain> domains, std::span<const double> threshold,
           std::span<const Column> columns, std::size_t n_rows, std::size_t n_classes,
           const Reached& out, Poll poll) {
  Rows rows(tree, domains, threshold, columns);
  bool partial = false;
  for (std::size_t f = 0; f < columns.size(); ++f) partial = partial || rows.by_side(f);
  const bool all_classes = !out.possible.empty();
  for (std::size_t row = 0; row < n_rows; ++row) {
    if (row % 65536 == 65535) poll();
    std::int32_t leaf = -1;
    std::int32_t label = -1;
    bool one_leaf = true;
    bool one_label = true;
    std::int32_t low = std::numeric_limits<std::int32_t>::max();
    std::int32_t high = -1;
    const auto on_leaf = [&](std::int32_t reached) {
      const std::int32_t its = tree.leaf_class[static_cast<std::size_t>(reached)];
      one_leaf = one_leaf && leaf < 0;
      one_label = one_label && (label < 0 || label == its);
      leaf = reached;
      label = its;
      if (all_classes) out.possible[row * n_classes + static_cast<std::size_t>(its)] = 1;
      low = std::min(low, its);
      high = std::max(high, its);
      return one_label || all_classes || out.all;
    };
    if (partial) {
      rows.leaves_by_side(row, on_leaf);
    } else {
      rows.leaves(row, on_leaf);
    }
    if (!out.leaf.empty()) out.leaf[row] = one_leaf ? leaf : -1;
    if (!out.label.empty()) out.label[row] = one_label ? label : -1;
    if (!out.low.empty()) out.low[row] = low;
    if (!out.high.empty()) out.high[row] = high;
  }
}

}  // namespace orderless::rows
