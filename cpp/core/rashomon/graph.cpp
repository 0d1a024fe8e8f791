#include "core/rashomon/graph.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "core/rashomon/best.hpp"
#include "core/rashomon/cut_levels.hpp"
#include "core/rashomon/signed.hpp"
#include "core/rashomon/threads.hpp"

namespace orderless::rashomon {

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

}  // namespace orderless::rashomon
