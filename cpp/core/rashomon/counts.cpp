#include "core/rashomon/counts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "core/rashomon/best.hpp"

namespace orderless::rashomon {

// How tables of cells are multiplied, for Counts.

/// Sorts, and makes cells of one kind one.
inline void merge(std::vector<Cell>& cells) {
  std::sort(cells.begin(), cells.end(), [](const Cell& a, const Cell& b) { return a.before(b); });
  std::size_t n = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (n != 0 && cells[n - 1].same_kind(cells[i])) {
      cells[n - 1].trees = plus_checked(cells[n - 1].trees, cells[i].trees);
      cells[n - 1].nontrivial = plus_checked(cells[n - 1].nontrivial, cells[i].nontrivial);
    } else {
      cells[n++] = cells[i];
    }
  }
  cells.resize(n);
}

/// Collects the products of tables: on a grid of (leaves, errors, groups) where that is small
/// against the work, else in a list that is merged now and then. 0 groups: there are many sets of
/// features, and a list that is looked up by its kind is merged at once.
class CellProducts {
 public:
  CellProducts(const Costs& costs, std::int64_t least_cost, std::int64_t budget,
               std::int64_t most_leaves, std::size_t n_groups, double work)
      : costs_(costs), n_groups_(n_groups) {
    // Errors lie between those of the cheapest tree with the most leaves and of a tree with two.
    low_ = std::max<std::int64_t>(0, (least_cost - costs.leaf * most_leaves) / costs.error);
    const std::int64_t high = (budget - 2 * costs.leaf) / costs.error;
    n_errors_ = std::max<std::int64_t>(high - low_ + 1, 0);
    n_leaves_ = std::max<std::int64_t>(most_leaves - 1, 0);
    const double size = static_cast<double>(n_errors_) * static_cast<double>(n_leaves_) *
                        static_cast<double>(n_groups);
    dense_ = n_groups > 0 && size < 64.0 + work && size < 4e6;
    if (dense_) grid_.resize(static_cast<std::size_t>(size));
  }

  void add_to(std::int64_t cost, std::int32_t leaves, std::uint64_t groups, Count trees,
              Count nontrivial) {
    if (n_groups_ == 0) {
      Cell& own = cell(cost, leaves, groups);
      own.trees += trees;
      own.nontrivial += nontrivial;
      return;
    }
    if (!dense_) {
      cells_.push_back({cost, groups, leaves, trees, nontrivial});
      if (cells_.size() > most_) {
        merge(cells_);
        most_ = std::max(most_, 2 * cells_.size());
      }
      return;
    }
    Pair& pair = grid_[at(cost, leaves, groups)];
    pair.trees += trees;
    pair.nontrivial += nontrivial;
  }

  void checked_add_to(std::int64_t cost, std::int32_t leaves, std::uint64_t groups, Count trees,
                      Count nontrivial) {
    if (n_groups_ == 0) {
      Cell& own = cell(cost, leaves, groups);
      own.trees = plus_checked(own.trees, trees);
      own.nontrivial = plus_checked(own.nontrivial, nontrivial);
      return;
    }
    if (!dense_) {
      add_to(cost, leaves, groups, trees, nontrivial);  // merge checks
      return;
    }
    Pair& pair = grid_[at(cost, leaves, groups)];
    pair.trees = plus_checked(pair.trees, trees);
    pair.nontrivial = plus_checked(pair.nontrivial, nontrivial);
  }

  /// What lists take.
  [[nodiscard]] std::size_t bytes() const {
    return cells_.capacity() * sizeof(Cell) + slots_.capacity() * 4;
  }

  void take(std::vector<Cell>& out) {
    for (std::size_t i = 0; i < grid_.size(); ++i) {
      if (grid_[i].trees == 0) continue;
      const std::uint64_t groups = i % n_groups_;
      const auto rest = static_cast<std::int64_t>(i / n_groups_);
      const auto leaves = static_cast<std::int32_t>(rest / n_errors_ + 2);
      const std::int64_t errors = rest % n_errors_ + low_;
      out.push_back(
          {costs_.of(errors, leaves), groups, leaves, grid_[i].trees, grid_[i].nontrivial});
    }
    out.insert(out.end(), cells_.begin(), cells_.end());
    merge(out);
  }

