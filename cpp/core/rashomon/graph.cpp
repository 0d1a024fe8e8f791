#include "core/rashomon/graph.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/rashomon/best.hpp"
#include "core/rashomon/cut_search.hpp"
#include "core/rashomon/kernels.hpp"
#include "core/rashomon/meter.hpp"

namespace orderless::rashomon {

// A graph while it is made, level by level from the root.

/// The nodes of one depth, while they are met.
struct Level {
  Numbers numbers;                 // by support
  std::vector<std::int32_t> path;  // per node the literals that lead to it: 2 column + (is 0)
  std::vector<std::int64_t> errors, budget, best;
  std::vector<std::int32_t> label;
  std::vector<std::size_t> edge_start, edge_end;
  std::vector<Edge> edges;  // children: in the next level, or leaves

  [[nodiscard]] std::size_t size() const { return errors.size(); }
  /// Room for so many nodes at least.
  void reserve(std::size_t n) {
    errors.reserve(n);
    budget.reserve(n);
    best.reserve(n);
    label.reserve(n);
    edge_start.reserve(n);
    edge_end.reserve(n);
  }
  [[nodiscard]] std::size_t bytes() const {
    return numbers.bytes() + path.capacity() * 4 + size() * 44 + edges.capacity() * sizeof(Edge);
  }
};

class Levels {
 protected:
  Levels(Graph& graph, Meter& meter);

  [[nodiscard]] int left(std::size_t level) const { return graph_.depth - static_cast<int>(level); }

  /// The node of a support in a level; its budget rises to what is offered. Gives its number, and
  /// whether it is new or richer.
  std::pair<std::uint32_t, bool> meet(std::size_t at, const std::uint64_t* support,
                                      const std::int32_t* path, std::int32_t literal,
                                      const Leaf& leaf, std::int64_t budget, std::int64_t best);

  /// The number of a leaf, marked as such.
  std::uint32_t intern(const std::int64_t* weights);
  std::uint32_t intern(std::int32_t label, std::int64_t errors);
  std::uint32_t intern_any(std::int32_t label, std::int64_t errors);

  /// The rows of a node.
  void follow(std::size_t at, std::uint32_t node, Words& support) const;
  void cut(const Words& support, std::int32_t literal, Words& out) const;

  /// Tells the meter what all levels hold.
  void set_held();

  /// Keeps how to find the edges that are not written down.
  void keep_paths();

  /// Numbers for good: level after level without the nodes that are mere leaves, then the leaves.
  void finish();

  std::shared_ptr<const LastSplits> last_;  // where it was needed
  bool unwritten_ = false;  // edges of nodes with one split left are not written down
  Graph& graph_;
  const Rows& rows_;
  Costs costs_;
  Meter& meter_;
  Held held_;
  Namer namer_;
  std::vector<Level> levels_;
  Numbers leaves_;
  std::vector<std::uint32_t> few_leaves_;  // some of them, by errors and label; 0: not met
  std::vector<std::int32_t> leaf_label_;
  std::vector<std::int64_t> leaf_errors_;
};

/// What a graph whose columns come in chains does in another way.
class CutLevels : protected Levels {
 protected:
  CutLevels(Graph& graph, Meter& meter, const Keeping& keeping)
      : Levels(graph, meter), best_(rows_, costs_, meter), keeping_(keeping), walk_held_(meter) {}

  /// Whether nodes of these rows with two splits left are for expand_chains.
  [[nodiscard]] static bool in_chains(const Part& part);

  /// Depth 3 in all: the optimum of all rows, from sides that grow cut by cut. Nothing where sides
  /// do not grow.
  std::optional<std::int64_t> walk_cuts(const Part& part);

  /// The best of both sides of every group of a node with three splits left.
  [[nodiscard]] SideCosts chain_sides(std::size_t at, const Part& part, std::int64_t budget) const;

  /// The edges of a node with two splits left, and of its children.
  void expand_chains(std::size_t at, std::uint32_t node, const Words& support, const Cuts& cuts);

  /// Whether sides of all rows grow cut by cut; then the nodes with two splits left are expanded
  /// together: in an order, or, of many columns, as the sides grow.
  [[nodiscard]] bool walks() const { return walk_.used(); }
  void expand_walking(std::span<const std::uint32_t> order);

