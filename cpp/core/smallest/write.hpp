#pragma once

#include <cstdint>

#include "core/bins/residual.hpp"
#include "core/smallest/search.hpp"

namespace orderless::smallest {

/// Part of a tree to write: a state of a search, or (state -1) a residual as it stands.
struct TreePart {
  std::int32_t state = -1;
  Residuals::Id tree = 0;
};

/// What a state is written as: a split of two parts, or (no split) the residual in `yes`.
struct PartSplit {
  Residuals::Question question;
  TreePart yes, no;
  bool split = true;
};

/// Adds a node without children; gives its number.
std::int32_t write_node(const Residuals& residuals, SmallestTree& out,
                        const Residuals::Question& question);

/// Writes a tree, each node before its children, true branch first; `open(part)` says what a state
/// is written as.
template <class Open>
void write_tree(const Residuals& residuals, SmallestTree& out, TreePart root, Open&& open) {
  struct Hanging {
    TreePart part;
    std::int32_t parent;
    bool yes;
  };
  std::vector<Hanging> todo{{root, -1, true}};
  while (!todo.empty()) {
    Hanging step = todo.back();
    todo.pop_back();
    PartSplit here;
    here.split = false;
    if (step.part.state >= 0) {
      here = open(step.part);
      if (!here.split) step.part = here.yes;
    }
    if (!here.split) {
      const Residuals::Node& node = residuals.node(step.part.tree);
      here = {node, {-1, node.yes}, {-1, node.no}, node.feature >= 0};
    }
    const std::int32_t number = write_node(residuals, out, here.question);
    if (step.parent >= 0) {
      (step.yes ? out.when_true : out.when_false)[static_cast<std::size_t>(step.parent)] = number;
    }
    if (!here.split) continue;
    todo.push_back({here.no, number, false});
    todo.push_back({here.yes, number, true});
  }
}

/// The whole residual, without a search: for trees too deep to search.
[[nodiscard]] SmallestTree as_it_stands(const Residuals& residuals, bool leaves);

}  // namespace orderless::smallest
