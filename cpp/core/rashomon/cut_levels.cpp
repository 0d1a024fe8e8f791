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

std::optional<std::int64_t> CutLevels::look_at_cuts(
    const Part& part, const std::function<std::int64_t(std::int64_t)>& bound_of) {
  if (graph_.depth != 3) return std::nullopt;
  const std::int64_t leaf = costs_.of(best_.leaf(rows_.all.data()).errors, 1);
  if (part.rows.cuts.n_groups() >= keeping_.walk_from && walk_suffices(part.rows, costs_)) {
    walk_ = part.rows.cuts;
    near_.sides = walk_sides(walk_, costs_, meter_);
    near_held_.set(near_.sides.size() * 8 + walk_.bytes());
    near_.optimum = leaf;
    for (std::size_t i = 0; i < near_.sides.size(); i += 2) {
      near_.optimum = std::min(near_.optimum, near_.sides[i] + near_.sides[i + 1]);
    }
    return near_.optimum;
  }
  if (!triples_suffice(part.rows)) return std::nullopt;
  root_columns_ = part.rows.cuts.column;
  root_ends_ = part.rows.cuts.end;
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

template <class Each>
void CutLevels::add_splits(std::size_t at, std::uint32_t node, const Words& support, Each&& each) {
  Level& level = levels_[at];
  Level& below = levels_[at + 1];
  const std::int64_t budget = level.budget[node];
  const std::int32_t* path = level.path.data() + node * at;
  room_.resize(rows_.n_words);
  level.edge_start[node] = level.edges.size();
  each(budget, [&](std::uint32_t column, std::uint32_t end, const SecondSplit& split) {
    std::uint32_t children[2] = {0, 0};
    for (const bool yes : {true, false}) {
      const auto literal = static_cast<std::int32_t>(2 * column + (yes ? 0 : 1));
      cut(support, literal, room_);
      const std::int64_t most = budget - (yes ? split.on_false : split.on_true);
      const auto [child, changed] =
          meet(at + 1, room_.data(), path, literal, best_.leaf(room_.data()), most,
               yes ? split.on_true : split.on_false);
      children[yes ? 0 : 1] = child;
      if (changed && (yes ? split.split_true : split.split_false) <= most) {
        last_edges(below, child, room_, most - 2 * costs_.leaf);
      }
    }
    for (; column < end; ++column) level.edges.push_back({column, children[0], children[1]});
    meter_.step(rows_.n_columns);
  });
  level.edge_end[node] = level.edges.size();
  set_held();
}

void CutLevels::expand_chains(std::size_t at, std::uint32_t node, const Words& support,
                              const Cuts& cuts) {
  add_splits(at, node, support, [&](std::int64_t budget, const auto& add) {
    with_sweep(cuts, costs_, meter_, [&](auto& sweep) {
      sweep.each(budget, [&](std::size_t group, std::int64_t on_true, std::int64_t on_false,
                             std::int64_t split_true, std::int64_t split_false) {
        add(cuts.column[group], cuts.end[group],
            SecondSplit{0, 0, on_true, on_false, split_true, split_false});
      });
    });
  });
}

void CutLevels::expand_near(std::uint32_t node, const Words& support) {
  const std::int32_t literal = levels_[1].path[node];
  const auto column = static_cast<std::uint32_t>(literal / 2);
  const auto from = std::lower_bound(root_columns_.begin(), root_columns_.end(), column);
  const auto side = static_cast<std::size_t>(from - root_columns_.begin()) * 2 +
                    static_cast<std::size_t>(literal % 2);
  add_splits(1, node, support, [&](std::int64_t /*budget*/, const auto& add) {
    for (const SecondSplit& split : near_.splits[side]) {
      add(root_columns_[split.group], root_ends_[split.end - 1], split);
    }
  });
}

void CutLevels::expand_walking() {
  // Which node is which side of a cut.
  constexpr std::uint32_t none = 0xffffffffU;
  std::vector<std::uint32_t> nodes(2 * walk_.n_groups(), none);
  std::size_t group = 0;
  for (const Edge& edge : levels_[0].edges) {
    while (walk_.end[group] <= edge.column) ++group;
    nodes[2 * group] = edge.when_true;
    nodes[2 * group + 1] = edge.when_false;
  }
  Level& level = levels_[1];
  GrowingSide side(walk_, costs_, meter_);
  Held held(meter_);
  held.set(side.bytes());
  std::vector<std::uint8_t> done(level.size(), 0);
  Words support(rows_.n_words);
  for (std::size_t chain = 0; chain < walk_.n_chains(); ++chain) {
    for (const bool rising : {true, false}) {
      side.clear();
      each_side(walk_, chain, rising, [&](std::size_t cut, std::span<const std::uint32_t> items) {
        side.add(items);
        const std::uint32_t node = nodes[2 * cut + (rising ? 0 : 1)];
        if (node == none || done[node] != 0) return;
        done[node] = 1;
        follow(1, node, support);
        level.edge_start[node] = level.edges.size();
        side.each(level.budget[node], [&](const WalkSplit& split) {
          const std::uint32_t when_true = walk_child(node, support, split, true);
          const std::uint32_t when_false = walk_child(node, support, split, false);
          const std::uint32_t end = walk_.end[split.end - 1];
          for (std::uint32_t column = walk_.column[split.group]; column < end; ++column) {
            level.edges.push_back({column, when_true, when_false});
          }
        });
        level.edge_end[node] = level.edges.size();
        set_held();
      });
    }
  }
}

std::uint32_t CutLevels::walk_child(std::uint32_t node, const Words& support,
                                    const WalkSplit& split, bool yes) {
  Level& below = levels_[2];
  const WalkSplit::Half& half = yes ? split.yes : split.no;
  const std::int64_t most = levels_[1].budget[node] - (yes ? split.no : split.yes).best;
  const bool splits = half.split <= most;
  if (unwritten_ && !splits) return intern(half.leaf.label, half.leaf.errors);
  const auto literal = static_cast<std::int32_t>(2 * walk_.column[split.group] + (yes ? 0 : 1));
  room_.resize(rows_.n_words);
  cut(support, literal, room_);
  const auto [child, changed] =
      meet(2, room_.data(), levels_[1].path.data() + node, literal, half.leaf, most, half.best);
  if (unwritten_ || !changed || !splits) return child;
  last_edges(below, child, room_, most - 2 * costs_.leaf);
  if (below.edges.size() > keeping_.most_last) {
    unwritten_ = true;
    below.edges = {};
    std::fill(below.edge_start.begin(), below.edge_start.end(), 0);
    std::fill(below.edge_end.begin(), below.edge_end.end(), 0);
  }
  return child;
}

/// Whether what lists last splits is small.
bool CutLevels::lists() {
  constexpr std::size_t most_bytes = std::size_t{1} << 27U;
  if (!looked_ && LastSplits::bytes_of(rows_.cuts) <= most_bytes) {
    last_ = std::make_shared<const LastSplits>(rows_, meter_);
  }
  looked_ = true;
  return last_ != nullptr;
}

void CutLevels::listed_edges(Level& level, std::uint32_t node, std::int64_t most) {
  const auto n = static_cast<std::size_t>(graph_.depth) - 1;
  std::int64_t all[2];
  last_->list({level.path.data() + node * n, n}, most, all, splits_, last_room_);
  level.edge_start[node] = level.edges.size();
  for (const LastSplit& split : splits_) {
    const std::int64_t off[2] = {all[0] - split.on[0], all[1] - split.on[1]};
    const std::uint32_t when_true = intern(split.on), when_false = intern(off);
    for (std::uint32_t column = split.column; column < split.end; ++column) {
      level.edges.push_back({column, when_true, when_false});
    }
  }
  level.edge_end[node] = level.edges.size();
}

void CutLevels::last_edges(Level& level, std::uint32_t node, const Words& support,
                           std::int64_t spare) {
  if (spare < 0) return;
  const std::int64_t most = spare / costs_.error;
  if (lists()) {
    listed_edges(level, node, most);
    return;
  }
  const std::size_t stride = rows_.stride();
  counts_.resize(2 * stride);
  std::int64_t all[2];
  class_weights(rows_, support.data(), all);
  block_counts(support.data(), rows_, 0, counts_.data());
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