 private:
  struct Pair {
    Count trees = 0, nontrivial = 0;
  };
  /// The cell of a kind, found by its hash.
  Cell& cell(std::int64_t cost, std::int32_t leaves, std::uint64_t groups) {
    if (cells_.size() * 2 >= slots_.size()) grow();
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash(cost, leaves, groups) & mask;
    for (; slots_[at] != 0; at = (at + 1) & mask) {
      Cell& known = cells_[slots_[at] - 1];
      if (known.cost == cost && known.leaves == leaves && known.groups == groups) return known;
    }
    cells_.push_back({cost, groups, leaves, 0, 0});
    slots_[at] = static_cast<std::uint32_t>(cells_.size());
    return cells_.back();
  }
  static std::size_t hash(std::int64_t cost, std::int32_t leaves, std::uint64_t groups) {
    const auto both = static_cast<std::uint64_t>(cost) * 64 + static_cast<std::uint64_t>(leaves);
    const std::uint64_t h = (both * 0x9e3779b97f4a7c15U + groups) * 0xd1b54a32d192ed03U;
    return static_cast<std::size_t>(h ^ (h >> 32U));
  }
  void grow() {
    slots_.assign(std::max<std::size_t>(1024, 2 * slots_.size()), 0);
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      const Cell& each = cells_[i];
      std::size_t at = hash(each.cost, each.leaves, each.groups) & (slots_.size() - 1);
      while (slots_[at] != 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = static_cast<std::uint32_t>(i + 1);
    }
  }
  [[nodiscard]] std::size_t at(std::int64_t cost, std::int32_t leaves, std::uint64_t groups) const {
    const std::int64_t errors = (cost - costs_.leaf * leaves) / costs_.error;
    return static_cast<std::size_t>((leaves - 2) * n_errors_ + errors - low_) * n_groups_ + groups;
  }

  Costs costs_;
  std::size_t n_groups_;
  std::int64_t low_ = 0, n_errors_ = 0, n_leaves_ = 0;
  bool dense_ = false;
  std::vector<Pair> grid_;
  std::vector<Cell> cells_;
  std::vector<std::uint32_t> slots_;  // numbers of cells + 1, or 0
  std::size_t most_ = 1U << 14U;
};

/// The cells of a table that ask the same, together: by what they ask, then by cost.
class CellsByAsked {
 public:
  explicit CellsByAsked(std::span<const Cell> cells) : cells_(cells.begin(), cells.end()) {
    std::sort(cells_.begin(), cells_.end(), [](const Cell& a, const Cell& b) {
      return a.groups != b.groups ? a.groups < b.groups : a.before(b);
    });
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (i == 0 || cells_[i].groups != cells_[i - 1].groups) start_.push_back(i);
    }
    start_.push_back(cells_.size());
  }

  [[nodiscard]] std::size_t n() const { return start_.size() - 1; }
  /// The cells of one set, by cost.
  [[nodiscard]] std::span<const Cell> of(std::size_t i) const {
    return {cells_.data() + start_[i], start_[i + 1] - start_[i]};
  }

 private:
  std::vector<Cell> cells_;
  std::vector<std::size_t> start_;
};

/// Calls `use(a, b)` with the cells of two sides that together ask no more than a view allows.
template <class Use>
void each_that_may(const View& view, std::uint64_t own, std::span<const Cell> on_true,
                   std::span<const Cell> on_false, Use&& use) {
  const CellsByAsked yes(on_true), no(on_false);
  for (std::size_t i = 0; i < yes.n(); ++i) {
    const std::uint64_t asked = own | yes.of(i).front().groups;
    if (!view.may(asked)) continue;
    for (std::size_t j = 0; j < no.n(); ++j) {
      if (view.may(asked | no.of(j).front().groups)) use(yes.of(i), no.of(j));
    }
  }
}

/// One way to make trees at the root: a column, and a cell of each side. No column: the leaf.
struct RootWay {
  std::int64_t cost = 0;
  std::int32_t leaves = 0;
  std::uint32_t edge = 0;                   // of the root; one more than there are: the leaf
  std::uint32_t on_true = 0, on_false = 0;  // cells in the tables of the sides
  Count n = 0;                              // trees of the view
};

