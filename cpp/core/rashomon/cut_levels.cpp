#include "core/rashomon/cut_levels.hpp"

#include <algorithm>

#include "core/rashomon/cut_search.hpp"
#include "core/rashomon/kernels.hpp"
#include "core/rashomon/signed.hpp"
#include "core/rashomon/sweep.hpp"

namespace orderless::rashomon {

bool CutLevels::in_chains(const Part& part) {
  return part.rows.cuts.used() && signs_suffice(part.rows);
}

std::optional<std::int64_t> CutLevels::look_at_triples(
    const Part& part, const std::function<std::int64_t(std::int64_t)>& bound_of) {
  if (graph_.depth != 3 || !triples_suffice(part.rows)) return std::nullopt;
  root_columns_ = part.rows.cuts.column;
  const std::int64_t leaf = costs_.of(best_.leaf(rows_.all.data()).errors, 1);
  near_ = near_cuts(part.rows, costs_, leaf, bound_of, meter_);
  std::size_t bytes = near_.sides.size() * 32;
  for (const auto& splits : near_.splits) bytes += splits.capacity() * sizeof(SecondSplit);
  near_held_.set(bytes);
  return near_.optimum;
}

SideCosts CutLevels::chain_sides(std::size_t at, const Part& part, std::int64_t budget) const {
  if (at == 0 && !near_.sides.empty()) return near_.sides;
  return cut_sides_of_depth_2(part.rows, costs_, budget, meter_);
}

void CutLevels::expand_chains(std::size_t at, std::uint32_t node, const Words& support,
                              const Cuts& cuts) {
  Level& level = levels_[at];
  Level& below = levels_[at + 1];
  const std::int64_t budget = level.budget[node];
  const std::int32_t* path = level.path.data() + node * at;
  Words side(rows_.n_words);
  level.edge_start[node] = level.edges.size();
  const auto use = [&](std::size_t group, std::int64_t on_true, std::int64_t on_false,
                       std::int64_t split_true, std::int64_t split_false) {
    std::uint32_t children[2] = {0, 0};
    for (const bool yes : {true, false}) {
      const auto literal = static_cast<std::int32_t>(2 * cuts.column[group] + (yes ? 0 : 1));
      cut(support, literal, side);
      const std::int64_t most = budget - (yes ? on_false : on_true);
      const auto [child, changed] = meet(at + 1, side.data(), path, literal,
                                         best_.leaf(side.data()), most, yes ? on_true : on_false);
      children[yes ? 0 : 1] = child;
      if (changed && (yes ? split_true : split_false) <= most) {
        last_edges(below, child, side, most - 2 * costs_.leaf);
      }
    }
    for (std::uint32_t column = cuts.column[group]; column < cuts.end[group]; ++column) {
      level.edges.push_back({column, children[0], children[1]});
    }
    meter_.step(rows_.n_columns);
  };
  if (at == 1 && !near_.sides.empty()) {
    each_near(path[0], cuts, use);
  } else {
    with_sweep(cuts, costs_, meter_, [&](auto& sweep) { sweep.each(budget, use); });
  }
  level.edge_end[node] = level.edges.size();
  set_held();
}

template <class Use>
void CutLevels::each_near(std::int32_t literal, const Cuts& cuts, Use&& use) const {
  const auto column = static_cast<std::uint32_t>(literal / 2);
  const auto from = std::lower_bound(root_columns_.begin(), root_columns_.end(), column);
  const auto side = static_cast<std::size_t>(from - root_columns_.begin()) * 2 +
                    static_cast<std::size_t>(literal % 2);
  auto split = near_.splits[side].begin();
  const auto end = near_.splits[side].end();
  // Groups of all rows that part the side alike are one group here.
  for (std::size_t group = 0; group < cuts.n_groups(); ++group) {
    while (split != end && root_columns_[split->group] < cuts.column[group]) ++split;
    if (split == end) return;
    if (root_columns_[split->group] >= cuts.end[group]) continue;
    use(group, split->on_true, split->on_false, split->split_true, split->split_false);
  }
}

void CutLevels::last_edges(Level& level, std::uint32_t node, const Words& support,
                           std::int64_t spare) {
  if (spare < 0) return;
  const std::size_t stride = rows_.stride();
  counts_.resize(2 * stride);
  std::int64_t all[2];
  class_weights(rows_, support.data(), all);
  block_counts(support.data(), rows_, 0, counts_.data());
  const std::int64_t most = spare / costs_.error;
  level.edge_start[node] = level.edges.size();
  std::int64_t before[2] = {-1, -1};
  Edge edge;
  for (std::size_t j = 0; j < rows_.n_columns; ++j) {
    const std::int64_t on[2] = {counts_[j], counts_[stride + j]};
    const std::int64_t off[2] = {all[0] - on[0], all[1] - on[1]};
    if (std::min(on[0], on[1]) + std::min(off[0], off[1]) > most) continue;
    if (on[0] + on[1] == 0 || off[0] + off[1] == 0) continue;
    // Neighbours in a chain often part the rows alike.
    if (on[0] != before[0] || on[1] != before[1]) {
      edge.when_true = intern(on);
      edge.when_false = intern(off);
      before[0] = on[0];
      before[1] = on[1];
    }
    edge.column = static_cast<std::uint32_t>(j);
    level.edges.push_back(edge);
  }
  level.edge_end[node] = level.edges.size();
}

}  // namespace orderless::rashomon
