#include "core/rashomon/at_least.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <vector>

#include "core/base/hash.hpp"
#include "core/rashomon/faces.hpp"

namespace orderless::rashomon {

namespace {

constexpr std::uint32_t n_hashes = 64;  // of trees, where these are told apart
constexpr std::size_t most_grid = std::size_t{1} << 20U;
constexpr std::uint32_t no_rank = 0xffffffffU;  // of a question that the trees do not ask

/// So many trees of one kind.
struct Kind {
  std::int64_t errors = 0;
  std::int32_t leaves = 0;
  std::uint32_t hash = 0;  // trees of different hashes are different
  Count n = 0;

  [[nodiscard]] auto key() const { return std::tuple(errors, leaves, hash); }
};

/// The trees of a node: by the place of the feature that they begin with, the last first.
struct KindTable {
  bool hashed = true;  // else every hash is 0
  std::vector<Kind> kinds;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranks;  // place, and where its kinds end
};

/// Per column the place of its feature in the order; no_rank: it is another name of a question.
/// First the features by which the root can be split best.
std::vector<std::uint32_t> ranks_of(const Graph& graph, const SpaceMeasure& measure) {
  std::vector<FeatureQuestions> features = questions(measure);
  // Within a part of the space, two questions about a category can be one.
  for (FeatureQuestions& each : features) {
    if (!each.nested) each.columns.resize(1);
  }
  std::vector<std::pair<std::int64_t, std::size_t>> order;
  std::vector<std::size_t> feature_of(graph.rows.n_columns, features.size());
  for (std::size_t f = 0; f < features.size(); ++f) {
    order.emplace_back(std::numeric_limits<std::int64_t>::max(), f);
    for (const std::size_t column : features[f].columns) feature_of[column] = f;
  }
  std::vector<Edge> room;
  for (const Edge& edge : graph.of(0, room)) {
    const std::size_t f = feature_of[edge.column];
    if (f == features.size()) continue;
    order[f].first =
        std::min(order[f].first, graph.best[edge.when_true] + graph.best[edge.when_false]);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::uint32_t> out(graph.rows.n_columns, no_rank);
  for (std::size_t place = 0; place < order.size(); ++place) {
    for (const std::size_t column : features[order[place].second].columns) {
      out[column] = static_cast<std::uint32_t>(place);
    }
  }
  return out;
}

class AtLeast {
 public:
  AtLeast(const Graph& graph, const View& view, const SpaceMeasure& measure, std::size_t most_cells,
          Meter& meter)
      : graph_(graph),
        reachable_(graph, view),
        rank_(ranks_of(graph, measure)),
        most_cells_(most_cells),
        meter_(meter) {}

  Count root() {
    if (!reachable_.has(0)) return 0;
    tables_.resize(graph_.level_start.back());
    chosen_.resize(tables_.size());
    Held held(meter_);
    std::size_t bytes = tables_.size() * (sizeof(KindTable) + sizeof(std::vector<Kind>));
    for (std::uint32_t node = graph_.level_start.back(); node-- > 0;) {
      if (!reachable_.has(node)) continue;
      if (!fill(node, tables_[node])) return 0;
      choose(node, chosen_[node]);
      bytes += (tables_[node].kinds.size() + chosen_[node].size()) * sizeof(Kind);
      held.set(bytes + tables_[node].ranks.size() * 8 + 3 * grid_.size() * sizeof(Count));
    }
    Count sum = 0;
    for (const Kind& kind : chosen(0, on_true_)) sum += kind.n;
    return sum;
  }

 private:
  [[nodiscard]] std::int64_t cost(const Kind& kind) const {
    return graph_.costs.of(kind.errors, kind.leaves);
  }

  /// The trees of a node that begin with features after one, by cost; `every`: with any.
  const std::vector<Kind>& after(std::uint32_t node, std::uint32_t rank, bool every,
                                 std::vector<Kind>& out) const {
    out.clear();
    if (graph_.leaf_cost(node) <= reachable_.budget(graph_, node) &&
        reachable_.max_leaves(node) >= 1) {
      const auto label = static_cast<std::uint64_t>(graph_.label[node]);
      out.push_back({graph_.errors[node], 1, static_cast<std::uint32_t>(mix(label) % n_hashes), 1});
    }
    if (node >= tables_.size()) return out;
    const KindTable& table = tables_[node];
    std::uint32_t begin = 0;
    for (const auto& [place, end] : table.ranks) {
      if (!every && place <= rank) break;
      out.insert(out.end(), table.kinds.begin() + begin, table.kinds.begin() + end);
      begin = end;
    }
    join_equal(out);
    std::sort(out.begin(), out.end(),
              [this](const Kind& a, const Kind& b) { return cost(a) < cost(b); });
    return out;
  }

  static void join_equal(std::vector<Kind>& kinds) {
    std::sort(kinds.begin(), kinds.end(),
              [](const Kind& a, const Kind& b) { return a.key() < b.key(); });
    std::size_t n = 0;
    for (const Kind& kind : kinds) {
      if (n != 0 && kinds[n - 1].key() == kind.key()) {
        kinds[n - 1].n += kind.n;
      } else {
        kinds[n++] = kind;
      }
    }
    kinds.resize(n);
  }

  [[nodiscard]] bool is_hashed(std::uint32_t node) const {
    return node >= tables_.size() || tables_[node].hashed;
  }

  /// Makes the table of a node; false where it would be too long.
  bool fill(std::uint32_t node, KindTable& out) {
    const std::int64_t budget = reachable_.budget(graph_, node);
    most_leaves_ = std::max<std::int64_t>(reachable_.max_leaves(node), 1);
    if (graph_.costs.leaf > 0) {
      most_leaves_ = std::min(most_leaves_, std::max<std::int64_t>(budget / graph_.costs.leaf, 1));
    }
    low_ = std::max<std::int64_t>(
        0, (graph_.best[node] - graph_.costs.leaf * most_leaves_) / graph_.costs.error);
    const std::int64_t high = (budget - graph_.costs.leaf) / graph_.costs.error;
    if (high < low_) return true;
    const auto n_errors = static_cast<std::uint64_t>(high - low_ + 1);
    const std::uint64_t size = n_errors * static_cast<std::uint64_t>(most_leaves_) * n_hashes;
    if (n_errors > most_grid || size > most_grid) return false;
    if (grid_.size() < size) grid_.resize(size);
    collect(node);
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      const Edge& edge = edges_[e];
      out.hashed = out.hashed && is_hashed(edge.when_true) && is_hashed(edge.when_false);
      const std::uint32_t rank = rank_[edge.column];
      join(edge, rank, budget);
      if (e + 1 < edges_.size() && rank_[edges_[e + 1].column] == rank) continue;
      take(out.kinds);
      out.ranks.emplace_back(rank, static_cast<std::uint32_t>(out.kinds.size()));
    }
    if (out.kinds.size() > most_cells_) out.hashed = false;
    if (!out.hashed) forget(out);
    out.kinds.shrink_to_fit();
    return true;
  }

  /// The splits of a node that the trees may have, the last feature first.
  void collect(std::uint32_t node) {
    edges_.clear();
    for (const Edge& edge : graph_.of(node, edge_room_)) {
      if (rank_[edge.column] == no_rank || !reachable_.has(graph_, node, edge)) continue;
      edges_.push_back(edge);
    }
    std::stable_sort(edges_.begin(), edges_.end(), [this](const Edge& a, const Edge& b) {
      return rank_[a.column] > rank_[b.column];
    });
  }

  void join(const Edge& edge, std::uint32_t rank, std::int64_t budget) {
    const bool hashed = is_hashed(edge.when_true) && is_hashed(edge.when_false);
    after(edge.when_true, rank, false, on_true_);
    after(edge.when_false, rank, false, on_false_);
    for (const Kind& a : on_true_) {
      const std::int64_t left = budget - cost(a);
      const std::uint64_t own = mix(std::uint64_t{edge.column} * n_hashes + a.hash + 1);
      meter_.step(on_false_.size() / 8 + 1);
      for (const Kind& b : on_false_) {
        if (cost(b) > left) break;
        if (a.leaves + b.leaves > most_leaves_) continue;
        Count n = a.n * b.n;
        // At most so many pairs are twice the same tree. Leaves are known by their labels.
        if (a.leaves == b.leaves && (!hashed || a.hash == b.hash)) {
          if (a.leaves > 1 || same_leaf(edge)) n -= std::min(a.n, b.n);
        }
        if (n == Count{0}) continue;
        const auto hash = static_cast<std::uint32_t>(mix(own + b.hash) % n_hashes);
        add(a.errors + b.errors, a.leaves + b.leaves, hash, n);
      }
    }
  }

  [[nodiscard]] bool same_leaf(const Edge& edge) const {
    return graph_.label[edge.when_true] == graph_.label[edge.when_false];
  }

  void add(std::int64_t errors, std::int32_t leaves, std::uint32_t hash, const Count& n) {
    const auto row =
        static_cast<std::size_t>(errors - low_) * static_cast<std::size_t>(most_leaves_) +
        static_cast<std::size_t>(leaves - 1);
    const std::size_t at = row * n_hashes + hash;
    if (grid_[at] == Count{0}) touched_.push_back(at);
    grid_[at] += n;
  }

  /// Moves what was added to a list.
  void take(std::vector<Kind>& out) {
    const auto width = static_cast<std::size_t>(most_leaves_);
    for (const std::size_t at : touched_) {
      const std::size_t row = at / n_hashes;
      out.push_back({low_ + static_cast<std::int64_t>(row / width),
                     static_cast<std::int32_t>(row % width + 1),
                     static_cast<std::uint32_t>(at % n_hashes), grid_[at]});
      grid_[at] = 0;
    }
    touched_.clear();
  }

  /// Makes trees of one size and number of errors one kind.
  static void forget(KindTable& table) {
    std::vector<Kind> all, some;
    std::uint32_t begin = 0;
    for (auto& [place, end] : table.ranks) {
      some.assign(table.kinds.begin() + begin, table.kinds.begin() + end);
      begin = end;
      for (Kind& kind : some) kind.hash = 0;
      join_equal(some);
      all.insert(all.end(), some.begin(), some.end());
      end = static_cast<std::uint32_t>(all.size());
    }
    table.kinds = std::move(all);
  }

  // -- of each number of errors, the trees of one question or of one order ----------------------

  /// The trees that were chosen for a node, by cost.
  const std::vector<Kind>& chosen(std::uint32_t node, std::vector<Kind>& room) const {
    if (node < tables_.size() && !chosen_[node].empty()) return chosen_[node];
    return after(node, no_rank, true, room);
  }

  /// Functions that make different numbers of errors differ; so, for each number, those trees are
  /// taken that are most: the ones in order, or the ones with one question at the root whose sides
  /// were chosen likewise.
  void choose(std::uint32_t node, std::vector<Kind>& out) {
    out = after(node, no_rank, true, on_true_);
    for (Kind& kind : out) kind.hash = 0;
    join_equal(out);
    const auto by_cost = [this](const Kind& a, const Kind& b) { return cost(a) < cost(b); };
    if (node >= graph_.level_start[static_cast<std::size_t>(std::max(graph_.depth - 1, 0))]) {
      std::sort(out.begin(), out.end(), by_cost);
      return;
    }
    const std::int64_t budget = reachable_.budget(graph_, node);
    std::vector<Kind> some;
    for (const Edge& edge : graph_.of(node, edge_room_)) {
      if (!reachable_.has(graph_, node, edge)) continue;
      const std::vector<Kind>& yes = chosen(edge.when_true, on_true_);
      const std::vector<Kind>& no = chosen(edge.when_false, on_false_);
      for (const Kind& a : yes) {
        meter_.step(no.size() / 8 + 1);
        for (const Kind& b : no) {
          if (cost(a) + cost(b) > budget) break;
          if (a.leaves + b.leaves > most_leaves_) continue;
          add(a.errors + b.errors, a.leaves + b.leaves, 0, a.n * b.n);
        }
      }
      some.clear();
      take(some);
      join_equal(some);
      take_better(some, out);
    }
    std::sort(out.begin(), out.end(), by_cost);
  }

  /// Of each number of errors the one of two that has more. Both rise by errors.
  static void take_better(const std::vector<Kind>& other, std::vector<Kind>& kinds) {
    std::vector<Kind> out;
    auto a = kinds.begin();
    auto b = other.begin();
    while (a != kinds.end() || b != other.end()) {
      const std::int64_t errors = a == kinds.end()   ? b->errors
                                  : b == other.end() ? a->errors
                                                     : std::min(a->errors, b->errors);
      Count in_a = 0, in_b = 0;
      const auto first_a = a;
      const auto first_b = b;
      for (; a != kinds.end() && a->errors == errors; ++a) in_a += a->n;
      for (; b != other.end() && b->errors == errors; ++b) in_b += b->n;
      if (in_b > in_a) {
        out.insert(out.end(), first_b, b);
      } else {
        out.insert(out.end(), first_a, a);
      }
    }
    kinds = std::move(out);
  }

  const Graph& graph_;
  Reachable reachable_;
  std::vector<std::uint32_t> rank_;
  std::size_t most_cells_;
  Meter& meter_;
  std::vector<KindTable> tables_;
  std::vector<std::vector<Kind>> chosen_;

  // The node at hand.
  std::int64_t low_ = 0, most_leaves_ = 0;
  std::vector<Count> grid_;  // by errors, leaves, hash; zero between features
  std::vector<std::size_t> touched_;
  std::vector<Kind> on_true_, on_false_;
  std::vector<Edge> edges_, edge_room_;
};

}  // namespace

Count distinct_at_least(const Graph& graph, const View& view, const SpaceMeasure& measure,
                        std::size_t most_cells, Meter& meter) {
  return AtLeast(graph, view, measure, most_cells, meter).root();
}

}  // namespace orderless::rashomon
