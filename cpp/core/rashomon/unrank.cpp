#include <algorithm>
#include <unordered_map>

#include "core/rashomon/counts.hpp"
#include "core/rashomon/open_root.hpp"

namespace orderless::rashomon {

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
