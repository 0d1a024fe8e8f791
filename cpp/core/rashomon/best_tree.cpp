#include "core/rashomon/graph.hpp"

namespace orderless::rashomon {

FlatTrees best_tree(const Graph& graph) {
  FlatTrees out;
  const auto grow = [&](const auto& self, std::uint32_t node) -> void {
    if (graph.leaf_cost(node) == graph.best[node]) {
      out.add_leaf(graph.label[node]);
      return;
    }
    std::vector<Edge> room;
    for (const Edge& edge : graph.of(node, room)) {
      if (graph.best[edge.when_true] + graph.best[edge.when_false] != graph.best[node]) continue;
      const std::size_t at = out.add_split(edge.column);
      self(self, edge.when_true);
      out.begin_false(at);
      self(self, edge.when_false);
      return;
    }
  };
  grow(grow, 0);
  out.end_tree();
  return out;
}

}  // namespace orderless::rashomon
