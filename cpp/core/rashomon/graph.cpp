#include "core/rashomon/graph.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "core/rashomon/best.hpp"
#include "core/rashomon/cut_search.hpp"
#include "core/rashomon/cut_triples.hpp"
#include "core/rashomon/kernels.hpp"
#include "core/rashomon/signed.hpp"
#include "core/rashomon/sweep.hpp"

namespace orderless::rashomon {

namespace {

constexpr std::uint32_t is_leaf = 0x80000000U;  // marks leaves while their numbers are not final

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

/// The nodes of one depth, while they are met.
struct Level {
  Numbers numbers;                 // by support
  std::vector<std::int32_t> path;  // per node the literals that lead to it: 2 column + (is 0)
  std::vector<std::int64_t> errors, budget, best;
  std::vector<std::int32_t> label;
  std::vector<std::size_t> edge_start, edge_end;
  std::vector<Edge> edges;  // children: in the next level, or leaves

  [[nodiscard]] std::size_t size() const { return errors.size(); }
  [[nodiscard]] std::size_t bytes() const {
    return numbers.bytes() + path.capacity() * 4 + size() * 44 + edges.capacity() * sizeof(Edge);
  }
};

class Builder {
 public:
  Builder(Graph& graph, Meter& meter)
      : graph_(graph),
        rows_(graph.rows),
        costs_(graph.costs),
        meter_(meter),
        held_(meter),
        best_(rows_, costs_, meter),
        namer_(rows_.n_words),
        restriction_(rows_),
        weights_(rows_.n_classes) {}

  void build(const Slack& slack) {
    levels_.resize(static_cast<std::size_t>(graph_.depth) + 1);
    find_optimum(slack);
    meet(0, rows_.all.data(), nullptr, 0, best_.leaf(rows_.all.data()), graph_.bound,
         graph_.optimum);
    if (graph_.depth == 1) root_edges(restriction_.of(rows_.all.data()));
    for (std::size_t level = 0; static_cast<int>(level) + 1 < graph_.depth; ++level) {
      expand(level);
    }
    finish();
  }

 private:
  void find_optimum(const Slack& slack) {
    if (graph_.depth == 3 && rows_.cuts.used()) {
      const Part& part = restriction_.of(rows_.all.data());
      if (triples_suffice(part.rows)) {
        root_columns_ = part.rows.cuts.column;
        near_ = near_cuts(part.rows, costs_, costs_.of(best_.leaf(rows_.all.data()).errors, 1),
                          [&](std::int64_t optimum) { return bound_of(optimum, slack); }, meter_);
        graph_.optimum = near_.optimum;
        graph_.bound = near_.bound;
        return;
      }
    }
    graph_.optimum = best_.of(rows_.all.data(), graph_.depth, unreachable);
    graph_.bound = bound_of(graph_.optimum, slack);
  }

  Level& next(std::size_t level) { return levels_[level + 1]; }
  [[nodiscard]] int left(std::size_t level) const { return graph_.depth - static_cast<int>(level); }