/// The root where nearly every tree has a cost of its own, so that a table of all costs would be as
/// long as the set: sums of two sorted tables are counted, and listed between two costs, without
/// making them. Cost of a count: the cells of all sides, times the different numbers of leaves.
/// Precondition: no side has 2^63 trees, and all trees are fewer than 2^126.
class OpenRoot {
 public:
  OpenRoot(const Counts& counts, Meter& meter);

  /// How many trees of the view cost at most so much; of them those without trivial splits.
  [[nodiscard]] Count at_most(std::int64_t cost, bool nontrivial, Meter& meter) const;
  /// The ways with costs in low .. high, by cost, leaves, and a fixed order.
  [[nodiscard]] std::vector<RootWay> between(std::int64_t low, std::int64_t high) const;
  /// Trees that stand together, and how many are before them.
  struct Window {
    std::vector<RootWay> ways;
    Count before = 0;
  };
  /// A window with the tree at a position: all of one cost, or about so many.
  /// Precondition: there is such a tree.
  [[nodiscard]] Window around(Count position, Count about, Meter& meter) const;
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  /// The cells of a table that have as many leaves and the same groups, by cost.
  struct Kind {
    std::int32_t leaves = 0;
    std::uint64_t groups = 0;
    std::vector<std::int64_t> cost;
    std::vector<std::uint32_t> cell;
    std::vector<std::uint64_t> up_to, nontrivial;  // trees of each cell and all before it

    [[nodiscard]] static std::uint64_t own(const std::vector<std::uint64_t>& sums, std::size_t i) {
      return i == 0 ? sums[0] : sums[i] - sums[i - 1];
    }
  };
  using Side = std::vector<Kind>;

  [[nodiscard]] const Side& side(std::uint32_t node) const { return sides_.at(node); }
  /// Calls `use(edge, on_true, on_false, is_trivial)` for kinds that make trees of the view.
  template <class Use>
  void each_pair(Use&& use) const;
  [[nodiscard]] bool leaf_is_in() const;

  const Counts& counts_;
  const Graph& graph_;
  std::int64_t most_leaves_;
  std::unordered_map<std::uint32_t, Side> sides_;
  std::size_t bytes_ = 0;
};

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

OpenRoot::OpenRoot(const Counts& counts, Meter& meter)
    : counts_(counts), graph_(counts.graph()), most_leaves_(counts.most_leaves(0)) {
  Held held(meter);
  std::vector<Cell> room;
  const auto read = [&](std::uint32_t node) {
    const auto [found, is_new] = sides_.try_emplace(node);
    if (!is_new) return;
    Side& side = found->second;
    for (std::uint32_t i = 0; const Cell& cell : counts_.table(node, room)) {
      auto kind = std::find_if(side.begin(), side.end(), [&](const Kind& each) {
        return each.leaves == cell.leaves && each.groups == cell.groups;
      });
      if (kind == side.end()) {
        side.emplace_back();
        kind = side.end() - 1;
        kind->leaves = cell.leaves;
        kind->groups = cell.groups;
      }
      const auto add = [](std::vector<std::uint64_t>& sums, Count n) {
        sums.push_back((sums.empty() ? 0 : sums.back()) + n.low());
      };
      kind->cost.push_back(cell.cost);
      kind->cell.push_back(i++);
      add(kind->up_to, counts_.count(cell));
      add(kind->nontrivial, cell.nontrivial);
      bytes_ += 28;
    }
    held.set(bytes_);
    meter.step(64);
  };
  for (const Edge& edge : graph_.of(0)) {
    if (!counts_.has(0, edge)) continue;
    read(edge.when_true);
    read(edge.when_false);
  }
}

bool OpenRoot::leaf_is_in() const {
  return graph_.leaf_cost(0) <= counts_.view().bound && most_leaves_ >= 1 && counts_.view().fits(0);
}