  Best best_;

 private:
  /// Whether there are so many columns that splits are not kept.
  [[nodiscard]] bool streams() const { return walk_.n_groups() >= keeping_.walk_from; }
  /// Adds the edges of a node: each_split(add) calls add(split).
  template <class Each>
  void hang_splits(std::uint32_t node, const Each& each_split);
  /// The child of a side that grows, at a split of it.
  std::uint32_t walk_child(std::uint32_t node, const Words& support, const WalkSplit& split,
                           bool yes);

  /// The edges of a node with one split left, of two classes.
  void last_edges(Level& level, std::uint32_t node, const Words& support, std::int64_t spare);
  /// The same, where there are few rows.
  void listed_edges(Level& level, std::uint32_t node, std::int64_t most);
  [[nodiscard]] bool lists();

  Keeping keeping_;
  Held walk_held_;
  Cuts walk_;                         // of all rows, where sides grow
  SideCosts walk_sides_;              // of its groups
  std::vector<std::int64_t> counts_;  // per class and column
  std::vector<LastSplit> splits_;
  LastSplits::Room last_room_;
  bool looked_ = false;  // whether last splits can be listed
  Words room_;
};

namespace {

constexpr std::uint32_t is_leaf = 0x80000000U;  // marks leaves while their numbers are not final

// Leaves that are found at once: of the first labels, with few errors.
constexpr std::int64_t few_errors = 4096;
constexpr std::int32_t few_labels = 2;

}  // namespace

Levels::Levels(Graph& graph, Meter& meter)
    : graph_(graph),
      rows_(graph.rows),
      costs_(graph.costs),
      meter_(meter),
      held_(meter),
      namer_(rows_.n_words),
      levels_(static_cast<std::size_t>(graph.depth) + 1) {}

std::pair<std::uint32_t, bool> Levels::meet(std::size_t at, const std::uint64_t* support,
                                            const std::int32_t* path, std::int32_t literal,
                                            const Leaf& leaf, std::int64_t budget,
                                            std::int64_t best) {
  Level& level = levels_[at];
  const auto [number, is_new] = level.numbers.add(namer_.name(support));
  if (is_new) {
    if (number >= is_leaf - 1) throw MemoryLimit(meter_.limit());
    if (number == 0) level.reserve(16);
    level.path.insert(level.path.end(), path, path + (at == 0 ? 0 : at - 1));
    if (at != 0) level.path.push_back(literal);
    level.errors.push_back(leaf.errors);
    level.label.push_back(leaf.label);
    level.budget.push_back(budget);
    level.best.push_back(best);
    level.edge_start.push_back(0);
    level.edge_end.push_back(0);
    return {number, true};
  }
  if (level.budget[number] >= budget) return {number, false};
  level.budget[number] = budget;
  return {number, true};
}

std::uint32_t Levels::intern(const std::int64_t* weights) {
  const Leaf leaf = rows_.leaf(weights);
  return intern(leaf.label, leaf.errors);
}

std::uint32_t Levels::intern(std::int32_t label, std::int64_t errors) {
  if (errors >= few_errors || label >= few_labels) return intern_any(label, errors);
  const auto place = static_cast<std::size_t>(errors * few_labels + label);
  if (place >= few_leaves_.size()) {
    few_leaves_.resize(std::bit_ceil(std::max<std::size_t>(place + 1, 64)), 0);
  }
  std::uint32_t& known = few_leaves_[place];
  if (known == 0) known = intern_any(label, errors);
  return known;
}

std::uint32_t Levels::intern_any(std::int32_t label, std::int64_t errors) {
  // Multiplication by an odd number loses nothing: different leaves have different keys.
  const Key key{static_cast<std::uint64_t>(errors) * 0x9e3779b97f4a7c15U,
                static_cast<std::uint64_t>(label)};
  const auto [number, is_new] = leaves_.add(key);
  if (is_new) {
    leaf_label_.push_back(label);
    leaf_errors_.push_back(errors);
  }
  return number | is_leaf;
}

void Levels::follow(std::size_t at, std::uint32_t node, Words& support) const {
  const std::int32_t* path = levels_[at].path.data() + node * at;
  support = rows_.all;
  for (std::size_t p = 0; p < at; ++p) cut(support, path[p], support);
}

void Levels::cut(const Words& support, std::int32_t literal, Words& out) const {
  const std::uint64_t* column = rows_.column(static_cast<std::size_t>(literal / 2));
  const std::uint64_t flip = literal % 2 == 0 ? 0 : ~std::uint64_t{0};
  for (std::size_t w = 0; w < out.size(); ++w) out[w] = support[w] & (column[w] ^ flip);
}

void Levels::set_held() {
  std::size_t bytes = leaf_label_.size() * 80;
  for (const Level& each : levels_) bytes += each.bytes();
  held_.set(bytes);
}

void Levels::keep_paths() {
  const auto depth = static_cast<std::size_t>(graph_.depth);
  graph_.last = last_ != nullptr ? last_ : std::make_shared<const LastSplits>(rows_, meter_);
  graph_.last_path = std::move(levels_[depth - 1].path);
  const std::int64_t most = std::max<std::int64_t>(graph_.most_missed(graph_.bound), 0);
  for (const std::int32_t label : {0, 1}) {
    for (std::int64_t errors = 0; errors <= most; ++errors) {
      graph_.last_leaf.push_back(intern(label, errors));
    }
  }
}

void Levels::finish() {
  if (unwritten_) keep_paths();
  std::vector<std::vector<std::uint32_t>> number(levels_.size());
  std::uint32_t n = 0;
  std::size_t n_edges = 0;
  for (std::size_t at = 0; at < levels_.size(); ++at) {
    graph_.level_start.push_back(n);
    const Level& level = levels_[at];
    number[at].reserve(level.size());
    for (std::size_t i = 0; i < level.size(); ++i) {
      const bool found_later = unwritten_ && left(at) == 1;
      const bool leaf = level.edge_start[i] == level.edge_end[i] && at != 0 && !found_later;
      number[at].push_back(leaf ? intern(level.label[i], level.errors[i]) : n++);
      n_edges += level.edge_end[i] - level.edge_start[i];
    }
  }
  graph_.level_start.push_back(n);
  const std::size_t n_nodes = n + leaf_label_.size();
  Held held(meter_);
  held.set(n_nodes * 36 + n_edges * sizeof(Edge));
  graph_.edges.reserve(n_edges);
  graph_.label.reserve(n_nodes);
  graph_.errors.reserve(n_nodes);
  graph_.budget.reserve(n_nodes);
  graph_.best.reserve(n_nodes);
  graph_.edge_start.reserve(n_nodes + 1);
  for (std::size_t at = 0; at < levels_.size(); ++at) {
    Level& level = levels_[at];
    const auto final = [&](std::uint32_t child) {
      if ((child & is_leaf) == 0) child = number[at + 1][child];
      return (child & is_leaf) != 0 ? n + (child & ~is_leaf) : child;
    };
    for (std::size_t i = 0; i < level.size(); ++i) {
      if ((number[at][i] & is_leaf) != 0) continue;
      graph_.label.push_back(level.label[i]);
      graph_.errors.push_back(level.errors[i]);
      graph_.budget.push_back(level.budget[i]);
      graph_.best.push_back(level.best[i]);
      graph_.edge_start.push_back(graph_.edges.size());
      for (std::size_t e = level.edge_start[i]; e < level.edge_end[i]; ++e) {
        const Edge& edge = level.edges[e];
        graph_.edges.push_back({edge.column, final(edge.when_true), final(edge.when_false)});
      }
    }
    level.edges = {};
  }
  for (std::size_t i = 0; i < leaf_label_.size(); ++i) {
    graph_.label.push_back(leaf_label_[i]);
    graph_.errors.push_back(leaf_errors_[i]);
    graph_.budget.push_back(unreachable);
    graph_.best.push_back(costs_.of(leaf_errors_[i], 1));
    graph_.edge_start.push_back(graph_.edges.size());
  }
  graph_.edge_start.push_back(graph_.edges.size());
  for (std::uint32_t& leaf : graph_.last_leaf) leaf = n + (leaf & ~is_leaf);
}

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

namespace {

std::int64_t bound_of(std::int64_t optimum, const Slack& slack) {
  // None of the three is negative: no tree costs less than its base.
  const auto word = [](std::int64_t x) { return static_cast<std::uint64_t>(x); };
  const FullProduct product =
      full_product(word(slack.numerator), slack.relative ? word(optimum - slack.base) : 1U);
  const Wide extra = Wide(product.high, product.low) / Wide(word(slack.denominator));
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 2;
  if (optimum > most || extra > Wide(word(most - optimum))) throw CostOverflow();
  return optimum + static_cast<std::int64_t>(extra.low());
}

class Builder : private CutLevels {
 public:
  Builder(Graph& graph, Meter& meter, const Keeping& keeping)
      : CutLevels(graph, meter, keeping),
        restriction_(rows_),
        weights_(rows_.n_classes),
        prepared_(8 * meter.n_threads()) {
    for (std::size_t i = 0; meter.n_threads() > 1 && i < meter.n_threads(); ++i) {
      helpers_.emplace_back(best_, Restriction(rows_));
    }
  }

