#include "core/rashomon/counts.hpp"

#include <algorithm>
#include <cmath>

#include "core/rashomon/best.hpp"
#include "core/rashomon/cell_products.hpp"
#include "core/rashomon/open_root.hpp"

namespace orderless::rashomon {

Count plus_checked(Count a, Count b) {
  if (a.add(b)) throw CountOverflow("trees", 128);
  return a;
}

Count times_checked(Count a, Count b) {
  if (a.multiply(b)) throw CountOverflow("trees", 128);
  return a;
}

namespace {

double total(std::span<const Cell> cells) {
  double sum = 0;
  for (const Cell& cell : cells) sum += cell.trees.to_double();
  return sum;
}

}  // namespace

std::vector<std::uint64_t> View::masks(std::size_t n_columns) const {
  std::vector<std::uint64_t> out(n_columns, 0);
  for (std::size_t g = 0; g < required.size(); ++g) {
    for (const std::int32_t column : required[g]) {
      out[static_cast<std::size_t>(column)] |= std::uint64_t{1} << g;
    }
  }
  for (std::size_t j = 0; j < feature.size(); ++j) {
    if (feature[j] < 0) continue;  // never asked
    out[j] |= std::uint64_t{1} << (required.size() + static_cast<std::size_t>(feature[j]));
  }
  return out;
}

Reachable::Reachable(const Graph& graph, const View& view)
    : less_(graph.bound - view.bound),
      allowed_(view.allowed),
      in_(graph.n_nodes(), 0),
      level_(graph.n_nodes(), 0) {
  for (int level = 0; level <= graph.depth + 1; ++level) {
    const int left = std::max(graph.depth - level, 0);
    // A leaf has a row of its own.
    auto most = static_cast<std::int64_t>(graph.rows.n_rows);
    if (left < 40) most = std::min(most, std::int64_t{1} << left);
    if (view.max_leaves > 0) most = std::min(most, view.max_leaves - level);
    leaves_.push_back(most);
  }
  for (std::size_t level = 0; level + 1 < graph.level_start.size(); ++level) {
    for (std::uint32_t i = graph.level_start[level]; i < graph.level_start[level + 1]; ++i) {
      level_[i] = static_cast<std::uint16_t>(level);
    }
  }
  // Leaves are shared between levels: they always have room for themselves.
  for (std::uint32_t i = graph.level_start.back(); i < graph.n_nodes(); ++i) {
    level_[i] = static_cast<std::uint16_t>(graph.depth + 1);
  }
  leaves_.back() = 1;
  if (graph.best[0] > view.bound) return;
  in_[0] = 1;
  // Edges that are not written down may lead to any of these.
  for (const std::uint32_t leaf : graph.last_leaf) in_[leaf] = 1;
  for (std::uint32_t node = 0; node < graph.level_start.back(); ++node) {
    if (in_[node] == 0) continue;
    for (const Edge& edge : graph.of(node)) {
      if (!has(graph, node, edge)) continue;
      in_[edge.when_true] = in_[edge.when_false] = 1;
    }
  }
}

bool Reachable::has(const Graph& graph, std::uint32_t node, const Edge& edge) const {
  return allowed_[edge.column] != 0 &&
         graph.best[edge.when_true] + graph.best[edge.when_false] <= budget(graph, node);
}

Counts::Counts(std::shared_ptr<const Graph> graph, View view, Meter& meter, double long_table)
    : graph_(std::move(graph)),
      view_(std::move(view)),
      masks_(view_.masks(graph_->rows.n_columns)),
      reachable_(*graph_, view_),
      n_stored_(graph_->depth >= 1
                    ? graph_->level_start[static_cast<std::size_t>(graph_->depth) - 1]
                    : 0) {
  if (graph_->last != nullptr && view_.required.empty() && !view_.limits_features()) {
    upto_ = graph_->last->upto(view_.allowed);
  }
  Held held(meter);
  std::size_t bytes = n_stored_ * sizeof(std::vector<Cell>) + graph_->n_nodes() * 2;
  held.set(bytes);
  tables_.resize(n_stored_);
  std::vector<Cell> cells;
  for (std::uint32_t node = n_stored_; node-- > 0;) {
    if (!reachable_.has(node)) continue;
    cells.clear();
    if (node == 0 && has_long_table(long_table)) {
      open_ = std::make_unique<const OpenRoot>(*this, meter);
      n_ = open_->at_most(view_.bound, false, meter);
      n_nontrivial_ = open_->at_most(view_.bound, true, meter);
      return;
    }
    fill(node, cells, meter);
    tables_[node].assign(cells.begin(), cells.end());
    bytes += cells.size() * sizeof(Cell);
    held.set(bytes);
  }
  for (const Cell& cell : histogram(meter)) {
    n_ = plus_checked(n_, count(cell));
    n_nontrivial_ = plus_checked(n_nontrivial_, cell.nontrivial);
  }
}

Counts::~Counts() = default;

/// Whether the root's table is better not made, and numbers of trees fit what is done instead.
bool Counts::has_long_table(double long_table) const {
  if (graph_->rows.target.loss != Loss::squared) return false;
  const auto [products, trees] = work(0);
  double most = 0;
  for (const std::vector<Cell>& cells : tables_) most = std::max(most, total(cells));
  return products > long_table && trees < 0x1p126 && most < 0x1p63;
}

std::vector<Cell> Counts::histogram(Meter& meter) const {
  std::vector<Cell> room;
  std::span<const Cell> cells;
  Held held(meter);
  if (open_ == nullptr) {
    cells = table(0, room);
  } else if (reachable_.has(0)) {
    // Every product may be a cell of its own, twice while they are sorted.
    held.set(static_cast<std::size_t>(std::min(n_.to_double(), work(0).first)) * sizeof(Cell) * 2);
    fill(0, room, meter);
    cells = room;
  }
  std::vector<Cell> out;
  for (const Cell& cell : cells) {
    if (!view_.fits(cell.groups)) continue;
    out.push_back(cell);
    out.back().groups = 0;  // of all kinds together
  }
  merge(out);
  return out;
}

Count Counts::n_at(std::int64_t cost, Meter& meter) const {
  if (open_ != nullptr)
    return open_->at_most(cost, false, meter) - open_->at_most(cost - 1, false, meter);
  std::vector<Cell> room;
  Count sum = 0;
  for (const Cell& cell : table(0, room)) {
    if (cell.cost == cost && view_.fits(cell.groups)) sum = plus_checked(sum, count(cell));
  }
  return sum;
}

std::size_t Counts::bytes() const {
  std::size_t bytes = tables_.capacity() * sizeof(std::vector<Cell>) + graph_->n_nodes() * 2;
  if (open_ != nullptr) bytes += open_->bytes();
  for (const auto& table : tables_) bytes += table.capacity() * sizeof(Cell);
  return bytes;
}

std::span<const Cell> Counts::table(std::uint32_t node, std::vector<Cell>& room) const {
  if (stored(node)) return tables_[node];
  room.clear();
  if (reachable_.has(node)) fill_small(node, room);
  return room;
}

/// A node whose sides are leaves.
void Counts::fill_small(std::uint32_t node, std::vector<Cell>& out) const {
  const Graph& graph = *graph_;
  const std::int64_t budget = reachable_.budget(graph, node);
  const std::int64_t most = reachable_.max_leaves(node);
  if (graph.leaf_cost(node) <= budget && most >= 1) {
    out.push_back({graph.leaf_cost(node), 0, 1, 1, 1});
  }
  if (most < 2) return;
  if (!upto_.empty() && !graph.written(node)) {
    tally_small(node, budget, out);
    return;
  }
  std::vector<Edge> room;
  const std::span<const Edge> edges = graph.of(node, room);
  if (tally_edges(node, edges, budget, out)) return;
  const Edge* before = nullptr;
  for (const Edge& edge : edges) {
    if (!reachable_.has(graph, node, edge) || !view_.may(masks_[edge.column])) continue;
    if (before != nullptr && alike_edges(*before, edge)) {
      Cell& cell = out.back();
      cell.trees += 1;
      if (cell.nontrivial != 0) cell.nontrivial += 1;
      continue;
    }
    before = &edge;
    const bool differ = graph.label[edge.when_true] != graph.label[edge.when_false];
    out.push_back({graph.leaf_cost(edge.when_true) + graph.leaf_cost(edge.when_false),
                   masks_[edge.column], 2, 1, differ ? Count{1} : Count{0}});
  }
  merge(out);
}

/// The edges of a node whose sides are leaves, by errors; false where they are better sorted.
bool Counts::tally_edges(std::uint32_t node, std::span<const Edge> edges, std::int64_t budget,
                         std::vector<Cell>& out) const {
  const Graph& graph = *graph_;
  const std::int64_t most = graph.most_missed(budget), least = graph.best[node];
  const std::int64_t low = std::max<std::int64_t>(0, graph.most_missed(least));
  const bool plain = view_.required.empty() && !view_.limits_features();
  if (!plain || edges.size() < 16 || most - low >= 128) return false;
  // No split misses less than the best of all trees can.
  SplitTally tallies[128] = {};
  for (const Edge& edge : edges) {
    const std::int64_t errors = graph.errors[edge.when_true] + graph.errors[edge.when_false];
    if (errors > most || view_.allowed[edge.column] == 0) continue;
    SplitTally& to = tallies[errors - low];
    ++to.splits;
    to.differ += graph.label[edge.when_true] != graph.label[edge.when_false] ? 1 : 0;
  }
  for (std::int64_t errors = low; errors <= most; ++errors) {
    const SplitTally& tally = tallies[errors - low];
    if (tally.splits == 0) continue;
    out.push_back({graph.costs.of(errors, 2), 0, 2, tally.splits, tally.differ});
  }
  merge(out);
  return true;
}

/// The splits of a node whose edges are not written down.
void Counts::tally_small(std::uint32_t node, std::int64_t budget, std::vector<Cell>& out) const {
  const Graph& graph = *graph_;
  const std::int64_t most = graph.most_missed(budget);
  if (most < 0) return;
  std::vector<SplitTally> tallies;
  LastSplits::Room room;
  graph.last->tally(graph.path_of(node), most, upto_, tallies, room);
  for (std::int64_t errors = 0; errors <= most; ++errors) {
    const SplitTally& tally = tallies[static_cast<std::size_t>(errors)];
    if (tally.splits == 0) continue;
    out.push_back({graph.costs.of(errors, 2), 0, 2, tally.splits, tally.differ});
  }
  merge(out);
}

std::pair<double, double> Counts::work(std::uint32_t node) const {
  const Graph& graph = *graph_;
  double work = 0, trees = 1;
  for (const Edge& edge : graph.of(node)) {
    if (!reachable_.has(graph, node, edge)) continue;
    // Of small tables, which are made when they are looked at, the number of edges is enough.
    const auto size = [&](std::uint32_t child, double& sum) {
      if (!graph.written(child)) return sum = static_cast<double>(graph.rows.n_columns + 1);
      if (!stored(child)) return sum = static_cast<double>(graph.of(child).size() + 1);
      sum = total(tables_[child]);
      return static_cast<double>(tables_[child].size());
    };
    double n_true = 0, n_false = 0;
    work += size(edge.when_true, n_true) * size(edge.when_false, n_false);
    trees += n_true * n_false;
  }
  return {work, trees};
}

void Counts::fill(std::uint32_t node, std::vector<Cell>& out, Meter& meter) const {
  const Graph& graph = *graph_;
  const std::int64_t budget = reachable_.budget(graph, node);
  const std::int64_t most = reachable_.max_leaves(node);
  if (graph.leaf_cost(node) <= budget && most >= 1) {
    out.push_back({graph.leaf_cost(node), 0, 1, 1, 1});
  }
  if (most < 2) return;
  std::vector<Cell> room_a, room_b;
  const auto [products_due, trees] = work(node);
  const bool checked = !(trees < 1e38);  // 2^128 is 3.4e38
  Held held(meter);
  CellProducts products(graph.costs, graph.best[node], budget, most,
                        view_.limits_features() ? 0 : std::size_t{1} << view_.required.size(),
                        products_due);
  const auto edges = graph.of(node);
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const Edge& edge = edges[e];
    if (!reachable_.has(graph, node, edge)) continue;
    // Neighbours in a chain often part the rows alike.
    Count alike = 1;
    for (; e + 1 < edges.size() && alike_edges(edge, edges[e + 1]); ++e) alike += 1;
    const auto on_true = table(edge.when_true, room_a);
    const auto on_false = table(edge.when_false, room_b);
    const bool same = graph.label[edge.when_true] == graph.label[edge.when_false];
    const auto join = [&](std::span<const Cell> yes, std::span<const Cell> no) {
      for (const Cell& a : yes) {
        const std::uint64_t groups = a.groups | masks_[edge.column];
        meter.step(no.size() / 8 + 1);
        for (const Cell& b : no) {
          const std::int64_t cost = a.cost + b.cost;
          if (cost > budget) break;
          const std::int32_t leaves = a.leaves + b.leaves;
          if (leaves > most) continue;
          const bool is_trivial = leaves == 2 && same;
          if (!checked) {
            products.add_to(cost, leaves, groups | b.groups, a.trees * b.trees * alike,
                            is_trivial ? Count{0} : a.nontrivial * b.nontrivial * alike);
          } else {
            const auto times = [&](Count x, Count y) {
              return times_checked(times_checked(x, y), alike);
            };
            products.checked_add_to(cost, leaves, groups | b.groups, times(a.trees, b.trees),
                                    is_trivial ? Count{0} : times(a.nontrivial, b.nontrivial));
          }
        }
      }
    };
    if (!view_.limits_features()) {
      join(on_true, on_false);
      continue;
    }
    each_that_may(view_, masks_[edge.column], on_true, on_false, join);
    held.set(products.bytes());
  }
  products.take(out);
}

}  // namespace orderless::rashomon