  /// The node of a support in a level; its budget rises to what is offered. Gives its number, and
  /// whether it is new or richer.
  std::pair<std::uint32_t, bool> meet(std::size_t at, const std::uint64_t* support,
                                      const std::int32_t* path, std::int32_t literal,
                                      const Leaf& leaf, std::int64_t budget, std::int64_t best) {
    Level& level = levels_[at];
    const auto [number, is_new] = level.numbers.add(namer_.name(support));
    if (is_new) {
      if (number >= is_leaf - 1) throw MemoryLimit(meter_.limit());
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

  std::uint32_t intern(const std::int64_t* weights) {
    const Leaf leaf = rows_.leaf(weights);
    return intern(leaf.label, leaf.errors);
  }

  std::uint32_t intern(std::int32_t label, std::int64_t errors) {
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
  void last_edges(std::size_t at, std::uint32_t node, const Part& part, const SplitErrors& errors,
                  bool yes) {
    Level& level = levels_[at];
    const std::size_t n = part.rows.n_columns;
    by_group_.resize(n);
    kept_.assign(n, 0);
    const std::int64_t spare = level.budget[node] - 2 * costs_.leaf;
    if (spare < 0) return;
    const std::int64_t most = spare / costs_.error;
    if (errors.least(yes) > most) return;
    for (std::size_t k = 0; k < n; ++k) {
      if (errors.of(yes, k, true) + errors.of(yes, k, false) > most) continue;
      errors.cell(yes, k, true, weights_.data());
      const Leaf on = rows_.leaf(weights_.data());
      errors.cell(yes, k, false, weights_.data());
      const Leaf off = rows_.leaf(weights_.data());
      if (on.weight == 0 || off.weight == 0) continue;  // also where k is i itself
      kept_[k] = 1;
      by_group_[k].when_true = intern(on.label, on.errors);
      by_group_[k].when_false = intern(off.label, off.errors);
    }
    give_edges(level, node, part, by_group_, kept_);
  }

  void expand(std::size_t at) {
    Level& level = levels_[at];
    // The richest first: then children seldom have to be done again for a larger budget.
    std::vector<std::uint32_t> order(level.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return level.budget[a] > level.budget[b];
    });
    Words support(rows_.n_words), side(rows_.n_words);
    std::vector<Edge> by_group;
    std::vector<std::uint8_t> kept;
    for (const std::uint32_t node : order) {
      const std::int32_t* path = level.path.data() + node * at;
      support = rows_.all;
      for (std::size_t p = 0; p < at; ++p) cut(support, path[p], support);
      const Part& part = restriction_.of(support.data());
      const std::size_t n = part.rows.n_columns;
      const std::int64_t budget = level.budget[node];
      if (left(at) == 2 && part.rows.cuts.used() && signs_suffice(part.rows)) {
        expand_chains(at, node, support, part.rows.cuts);
        set_held();
        continue;
      }
      by_group.assign(n, {});
      kept.assign(n, 0);
      const bool last = left(at) == 2;
      const SideCosts sides = side_costs(at, support, part, budget);
      SplitErrors errors(part.rows);
      for (std::size_t i = 0; i < n; ++i) {
        if (sides[2 * i] + sides[2 * i + 1] > budget) continue;
        kept[i] = 1;
        if (last) errors.look(i);
        for (const bool yes : {true, false}) {
          // The group's own form may be the opposite of its first column.
          const auto column = static_cast<std::size_t>(part.column[i]);
          const bool holds = yes != (part.flip[column] != 0);
          const std::int32_t literal = static_cast<std::int32_t>(2 * column + (holds ? 0 : 1));
          cut(support, literal, side);
          errors.side(i, yes, weights_.data());
          const std::int64_t own = sides[2 * i + (yes ? 0 : 1)];
          const std::int64_t other = sides[2 * i + (yes ? 1 : 0)];
          const auto [child, changed] = meet(at + 1, side.data(), path, literal,
                                             rows_.leaf(weights_.data()), budget - other, own);
          (yes ? by_group[i].when_true : by_group[i].when_false) = child;
          if (last && changed) last_edges(at + 1, child, part, errors, yes);
        }
      }
      give_edges(level, node, part, by_group, kept);
      meter_.step(n * n + 1000);
      set_held();
    }
    level.path = {};
    level.numbers = {};
  }

  void set_held() {
    std::size_t bytes = leaf_label_.size() * 80;
    for (const Level& each : levels_) bytes += each.bytes();
    held_.set(bytes);
  }

  /// Adds an edge for every column of a group.
  static void add_edges(Level& level, const Cuts& cuts, std::size_t group, std::uint32_t when_true,
                        std::uint32_t when_false) {
    for (std::uint32_t column = cuts.column[group]; column < cuts.end[group]; ++column) {
      level.edges.push_back({column, when_true, when_false});
    }
  }

  /// The edges of a node with two splits left, and of its children, where columns come in chains.
  void expand_chains(std::size_t at, std::uint32_t node, const Words& support, const Cuts& cuts) {
    Level& level = levels_[at];
    Level& below = levels_[at + 1];
    const std::int64_t budget = level.budget[node];
    const std::int32_t* path = level.path.data() + node * at;
    Words side(rows_.n_words);
    level.edge_start[node] = level.edges.size();
    const auto use = [&](std::size_t group, std::int64_t on_true, std::int64_t on_false,
                         std::int64_t split_true, std::int64_t split_false) {
      std::uint32_t children[2];
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
      add_edges(level, cuts, group, children[0], children[1]);
    };
    if (at == 1 && !near_.sides.empty()) {
      each_near(path[0], cuts, use);
    } else {
      with_sweep(cuts, costs_, meter_, [&](auto& sweep) { sweep.each(budget, use); });
    }
    level.edge_end[node] = level.edges.size();
  }

  /// The groups of a side of a cut of all rows whose splits are near, as they were found before.
  template <class Use>
  void each_near(std::int32_t literal, const Cuts& cuts, Use&& use) {
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

  /// The edges of a node with one split left, of two classes, from the words of its rows.
  void last_edges(Level& level, std::uint32_t node, const Words& support, std::int64_t spare) {
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

  /// The best of both sides of every group; sides that cannot be afforded may have a lower bound.
  SideCosts side_costs(std::size_t at, const Words& support, const Part& part,
                       std::int64_t budget) {
    if (left(at) == 2) return sides_of_depth_1(part.rows, costs_);
    if (at == 0 && !near_.sides.empty()) return near_.sides;
    if (left(at) == 3 && part.rows.cuts.used()) {
      return cut_sides_of_depth_2(part.rows, costs_, budget, meter_);
    }
    if (left(at) == 3) return best_.sides(support.data(), part);
    SideCosts sides;
    Words yes(rows_.n_words), no(rows_.n_words);
    for (std::size_t i = 0; i < part.rows.n_columns; ++i) {
      const auto column = static_cast<std::size_t>(part.column[i]);
      const auto flip = static_cast<std::int32_t>(part.flip[column]);
      cut(support, static_cast<std::int32_t>(2 * column) + flip, yes);
      cut(support, static_cast<std::int32_t>(2 * column) + 1 - flip, no);
      const std::int64_t least = best_.lower_bound(no.data());
      const std::int64_t on_yes = best_.of(yes.data(), left(at) - 1, budget - least + 1);
      std::int64_t on_no = least;
      if (on_yes + least <= budget) {
        on_no = best_.of(no.data(), left(at) - 1, budget - on_yes + 1);
      }
      sides.push_back(on_yes);
      sides.push_back(on_no);
    }
    return sides;
  }

  void cut(const Words& support, std::int32_t literal, Words& out) const {
    const std::uint64_t* column = rows_.column(static_cast<std::size_t>(literal / 2));
    const std::uint64_t flip = literal % 2 == 0 ? 0 : ~std::uint64_t{0};
    for (std::size_t w = 0; w < out.size(); ++w) out[w] = support[w] & (column[w] ^ flip);
  }

  /// Numbers for good: level after level without the nodes that are mere leaves, then the leaves.
  void finish() {
    std::vector<std::vector<std::uint32_t>> number(levels_.size());
    std::uint32_t n = 0;
    std::size_t n_edges = 0;
    for (std::size_t at = 0; at < levels_.size(); ++at) {
      graph_.level_start.push_back(n);
      const Level& level = levels_[at];
      for (std::size_t i = 0; i < level.size(); ++i) {
        const bool leaf = level.edge_start[i] == level.edge_end[i] && at != 0;
        number[at].push_back(leaf ? intern(level.label[i], level.errors[i]) : n++);
        n_edges += level.edge_end[i] - level.edge_start[i];
      }
    }
    graph_.level_start.push_back(n);
    const std::size_t n_nodes = n + leaf_label_.size();
    Held held(meter_);
    held.set(n_nodes * 36 + n_edges * sizeof(Edge));
    graph_.edges.reserve(n_edges);
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
  }

  Graph& graph_;
  const Rows& rows_;
  Costs costs_;
  Meter& meter_;
  Held held_;
  Best best_;
  Namer namer_;
  Restriction restriction_;
  std::vector<std::int64_t> weights_;
  std::vector<Level> levels_;
  std::vector<std::int64_t> counts_;  // per class and column
  NearCuts near_;  // of all rows, where three cuts were looked at together
  std::vector<std::uint32_t> root_columns_;
  std::vector<Edge> by_group_;
  std::vector<std::uint8_t> kept_;
  Numbers leaves_;
  std::vector<std::int32_t> leaf_label_;
  std::vector<std::int64_t> leaf_errors_;
};

}  // namespace

std::size_t Graph::bytes() const {
  const std::size_t words = rows.bits.size() + rows.blocks.size() + rows.all.size() +
                            rows.minority.size() + rows.once.size() + rows.least.size() +
                            rows.target.gaps.size();
  return words * 8 + rows.row_of_bit.size() * 4 + n_nodes() * 36 + edges.size() * sizeof(Edge);
}

std::vector<std::int32_t> Graph::labels() const {
  std::vector<std::int32_t> out = label;
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

Graph build_graph(Rows rows, const Costs& costs, int depth, const Slack& slack, Meter& meter) {
  Graph graph;
  graph.rows = std::move(rows);
  graph.costs = costs;
  // A path asks each column at most once.
  graph.depth = static_cast<int>(
      std::min<std::size_t>(static_cast<std::size_t>(depth), graph.rows.n_columns));
  Held held(meter);
  held.set(graph.bytes());
  Builder(graph, meter).build(slack);
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
    for (const Edge& edge : graph.of(node)) {
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
