#pragma once

#include <cstddef>

#include "core/rashomon/measured.hpp"

namespace orderless::rashomon {

/// Two leaves of one label are no split of some views.
template <class Part>
[[nodiscard]] bool may_split(const Measured& measured, const Edge& edge, const Part& a,
                             const Part& b) {
  if (measured.view().trivial || a.leaves + b.leaves > 2) return true;
  const Graph& graph = measured.graph();
  return graph.label[edge.when_true] != graph.label[edge.when_false];
}

/// Finds a tree again of which only cost, measure, leaves and groups are stored.
/// `parts(place)` are the subtrees of a place by rising cost, as a span; `groups(asked, a, b)` is
/// what the split of two subtrees asks.
template <class Part, class Parts, class Groups>
void grow(const Measured& measured, const Parts& parts, const Groups& groups, std::size_t place,
          const Part& wanted, FlatTrees& out, Meter& meter) {
  if (wanted.leaves == 1) {
    out.add_leaf(measured.graph().label[measured.node(place)]);
    return;
  }
  for (const MeasuredEdge& edge : measured.of(place)) {
    const Edge& asked = measured.graph().edges[edge.edge];
    const auto on_false = parts(edge.when_false);
    for (const Part& a : parts(edge.when_true)) {
      meter.step(on_false.size() / 8 + 1);
      for (const Part& b : on_false) {
        if (a.cost + b.cost > wanted.cost) break;
        if (a.cost + b.cost != wanted.cost || a.measure + b.measure != wanted.measure ||
            a.leaves + b.leaves != wanted.leaves || groups(asked, a, b) != wanted.groups ||
            !may_split(measured, asked, a, b)) {
          continue;
        }
        const std::size_t at = out.add_split(asked.column);
        grow(measured, parts, groups, edge.when_true, a, out, meter);
        out.begin_false(at);
        grow(measured, parts, groups, edge.when_false, b, out, meter);
        return;
      }
    }
  }
}

}  // namespace orderless::rashomon
