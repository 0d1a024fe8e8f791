#include "core/rashomon/number_lists.hpp"

#include <algorithm>

namespace orderless::rashomon {

NumberLists::NumberLists(const Graph& graph, const View& view, Meter& meter)
    : graph_(graph),
      view_(view),
      reachable_(graph, view),
      numbers_(graph.labels()),
      end_(static_cast<std::uint32_t>(numbers_.size())),
      lists_(graph.n_nodes()),
      any_split_(graph.n_nodes(), unreachable),
      meter_(meter),
      held_(meter),
      best_(numbers_.size(), unreachable),
      met_(graph.n_nodes()) {
  for (const std::int32_t label : graph.label) {
    const auto at = std::lower_bound(numbers_.begin(), numbers_.end(), label);
    place_.push_back(static_cast<std::uint32_t>(at - numbers_.begin()));
  }
  find_cheapest();
}

void NumberLists::find_cheapest() {
  for (std::uint32_t node = graph_.level_start.back(); node-- > 0;) {
    if (!reachable_.has(node)) continue;
    for (const Edge& edge : graph_.of(node)) {
      if (!reachable_.has(graph_, node, edge)) continue;
      const std::uint32_t a = edge.when_true, b = edge.when_false;
      const std::int64_t leaf_a = graph_.leaf_cost(a), leaf_b = graph_.leaf_cost(b);
      std::int64_t cost = std::min(leaf_a, any_split_[a]) + any_split_[b];
      cost = std::min(cost, any_split_[a] + leaf_b);
      if (view_.trivial || place_[a] != place_[b]) cost = std::min(cost, leaf_a + leaf_b);
      any_split_[node] = std::min(any_split_[node], cost);
    }
    meter_.step(graph_.of(node).size() + 1);
  }
}

void NumberLists::meet(const std::uint8_t* one, const std::uint8_t* zero) {
  std::fill(met_.begin(), met_.end(), std::uint8_t{0});
  met_[0] = 1;
  for (std::uint32_t node = 0; node < graph_.level_start.back(); ++node) {
    if (met_[node] == 0) continue;
    for (const Edge& edge : graph_.of(node)) {
      if (!reachable_.has(graph_, node, edge)) continue;
      if (one[edge.column] != 0) met_[edge.when_true] = 1;
      if (zero[edge.column] != 0) met_[edge.when_false] = 1;
    }
  }
}

void NumberLists::only(std::uint32_t side, std::uint32_t other) {
  const std::int64_t split = any_split_[other];
  const bool two_leaves = view_.trivial || place_[side] != place_[other];
  const std::int64_t rest = std::min(graph_.leaf_cost(other), split);
  for (const Entry& each : lists_[side]) lower(each.place, each.cost + rest);
  lower(place_[side], graph_.leaf_cost(side) + (two_leaves ? rest : split));
}

void NumberLists::collect(List& out) {
  std::sort(touched_.begin(), touched_.end());
  for (const std::uint32_t place : touched_) {
    out.push_back({place, best_[place]});
    best_[place] = unreachable;
  }
  touched_.clear();
}

}  // namespace orderless::rashomon
