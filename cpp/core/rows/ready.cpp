#include "core/rows/ready.hpp"

namespace orderless::rows {

ReadyTree::ReadyTree(const TreeView& tree, std::span<const Domain> domains,
                     std::span<const double> threshold, std::span<const std::int32_t> place) {
  const std::vector<std::int32_t> only = one_class(tree);
  const auto link = [&](std::int32_t node, std::int32_t place_of_node) {
    const std::int32_t label = only[static_cast<std::size_t>(node)];
    return label >= 0 ? ~label : place_of_node;
  };
  root_ = link(0, 0);
  if (root_ < 0) return;
  std::vector<std::int32_t> kept{0};  // parents before children
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const auto from = static_cast<std::size_t>(kept[i]);
    const auto f = static_cast<std::size_t>(tree.feature[from]);
    Node node;
    node.cut = threshold[from];
    node.place = static_cast<std::size_t>(place[f]);
    node.nan_true = tree.nan_true[from] != 0;
    node.nan_value = domains[f].nan;
    if (!domains[f].ordered) {
      node.set = member_.size();
      member_.resize(member_.size() + static_cast<std::size_t>(domains[f].n_values), 0);
      for (const std::int32_t v : tree.set(from)) {
        member_[node.set + static_cast<std::size_t>(v)] = 1;
      }
    }
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      const std::int32_t child = side == 0 ? tree.when_true[from] : tree.when_false[from];
      node.child[side] = link(child, static_cast<std::int32_t>(kept.size()));
      if (node.child[side] >= 0) kept.push_back(child);
    }
    nodes_.push_back(node);
  }
}

}  // namespace orderless::rows