template <class Use>
void OpenRoot::each_pair(Use&& use) const {
  std::uint32_t number = 0;
  for (const Edge& edge : graph_.of(0)) {
    const std::uint32_t at = number++;
    if (!counts_.has(0, edge)) continue;
    const bool same = graph_.label[edge.when_true] == graph_.label[edge.when_false];
    for (const Kind& a : side(edge.when_true)) {
      for (const Kind& b : side(edge.when_false)) {
        if (a.leaves + b.leaves > most_leaves_) continue;
        const std::uint64_t groups = a.groups | b.groups | counts_.groups_of(edge.column);
        if (!counts_.view().fits(groups)) continue;
        const bool is_trivial = same && a.leaves + b.leaves == 2;
        if (is_trivial && !counts_.view().trivial) continue;
        use(at, a, b, is_trivial);
      }
    }
  }
}

Count OpenRoot::at_most(std::int64_t cost, bool nontrivial, Meter& meter) const {
  Count sum = leaf_is_in() && graph_.leaf_cost(0) <= cost ? 1 : 0;
  each_pair([&](std::uint32_t, const Kind& a, const Kind& b, bool is_trivial) {
    if (nontrivial && is_trivial) return;
    meter.step(a.cost.size() + b.cost.size());
    const auto& on_true = nontrivial ? a.nontrivial : a.up_to;
    const auto& on_false = nontrivial ? b.nontrivial : b.up_to;
    // The dearer the one side, the fewer of the other.
    std::size_t j = b.cost.size();
    for (std::size_t i = 0; i < a.cost.size(); ++i) {
      while (j > 0 && a.cost[i] + b.cost[j - 1] > cost) --j;
      if (j == 0) break;
      sum += static_cast<Count>(Kind::own(on_true, i)) * on_false[j - 1];
    }
  });
  return sum;
}

std::vector<RootWay> OpenRoot::between(std::int64_t low, std::int64_t high) const {
  std::vector<RootWay> out;
  const std::int64_t leaf = graph_.leaf_cost(0);
  if (leaf_is_in() && low <= leaf && leaf <= high) {
    out.push_back({leaf, 1, static_cast<std::uint32_t>(graph_.of(0).size()), 0, 0, 1});
  }
  each_pair([&](std::uint32_t edge, const Kind& a, const Kind& b, bool) {
    for (std::size_t i = 0; i < a.cost.size(); ++i) {
      auto at = std::lower_bound(b.cost.begin(), b.cost.end(), low - a.cost[i]);
      for (; at != b.cost.end() && a.cost[i] + *at <= high; ++at) {
        const auto j = static_cast<std::size_t>(at - b.cost.begin());
        const Count n = static_cast<Count>(Kind::own(a.up_to, i)) * Kind::own(b.up_to, j);
        if (n == 0) continue;
        out.push_back({a.cost[i] + *at, a.leaves + b.leaves, edge, a.cell[i], b.cell[j], n});
      }
    }
  });
  std::sort(out.begin(), out.end(), [](const RootWay& a, const RootWay& b) {
    return std::tie(a.cost, a.leaves, a.edge, a.on_true, a.on_false) <
           std::tie(b.cost, b.leaves, b.edge, b.on_true, b.on_false);
  });
  return out;
}

OpenRoot::Window OpenRoot::around(Count position, Count about, Meter& meter) const {
  // Always: fewer than position + 1 trees cost less than low, and more than position at most high.
  std::int64_t low = graph_.optimum, high = counts_.view().bound;
  Count before = 0, end = counts_.n();
  while (low < high && end - before > about) {
    const std::int64_t middle = low + (high - low) / 2;
    const Count n = at_most(middle, false, meter);
    if (n > position) {
      high = middle;
      end = n;
    } else {
      low = middle + 1;
      before = n;
    }
  }
  return {between(low, high), before};
}

namespace {

/// One way to make the trees of a cell: a column, and a cell of each side.
struct Way {
  Count before = 0;  // trees of the ways before this one
  std::uint32_t edge = 0;
  std::uint32_t on_true = 0, on_false = 0;  // cells in the tables of the sides
};

/// The ways of the cells that one call looks at, remembered while they are few.
class Ways {
 public:
  Ways(const Counts& counts, Meter& meter) : counts_(counts), meter_(meter) {}