  void build(const Slack& slack) {
    const std::uint64_t* all = rows_.all.data();
    const auto bound = [&](std::int64_t optimum) {
      return bound_of(slack.optimum ? *slack.optimum : optimum, slack);
    };
    const auto walked = walk_cuts(restriction_.of(all));
    graph_.optimum = slack.optimum ? *slack.optimum
                     : walked      ? *walked
                                   : best_.of(all, graph_.depth, unreachable);
    graph_.bound = bound(graph_.optimum);
    meet(0, rows_.all.data(), nullptr, 0, best_.leaf(rows_.all.data()), graph_.bound,
         graph_.optimum);
    if (graph_.depth == 1) root_edges(restriction_.of(rows_.all.data()));
    for (std::size_t level = 0; static_cast<int>(level) + 1 < graph_.depth; ++level) {
      expand(level);
    }
    finish();
  }

 private:
  /// Depth 1 in all: both sides of every column are leaves.
  void root_edges(const Part& part) {
    const SplitErrors errors(part.rows);
    std::vector<Edge> by_group(part.rows.n_columns);
    std::vector<std::uint8_t> kept(part.rows.n_columns, 0);
    for (std::size_t i = 0; i < by_group.size(); ++i) {
      errors.side(i, true, weights_.data());
      by_group[i].when_true = intern(weights_.data());
      std::int64_t cost = costs_.of(rows_.leaf(weights_.data()).errors, 1);
      errors.side(i, false, weights_.data());
      by_group[i].when_false = intern(weights_.data());
      cost += costs_.of(rows_.leaf(weights_.data()).errors, 1);
      kept[i] = cost <= graph_.bound ? 1 : 0;
    }
    give_edges(levels_[0], 0, part, by_group, kept);
  }

