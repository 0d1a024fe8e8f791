#include "core/tree/tree.hpp"

#include <algorithm>

namespace orderless {

bool Side::empty(bool ordered) const {
  if (ordered) return !(lower < upper) && !nan;
  return std::all_of(bits.begin(), bits.end(), [](std::uint64_t word) { return word == 0; });
}

Side whole(const Domain& domain) {
  Side side;
  if (domain.ordered) {
    side.lower = domain.lower;
    side.upper = domain.upper;
    side.nan = domain.nan;
  } else {
    const auto n = static_cast<std::size_t>(domain.n_values);
    side.bits.assign((n + 63) / 64, ~std::uint64_t{0});
    if (n % 64 != 0) side.bits.back() = (std::uint64_t{1} << (n % 64)) - 1;
  }
  return side;
}

Box whole(std::span<const Domain> domains) {
  Box box;
  box.reserve(domains.size());
  for (const Domain& domain : domains) box.push_back(whole(domain));
  return box;
}

std::pair<Side, Side> split(const TreeView& tree, std::size_t node, const Side& side,
                            bool ordered) {
  Side on_true;
  Side on_false;
  if (ordered) {
    const double cut = tree.threshold[node];
    const bool nan_true = tree.nan_true[node] != 0;
    on_true.lower = side.lower;
    on_true.upper = std::min(side.upper, cut);
    on_true.nan = side.nan && nan_true;
    on_false.lower = std::max(side.lower, cut);
    on_false.upper = side.upper;
    on_false.nan = side.nan && !nan_true;
  } else {
    on_true.bits.assign(side.bits.size(), 0);
    for (const std::int32_t value : tree.set(node)) {
      const auto v = static_cast<std::size_t>(value);
      on_true.bits[v / 64] |= std::uint64_t{1} << (v % 64);
    }
    on_false.bits = side.bits;
    for (std::size_t w = 0; w < side.bits.size(); ++w) {
      on_true.bits[w] &= side.bits[w];
      on_false.bits[w] &= ~on_true.bits[w];
    }
  }
  return {std::move(on_true), std::move(on_false)};
}

std::vector<std::int32_t> one_class(const TreeView& tree) {
  std::vector<std::size_t> order{0};  // parents before children
  const auto yes = [&](std::size_t node) { return static_cast<std::size_t>(tree.when_true[node]); };
  const auto no = [&](std::size_t node) { return static_cast<std::size_t>(tree.when_false[node]); };
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (tree.feature[order[i]] < 0) continue;
    order.push_back(yes(order[i]));
    order.push_back(no(order[i]));
  }
  std::vector<std::int32_t> only(tree.leaf_class.begin(), tree.leaf_class.end());
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    if (tree.feature[*it] < 0) continue;
    only[*it] = only[yes(*it)] == only[no(*it)] ? only[yes(*it)] : -1;
  }
  return only;
}

TreeView Forest::tree(std::size_t i) const {
  const auto begin = static_cast<std::size_t>(start[i]);
  const auto n = static_cast<std::size_t>(start[i + 1]) - begin;
  TreeView view = nodes;
  view.feature = nodes.feature.subspan(begin, n);
  view.threshold = nodes.threshold.subspan(begin, n);
  view.nan_true = nodes.nan_true.subspan(begin, n);
  view.when_true = nodes.when_true.subspan(begin, n);
  view.when_false = nodes.when_false.subspan(begin, n);
  view.leaf_class = nodes.leaf_class.subspan(begin, n);
  view.set_start = nodes.set_start.subspan(begin, n + 1);
  return view;
}

std::size_t FlatTrees::add_leaf(std::int32_t says) {
  column.push_back(-1);
  label.push_back(says);
  false_child.push_back(-1);
  return column.size() - 1;
}

std::size_t FlatTrees::add_split(std::uint32_t asks) {
  column.push_back(static_cast<std::int32_t>(asks));
  label.push_back(-1);
  false_child.push_back(-1);
  return column.size() - 1;
}

void FlatTrees::begin_false(std::size_t node) {
  false_child[node] =
      static_cast<std::int32_t>(static_cast<std::int64_t>(column.size()) - start.back());
}

}  // namespace orderless