  const std::vector<Way>& of(std::uint32_t node, const Cell& cell, std::uint32_t cell_number) {
    const std::uint64_t key = static_cast<std::uint64_t>(node) << 32U | cell_number;
    const auto found = known_.find(key);
    if (found != known_.end()) return found->second;
    if (held_ > most_held) {
      known_.clear();
      held_ = 0;
    }
    std::vector<Way>& ways = known_[key];
    list(node, cell, ways);
    held_ += ways.size() + 8;
    return ways;
  }

  [[nodiscard]] std::span<const Cell> table(std::uint32_t node, std::vector<Cell>& room) const {
    return counts_.table(node, room);
  }

 private:
  static constexpr std::size_t most_held = std::size_t{1} << 21U;

  void list(std::uint32_t node, const Cell& cell, std::vector<Way>& ways) {
    const Graph& graph = counts_.graph();
    Count before = 0;
    std::uint32_t number = 0;
    for (const Edge& edge : graph.of(node, edges_)) {
      const std::uint32_t at = number++;
      if (!counts_.has(node, edge)) continue;
      const std::uint64_t own = counts_.groups_of(edge.column);
      if ((own & ~cell.groups) != 0) continue;
      const auto on_true = counts_.table(edge.when_true, room_a_);
      const auto on_false = counts_.table(edge.when_false, room_b_);
      const bool same = graph.label[edge.when_true] == graph.label[edge.when_false];
      meter_.step(on_true.size() * 8);
      for (std::size_t a = 0; a < on_true.size(); ++a) {
        Cell wanted;
        wanted.cost = cell.cost - on_true[a].cost;
        wanted.leaves = cell.leaves - on_true[a].leaves;
        if (wanted.leaves < 1 || (on_true[a].groups & ~cell.groups) != 0) continue;
        auto b = std::lower_bound(on_false.begin(), on_false.end(), wanted,
                                  [](const Cell& x, const Cell& y) { return x.before(y); });
        for (; b != on_false.end() && b->cost == wanted.cost && b->leaves == wanted.leaves; ++b) {
          if ((own | on_true[a].groups | b->groups) != cell.groups) continue;
          if (!counts_.view().trivial && cell.leaves == 2 && same) continue;
          const Count n = counts_.count(on_true[a]) * counts_.count(*b);
          if (n == 0) continue;
          ways.push_back({before, at, static_cast<std::uint32_t>(a),
                          static_cast<std::uint32_t>(b - on_false.begin())});
          before += n;
        }
      }
    }
  }

  const Counts& counts_;
  Meter& meter_;
  std::unordered_map<std::uint64_t, std::vector<Way>> known_;
  std::size_t held_ = 0;
  std::vector<Cell> room_a_, room_b_;
  std::vector<Edge> edges_;
};

class Unranker {
 public:
  Unranker(const Counts& counts, Meter& meter)
      : counts_(counts), graph_(counts.graph()), ways_(counts, meter) {}

  void grow(std::uint32_t node, std::uint32_t cell_number, Count position) {
    std::vector<Cell> room;
    const Cell cell = ways_.table(node, room)[cell_number];
    if (cell.leaves == 1) {
      out.add_leaf(graph_.label[node]);
      return;
    }
    const std::vector<Way>& ways = ways_.of(node, cell, cell_number);
    const auto after = std::upper_bound(ways.begin(), ways.end(), position,
                                        [](Count p, const Way& way) { return p < way.before; });
    const Way way = *(after - 1);
    const Edge edge = graph_.of(node, edges_)[way.edge];
    const Count n_false = counts_.count(ways_.table(edge.when_false, room)[way.on_false]);
    const Count rest = position - way.before;
    const std::size_t at = out.add_split(edge.column);
    grow(edge.when_true, way.on_true, rest / n_false);
    out.begin_false(at);
    grow(edge.when_false, way.on_false, rest % n_false);
  }