  /// Turns edges by group of equal columns into edges by column.
  void give_edges(Level& level, std::size_t node, const Part& part,
                  const std::vector<Edge>& by_group, const std::vector<std::uint8_t>& kept) {
    level.edge_start[node] = level.edges.size();
    for (std::size_t j = 0; j < rows_.n_columns; ++j) {
      if (part.group[j] < 0) continue;
      const auto group = static_cast<std::size_t>(part.group[j]);
      if (kept[group] == 0) continue;
      Edge edge = by_group[group];
      edge.column = static_cast<std::uint32_t>(j);
      if (part.flip[j] != 0) std::swap(edge.when_true, edge.when_false);
      level.edges.push_back(edge);
    }
    level.edge_end[node] = level.edges.size();
  }

  /// The edges of a node with one split left: the side `yes` of the column that is looked at.
  void last_edges(std::size_t at, std::uint32_t node, const Part& part, bool yes) {
    Level& level = levels_[at];
    const std::size_t n = part.rows.n_columns;
    by_group_.resize(n);
    kept_.assign(n, 0);
    const std::int64_t spare = level.budget[node] - 2 * costs_.leaf;
    if (spare < 0) return;
    const std::int64_t most = spare / costs_.error;
    if (errors_.least(yes) > most) return;
    for (std::size_t k = 0; k < n; ++k) {
      if (errors_.of(yes, k, true) + errors_.of(yes, k, false) > most) continue;
      errors_.cell(yes, k, true, weights_.data());
      const Leaf on = rows_.leaf(weights_.data());
      errors_.cell(yes, k, false, weights_.data());
      const Leaf off = rows_.leaf(weights_.data());
      if (on.weight == 0 || off.weight == 0) continue;  // also where k is i itself
      kept_[k] = 1;
      by_group_[k].when_true = intern(on.label, on.errors);
      by_group_[k].when_false = intern(off.label, off.errors);
    }
    give_edges(level, node, part, by_group_, kept_);
  }

