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

std::optional<std::int64_t> CutLevels::walk_cuts(const Part& part) {
  if (graph_.depth != 3 || !walk_suffices(part.rows, costs_)) return std::nullopt;
  walk_ = part.rows.cuts;
  walk_sides_ = walk_sides(walk_, costs_, meter_);
  walk_held_.set(walk_sides_.size() * 8 + walk_.bytes());
  std::int64_t best = costs_.of(best_.leaf(rows_.all.data()).errors, 1);
  for (std::size_t i = 0; i < walk_sides_.size(); i += 2) {
    best = std::min(best, walk_sides_[i] + walk_sides_[i + 1]);
  }
  return best;
}

SideCosts CutLevels::chain_sides(std::size_t at, const Part& part, std::int64_t budget) const {
  if (at == 0 && walks()) return walk_sides_;
  return cut_sides_of_depth_2(part.rows, costs_, budget, meter_);
}

void CutLevels::expand_chains(std::size_t at, std::uint32_t node, const Words& support,
                              const Cuts& cuts) {
  Level& level = levels_[at];
  Level& below = levels_[at + 1];
  const std::int64_t budget = level.budget[node];
  const std::int32_t* path = level.path.data() + node * at;
  room_.resize(rows_.n_words);
  level.edge_start[node] = level.edges.size();
  const auto add = [&](std::size_t group, std::int64_t on_true, std::int64_t on_false,
                       std::int64_t split_true, std::int64_t split_false) {
    const std::uint32_t first = cuts.column[group];
    std::uint32_t children[2] = {0, 0};
    for (const bool yes : {true, false}) {
      const auto literal = static_cast<std::int32_t>(2 * first + (yes ? 0 : 1));
      cut(support, literal, room_);
      const std::int64_t spare = budget - (yes ? on_false : on_true);
      const auto [child, changed] = meet(at + 1, room_.data(), path, literal,
                                         best_.leaf(room_.data()), spare, yes ? on_true : on_false);
      children[yes ? 0 : 1] = child;
      if (changed && (yes ? split_true : split_false) <= spare) {
        last_edges(below, child, room_, spare - 2 * costs_.leaf);
      }
    }
    for (std::uint32_t column = first; column < cuts.end[group]; ++column) {
      level.edges.push_back({column, children[0], children[1]});
    }
    meter_.step(rows_.n_columns);
  };
  with_sweep(cuts, costs_, meter_, [&](auto& sweep) { sweep.each(budget, add); });
  level.edge_end[node] = level.edges.size();
  set_held();
}

void CutLevels::expand_walking(std::span<const std::uint32_t> order) {
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
  std::vector<std::uint8_t> done(level.size(), 0);
  // Of few columns the splits of all nodes are kept, to be hung in the order of all graphs.
  std::vector<std::vector<WalkSplit>> kept(streams() ? 0 : level.size());
  std::size_t n_kept = 0;
  held.set(side.bytes());
  for (std::size_t chain = 0; chain < walk_.n_chains(); ++chain) {
    for (const bool rising : {true, false}) {
      side.clear();
      each_side(walk_, chain, rising, [&](std::size_t cut, std::span<const std::uint32_t> items) {
        side.add(items);
        const std::uint32_t node = nodes[2 * cut + (rising ? 0 : 1)];
        if (node == none || done[node] != 0) return;
        done[node] = 1;
        if (streams()) {
          hang_splits(node, [&](const auto& add) { side.each(level.budget[node], add); });
          return;
        }
        std::vector<WalkSplit>& splits = kept[node];
        side.each(level.budget[node], [&](const WalkSplit& split) { splits.push_back(split); });
        splits.shrink_to_fit();
        n_kept += splits.size();
        held.set(side.bytes() + n_kept * sizeof(WalkSplit));
      });
    }
  }
  if (streams()) return;
  for (const std::uint32_t node : order) {
    hang_splits(node, [&](const auto& add) {
      for (const WalkSplit& split : kept[node]) add(split);
    });
  }
}

template <class Each>
void CutLevels::hang_splits(std::uint32_t node, const Each& each_split) {
  Level& level = levels_[1];
  Words support(rows_.n_words);
  follow(1, node, support);
  level.edge_start[node] = level.edges.size();
  each_split([&](const WalkSplit& split) {
    const std::uint32_t when_true = walk_child(node, support, split, true);
    const std::uint32_t when_false = walk_child(node, support, split, false);
    const std::uint32_t end = walk_.end[split.end - 1];
    for (std::uint32_t column = walk_.column[split.group]; column < end; ++column) {
      level.edges.push_back({column, when_true, when_false});
    }
  });
  level.edge_end[node] = level.edges.size();
  set_held();
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
  if (streams() && below.edges.size() > keeping_.most_last) {
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