  /// A tree of one way at the root.
  void grow_root(const RootWay& way, Count position) {
    if (way.leaves == 1) {
      out.add_leaf(graph_.label[0]);
      return;
    }
    std::vector<Cell> room;
    const Edge edge = graph_.of(0)[way.edge];
    const Count n_false = counts_.count(ways_.table(edge.when_false, room)[way.on_false]);
    const std::size_t at = out.add_split(edge.column);
    grow(edge.when_true, way.on_true, position / n_false);
    out.begin_false(at);
    grow(edge.when_false, way.on_false, position % n_false);
  }

  FlatTrees out;

 private:
  const Counts& counts_;
  const Graph& graph_;
  Ways ways_;
  std::vector<Edge> edges_;
};

class Ranker {
 public:
  Ranker(const Counts& counts, std::span<const std::int32_t> column,
         std::span<const std::int32_t> label, Meter& meter)
      : counts_(counts),
        graph_(counts.graph()),
        column_(column),
        label_(label),
        ways_(counts, meter) {}

  struct Found {
    std::uint32_t cell = 0;
    Count position = 0;
  };

  /// Reads a whole tree: its position, where the root has no table.
  std::optional<Count> read_root(const OpenRoot& open, Meter& meter) {
    RootWay way;
    Count own = 0;
    if (column_.empty()) return std::nullopt;
    if (column_[0] < 0) {
      at_ = 1;
      if (label_[0] != graph_.label[0]) return std::nullopt;
      way = {graph_.leaf_cost(0), 1, static_cast<std::uint32_t>(graph_.of(0).size()), 0, 0, 1};
    } else {
      at_ = 1;
      const auto edges = graph_.of(0);
      const auto edge = find_edge(0, edges, column_[0]);
      if (edge == edges.end()) return std::nullopt;
      const auto on_true = read(edge->when_true);
      if (!on_true) return std::nullopt;
      const auto on_false = read(edge->when_false);
      if (!on_false) return std::nullopt;
      std::vector<Cell> room;
      const Cell a = ways_.table(edge->when_true, room)[on_true->cell];
      const Cell b = ways_.table(edge->when_false, room)[on_false->cell];
      way = {a.cost + b.cost, a.leaves + b.leaves, static_cast<std::uint32_t>(edge - edges.begin()),
             on_true->cell,   on_false->cell,      0};
      own = on_true->position * counts_.count(b) + on_false->position;
    }
    if (!at_end() || way.cost > counts_.view().bound) return std::nullopt;
    Count before = open.at_most(way.cost - 1, false, meter);
    for (const RootWay& each : open.between(way.cost, way.cost)) {
      if (each.leaves == way.leaves && each.edge == way.edge && each.on_true == way.on_true &&
          each.on_false == way.on_false) {
        return before + own;
      }
      before += each.n;
    }
    return std::nullopt;
  }

  /// Reads one subtree; none if it is not among those of the node.
  std::optional<Found> read(std::uint32_t node) {
    if (at_ >= column_.size()) return std::nullopt;
    const std::size_t at = at_++;
    std::vector<Cell> room;
    if (column_[at] < 0) {
      if (label_[at] != graph_.label[node]) return std::nullopt;
      return find(ways_.table(node, room), {graph_.leaf_cost(node), 0, 1, 0, 0});
    }
    std::vector<Edge> room_of_edges;
    const auto edges = graph_.of(node, room_of_edges);
    const auto edge = find_edge(node, edges, column_[at]);
    if (edge == edges.end()) return std::nullopt;
    const auto on_true = read(edge->when_true);
    if (!on_true) return std::nullopt;
    const auto on_false = read(edge->when_false);
    if (!on_false) return std::nullopt;
    const Cell a = ways_.table(edge->when_true, room)[on_true->cell];
    const Cell b = ways_.table(edge->when_false, room)[on_false->cell];
    Cell cell;
    cell.cost = a.cost + b.cost;
    cell.leaves = a.leaves + b.leaves;
    cell.groups = a.groups | b.groups | counts_.groups_of(edge->column);
    const auto table = ways_.table(node, room);
    auto found = find(table, cell);
    if (!found) return std::nullopt;
    for (const Way& way : ways_.of(node, table[found->cell], found->cell)) {
      if (way.edge != static_cast<std::uint32_t>(edge - edges.begin()) ||
          way.on_true != on_true->cell || way.on_false != on_false->cell) {
        continue;
      }
      found->position = way.before + on_true->position * counts_.count(b) + on_false->position;
      return found;
    }
    return std::nullopt;
  }