  /// The order in which children seldom have to be done again for a larger budget.
  static std::vector<std::uint32_t> richest_first(const Level& level) {
    std::vector<std::uint32_t> order(level.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return level.budget[a] != level.budget[b] ? level.budget[a] > level.budget[b] : a < b;
    });
    return order;
  }

  void expand(std::size_t at) {
    Level& level = levels_[at];
    const std::vector<std::uint32_t> order = richest_first(level);
    if (at == 1 && walks()) {
      expand_walking(order);
      level.path = {};
      level.numbers = {};
      return;
    }
    Words support(rows_.n_words), side(rows_.n_words);
    std::vector<Edge> by_group;
    std::vector<std::uint8_t> kept;
    for (std::size_t done = 0; done < order.size(); ++done) {
      const std::uint32_t node = order[done];
      follow(at, node, support);
      if (shared() && done % prepared_.size() == 0) prepare(at, order, done);
      const std::int32_t* path = level.path.data() + node * at;
      const Part& part = restriction_.of(support.data());
      const std::size_t n = part.rows.n_columns;
      const std::int64_t budget = level.budget[node];
      if (left(at) == 2 && in_chains(part)) {
        expand_chains(at, node, support, part.rows.cuts);
        continue;
      }
      by_group.assign(n, {});
      kept.assign(n, 0);
      const bool last = left(at) == 2;
      SideCosts& sides = prepared_[done % prepared_.size()];
      if (!shared()) sides = side_costs(at, support, part, budget, best_);
      errors_.start(part.rows);
      for (std::size_t i = 0; i < n; ++i) {
        if (sides[2 * i] + sides[2 * i + 1] > budget) continue;
        kept[i] = 1;
        if (last) errors_.look(i);
        for (const bool yes : {true, false}) {
          // The group's own form may be the opposite of its first column.
          const auto column = static_cast<std::size_t>(part.column[i]);
          const bool holds = yes != (part.flip[column] != 0);
          const std::int32_t literal = static_cast<std::int32_t>(2 * column + (holds ? 0 : 1));
          cut(support, literal, side);
          errors_.side(i, yes, weights_.data());
          const std::int64_t own = sides[2 * i + (yes ? 0 : 1)];
          const std::int64_t other = sides[2 * i + (yes ? 1 : 0)];
          const auto [child, changed] = meet(at + 1, side.data(), path, literal,
                                             rows_.leaf(weights_.data()), budget - other, own);
          (yes ? by_group[i].when_true : by_group[i].when_false) = child;
          if (last && changed) last_edges(at + 1, child, part, yes);
        }
      }
      give_edges(level, node, part, by_group, kept);
      meter_.step(n * n + 1000);
      set_held();
    }
    level.path = {};
    level.numbers = {};
  }

  /// Whether threads find the sides of several nodes at once.
  [[nodiscard]] bool shared() const { return !helpers_.empty(); }

  /// Finds the sides of the next nodes, which the threads share.
  void prepare(std::size_t at, const std::vector<std::uint32_t>& order, std::size_t first) {
    const std::size_t n = std::min(prepared_.size(), order.size() - first);
    const std::size_t columns = rows_.n_columns, words = rows_.n_words / 8 + 8;
    const std::size_t steps = n * columns * columns * words * (left(at) == 2 ? 1 : columns);
    each(n, steps, meter_, [&](std::size_t i, std::size_t worker) {
      Words support;
      follow(at, order[first + i], support);
      const Part& part = helpers_[worker].second.of(support.data());
      prepared_[i] = side_costs(at, support, part, levels_[at].budget[order[first + i]],
                                helpers_[worker].first);
    });
  }

  /// The best of both sides of every group; sides that cannot be afforded may have a lower bound.
  SideCosts side_costs(std::size_t at, const Words& support, const Part& part, std::int64_t budget,
                       Best& best) const {
    if (left(at) == 2 && in_chains(part)) return {};
    if (left(at) == 2) return sides_of_depth_1(part.rows, costs_);
    if (left(at) == 3 && part.rows.cuts.used()) return chain_sides(at, part, budget);
    if (left(at) == 3) return best.sides(support.data(), part);
    SideCosts sides;
    Words yes(rows_.n_words), no(rows_.n_words);
    for (std::size_t i = 0; i < part.rows.n_columns; ++i) {
      const auto column = static_cast<std::size_t>(part.column[i]);
      const auto flip = static_cast<std::int32_t>(part.flip[column]);
      cut(support, static_cast<std::int32_t>(2 * column) + flip, yes);
      cut(support, static_cast<std::int32_t>(2 * column) + 1 - flip, no);
      const std::int64_t least = best.lower_bound(no.data());
      const std::int64_t on_yes = best.of(yes.data(), left(at) - 1, budget - least + 1);
      std::int64_t on_no = least;
      if (on_yes + least <= budget) {
        on_no = best.of(no.data(), left(at) - 1, budget - on_yes + 1);
      }
      sides.push_back(on_yes);
      sides.push_back(on_no);
    }
    return sides;
  }

  Restriction restriction_;
  SplitErrors errors_;  // of the node that is expanded
  std::vector<std::int64_t> weights_;
  std::vector<Edge> by_group_;
  std::vector<std::uint8_t> kept_;
  std::vector<SideCosts> prepared_;                    // of some nodes at once
  std::vector<std::pair<Best, Restriction>> helpers_;  // one of each for every thread, if several
};

}  // namespace

std::size_t Graph::bytes() const {
  const std::size_t words = rows.bits.size() + rows.blocks.size() + rows.all.size() +
                            rows.minority.size() + rows.once.size() + rows.least.size() +
                            rows.target.gaps.size();
  return words * 8 + rows.row_of_bit.size() * 4 + n_nodes() * 36 + edges.size() * sizeof(Edge) +
         last_path.size() * 4 + (last == nullptr ? 0 : last->bytes());
}

std::span<const Edge> Graph::of(std::uint32_t node, std::vector<Edge>& room) const {
  if (written(node)) return of(node);
  room.clear();
  const std::int64_t most = most_missed(budget[node]);
  std::vector<LastSplit> splits;
  std::int64_t all[2];
  LastSplits::Room rows_room;
  last->list(path_of(node), most, all, splits, rows_room);
  const auto leaf = [&](const std::int64_t* weights) {
    const Leaf own = rows.leaf(weights);
    return last_leaf[last_leaf.size() / 2 * at(own.label) + static_cast<std::size_t>(own.errors)];
  };
  for (const LastSplit& split : splits) {
    const std::int64_t off[2] = {all[0] - split.on[0], all[1] - split.on[1]};
    const std::uint32_t when_true = leaf(split.on), when_false = leaf(off);
    for (std::uint32_t column = split.column; column < split.end; ++column) {
      room.push_back({column, when_true, when_false});
    }
  }
  return room;
}

void require_written(const Graph& graph) {
  if (graph.last != nullptr) throw NotWritten();
}

std::vector<std::int32_t> Graph::labels() const {
  std::vector<std::int32_t> out = label;
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

Graph build_graph(Rows rows, const Costs& costs, int depth, const Slack& slack, Meter& meter,
                  const Keeping& keeping) {
  Graph graph;
  graph.rows = std::move(rows);
  graph.costs = costs;
  // A path asks each column at most once.
  graph.depth = static_cast<int>(
      std::min<std::size_t>(static_cast<std::size_t>(depth), graph.rows.n_columns));
  Held held(meter);
  held.set(graph.bytes());
  Builder(graph, meter, keeping).build(slack);
  graph.rows.blocks = {};  // only for the search
  return graph;
}

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