  [[nodiscard]] bool at_end() const { return at_ == column_.size(); }

 private:
  /// The edge that asks a column, in the view; or the end.
  [[nodiscard]] std::span<const Edge>::iterator find_edge(std::uint32_t node,
                                                          std::span<const Edge> edges,
                                                          std::int32_t column) const {
    const auto wanted = static_cast<std::uint32_t>(column);
    const auto edge =
        std::lower_bound(edges.begin(), edges.end(), wanted,
                         [](const Edge& e, std::uint32_t value) { return e.column < value; });
    const bool there = edge != edges.end() && edge->column == wanted && counts_.has(node, *edge);
    return there ? edge : edges.end();
  }

  static std::optional<Found> find(std::span<const Cell> table, const Cell& cell) {
    const auto at = std::lower_bound(table.begin(), table.end(), cell,
                                     [](const Cell& x, const Cell& y) { return x.before(y); });
    if (at == table.end() || !at->same_kind(cell)) return std::nullopt;
    return Found{static_cast<std::uint32_t>(at - table.begin()), 0};
  }

  const Counts& counts_;
  const Graph& graph_;
  std::span<const std::int32_t> column_, label_;
  Ways ways_;
  std::size_t at_ = 0;
};

}  // namespace

/// Ways between two costs are listed at once, so that neighbours are found together.
FlatTrees Counts::unrank_open(std::span<const Count> positions, Meter& meter) const {
  constexpr Count together = 1U << 14U;
  Unranker unranker(*this, meter);
  OpenRoot::Window window;
  std::vector<Count> before;  // of each way the trees before it
  Count end = 0;              // after all ways
  for (const Count position : positions) {
    if (before.empty() || position < before.front() || position >= end) {
      window = open_->around(position, together, meter);
      before.clear();
      end = window.before;
      for (const RootWay& way : window.ways) {
        before.push_back(end);
        end += way.n;
      }
    }
    const auto after = std::upper_bound(before.begin(), before.end(), position);
    const auto at = static_cast<std::size_t>(after - before.begin()) - 1;
    unranker.grow_root(window.ways[at], position - before[at]);
    unranker.out.end_tree();
    meter.step(1024);
  }
  return std::move(unranker.out);
}

FlatTrees Counts::unrank(std::span<const Count> positions, Meter& meter) const {
  if (open_ != nullptr) return unrank_open(positions, meter);
  Unranker unranker(*this, meter);
  std::vector<Cell> room;
  const auto root = table(0, room);
  std::vector<Count> before;
  std::vector<std::uint32_t> number;
  Count n = 0;
  for (std::uint32_t i = 0; i < root.size(); ++i) {
    if (!view_.fits(root[i].groups) || count(root[i]) == 0) continue;
    before.push_back(n);
    number.push_back(i);
    n += count(root[i]);
  }
  for (const Count position : positions) {
    const auto after = std::upper_bound(before.begin(), before.end(), position);
    const auto i = static_cast<std::size_t>(after - before.begin()) - 1;
    unranker.grow(0, number[i], position - before[i]);
    unranker.out.end_tree();
    meter.step(64);
  }
  return std::move(unranker.out);
}

std::optional<Count> Counts::rank(std::span<const std::int32_t> column,
                                  std::span<const std::int32_t> label, Meter& meter) const {
  if (n_ == 0) return std::nullopt;
  Ranker ranker(*this, column, label, meter);
  if (open_ != nullptr) return ranker.read_root(*open_, meter);
  const auto found = ranker.read(0);
  if (!found || !ranker.at_end()) return std::nullopt;
  std::vector<Cell> room;
  const auto root = table(0, room);
  if (!view_.fits(root[found->cell].groups) || count(root[found->cell]) == 0) {
    return std::nullopt;
  }
  Count position = found->position;
  for (std::uint32_t i = 0; i < found->cell; ++i) {
    if (view_.fits(root[i].groups)) position += count(root[i]);
  }
  return position;
}

}  // namespace orderless::rashomon
