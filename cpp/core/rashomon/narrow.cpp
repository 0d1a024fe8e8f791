#include "core/rashomon/narrow.hpp"

#include <algorithm>

#include "core/rashomon/best.hpp"

namespace orderless::rashomon {

namespace {

constexpr std::uint32_t leaf_mark = 0x80000000U;  // marks leaves while their numbers are not final

/// Whether both sides of every edge of a graph have training rows of some weight. A subtree needs
/// as much as a leaf, so nothing else has to be looked at.
std::vector<std::uint8_t> heavy_edges(const Graph& graph, std::int64_t least, Meter& meter) {
  const Rows& rows = graph.rows;
  std::vector<std::uint8_t> out(graph.edges.size(), 1);
  if (least <= 0) return out;
  const std::uint32_t n_inner = graph.level_start.back();
  std::vector<std::uint32_t> parent(n_inner, 0);
  std::vector<std::int32_t> literal(n_inner, -1);  // 2 column + (is 0)
  Words support(rows.n_words), side(rows.n_words);
  std::vector<std::int64_t> weights(rows.n_classes);
  const auto cut = [&](const Words& from, std::uint32_t column, bool is_one, Words& to) {
    const std::uint64_t* bits = rows.column(column);
    const std::uint64_t flip = is_one ? 0 : ~std::uint64_t{0};
    for (std::size_t w = 0; w < to.size(); ++w) to[w] = from[w] & (bits[w] ^ flip);
  };
  for (std::uint32_t node = 0; node < n_inner; ++node) {
    support = rows.all;
    for (std::uint32_t up = node; up != 0; up = parent[up]) {
      cut(support, static_cast<std::uint32_t>(literal[up] / 2), literal[up] % 2 == 0, support);
    }
    for (std::size_t e = graph.edge_start[node]; e < graph.edge_start[node + 1]; ++e) {
      const Edge& edge = graph.edges[e];
      for (const bool is_one : {true, false}) {
        const std::uint32_t child = is_one ? edge.when_true : edge.when_false;
        if (child < n_inner && literal[child] < 0) {
          parent[child] = node;
          literal[child] = static_cast<std::int32_t>(2 * edge.column + (is_one ? 0 : 1));
        }
        cut(support, edge.column, is_one, side);
        class_weights(rows, side.data(), weights.data());
        if (rows.leaf(weights.data()).weight < least) out[e] = 0;
      }
      meter.step(rows.n_words);
    }
  }
  return out;
}

/// A node of the graph with what its trees still have to meet.
struct State {
  std::uint32_t node = 0;
  std::int32_t question = -1;  // that is due; -1: none
  std::int64_t left = -1;      // to pay for features; -1: as much as one likes
};

/// The states of one depth, while they are met.
struct StateLevel {
  Numbers numbers;
  std::vector<State> states;
  Words paid;  // features, state after state
  std::vector<std::size_t> edge_start;
  std::vector<Edge> edges;  // children: in the next level, or leaves of the old graph

  [[nodiscard]] std::size_t bytes() const {
    return numbers.bytes() + states.capacity() * sizeof(State) + paid.capacity() * 8 +
           edge_start.capacity() * 8 + edges.capacity() * sizeof(Edge) + states.size() * 17;
  }

  // What is left in the end.
  std::vector<std::int64_t> best, budget;
  std::vector<std::uint8_t> kept;  // per edge
};

class Narrower {
 public:
  Narrower(const Graph& old, const Narrowing& narrowing, Meter& meter)
      : old_(old),
        narrowing_(narrowing),
        meter_(meter),
        held_(meter),
        heavy_(heavy_edges(old, narrowing.least_weight, meter)),
        n_words_(words_for(narrowing.price.size())),
        namer_(3 + n_words_),
        levels_(static_cast<std::size_t>(old.depth) + 1) {
    if (pays()) find_asked();
  }

  Graph run() {
    State root;
    root.question = narrowing_.first.empty() ? -1 : 0;
    root.left = pays() ? narrowing_.most_paid : -1;
    static_cast<void>(meet(0, root, Words(n_words_, 0)));
    for (std::size_t at = 0; at < levels_.size(); ++at) expand(at);
    find_best();
    find_budgets();
    return finish();
  }

 private:
  [[nodiscard]] bool pays() const { return !narrowing_.feature.empty(); }
  [[nodiscard]] bool leaf_of_old(std::uint32_t node) const {
    return node >= old_.level_start.back();
  }
  [[nodiscard]] std::size_t feature_of(std::uint32_t column) const {
    return static_cast<std::size_t>(narrowing_.feature[column]);
  }

  /// The features with a price that are asked below each node.
  void find_asked() {
    asked_.assign(old_.n_nodes() * n_words_, 0);
    for (std::uint32_t node = old_.level_start.back(); node-- > 0;) {
      std::uint64_t* own = asked_.data() + node * n_words_;
      for (const Edge& edge : old_.of(node)) {
        for (std::size_t w = 0; w < n_words_; ++w) {
          own[w] |= asked_[edge.when_true * n_words_ + w] | asked_[edge.when_false * n_words_ + w];
        }
        const std::size_t f = feature_of(edge.column);
        if (narrowing_.price[f] > 0) set_bit(own, f);
      }
      meter_.step(old_.of(node).size() * n_words_ + 1);
    }
  }

  /// Forgets what does not matter below: features that are not asked there, and the limit where
  /// all that is asked can be paid for.
  void simplify(State& state, Words& paid) const {
    if (state.left < 0) return;
    const std::uint64_t* asked = asked_.data() + state.node * n_words_;
    std::int64_t due = 0;
    for (std::size_t w = 0; w < n_words_; ++w) paid[w] &= asked[w];
    for (std::size_t f = 0; f < narrowing_.price.size(); ++f) {
      if (!has_bit(asked, f) || has_bit(paid, f)) continue;
      due = std::min(due + narrowing_.price[f], unreachable);
    }
    if (due > state.left) return;
    state.left = -1;
    std::fill(paid.begin(), paid.end(), 0);
  }

  std::uint32_t meet(std::size_t at, State state, Words paid) {
    simplify(state, paid);
    key_.assign({state.node, static_cast<std::uint64_t>(static_cast<std::int64_t>(state.question)),
                 static_cast<std::uint64_t>(state.left)});
    key_.insert(key_.end(), paid.begin(), paid.end());
    StateLevel& level = levels_[at];
    const auto [number, is_new] = level.numbers.add(namer_.name(key_.data()));
    if (is_new) {
      if (number >= leaf_mark - 1) throw MemoryLimit(meter_.limit());
      level.states.push_back(state);
      level.paid.insert(level.paid.end(), paid.begin(), paid.end());
    }
    return number;
  }

  void expand(std::size_t at) {
    Words paid(n_words_);
    for (std::size_t i = 0; i < levels_[at].states.size(); ++i) {
      StateLevel& level = levels_[at];
      const State state = level.states[i];
      std::copy_n(level.paid.begin() + static_cast<std::ptrdiff_t>(i * n_words_), n_words_,
                  paid.begin());
      level.edge_start.push_back(level.edges.size());
      for (std::size_t e = old_.edge_start[state.node]; e < old_.edge_start[state.node + 1]; ++e) {
        follow(at, state, paid, e);
      }
      meter_.step(old_.of(state.node).size() * (4 + n_words_) + 1);
      if (i % 256 == 0) hold();
    }
    levels_[at].edge_start.push_back(levels_[at].edges.size());
    levels_[at].numbers = {};
    levels_[at].paid = {};
    hold();
  }

  void hold() {
    std::size_t bytes = heavy_.size() + asked_.size() * 8;
    for (const StateLevel& level : levels_) bytes += level.bytes();
    held_.set(bytes);
  }

  /// Adds an edge of the old graph to a state, if its trees may ask that.
  void follow(std::size_t at, const State& state, const Words& paid, std::size_t e) {
    if (heavy_[e] == 0) return;
    const Edge& edge = old_.edges[e];
    State on_true{edge.when_true, -1, state.left}, on_false{edge.when_false, -1, state.left};
    if (state.question >= 0) {
      const Question& question = narrowing_.first[static_cast<std::size_t>(state.question)];
      if (question.columns[edge.column] == 0) return;
      on_true.question = question.when_true;
      on_false.question = question.when_false;
    }
    if (leaf_of_old(edge.when_true) && on_true.question >= 0) return;
    if (leaf_of_old(edge.when_false) && on_false.question >= 0) return;
    Words after = paid;
    if (state.left >= 0) {
      const std::size_t f = feature_of(edge.column);
      if (narrowing_.price[f] > 0 && !has_bit(paid, f)) {
        if (narrowing_.price[f] > state.left) return;
        on_true.left = on_false.left = state.left - narrowing_.price[f];
        set_bit(after, f);
      }
    }
    const auto child = [&](const State& side) {
      return leaf_of_old(side.node) ? side.node | leaf_mark : meet(at + 1, side, after);
    };
    const std::uint32_t one = child(on_true), zero = child(on_false);
    levels_[at].edges.push_back({edge.column, one, zero});
  }

  [[nodiscard]] std::int64_t best_of(std::size_t at, std::uint32_t child) const {
    if ((child & leaf_mark) != 0) return old_.best[child & ~leaf_mark];
    return levels_[at + 1].best[child];
  }

  void find_best() {
    // A tree that is one leaf has to be heavy enough, too.
    std::vector<std::int64_t> weights(old_.rows.n_classes);
    class_weights(old_.rows, old_.rows.all.data(), weights.data());
    root_is_light_ = old_.rows.leaf(weights.data()).weight < narrowing_.least_weight;
    for (std::size_t at = levels_.size(); at-- > 0;) {
      StateLevel& level = levels_[at];
      for (std::size_t i = 0; i < level.states.size(); ++i) {
        std::int64_t best = as_leaf(at, level.states[i]);
        for (std::size_t e = level.edge_start[i]; e < level.edge_start[i + 1]; ++e) {
          const Edge& edge = level.edges[e];
          best = std::min(best, best_of(at, edge.when_true) + best_of(at, edge.when_false));
        }
        level.best.push_back(best);
      }
    }
  }

  /// What a state costs as a leaf.
  [[nodiscard]] std::int64_t as_leaf(std::size_t at, const State& state) const {
    if (state.question >= 0 || (at == 0 && root_is_light_)) return unreachable;
    return old_.leaf_cost(state.node);
  }

  void find_budgets() {
    for (StateLevel& level : levels_) {
      level.budget.assign(level.states.size(), -1);  // -1: not met within the bound
      level.kept.assign(level.edges.size(), 0);
    }
    levels_[0].budget[0] = old_.bound;
    for (std::size_t at = 0; at < levels_.size(); ++at) {
      StateLevel& level = levels_[at];
      for (std::size_t i = 0; i < level.states.size(); ++i) {
        const std::int64_t budget = level.budget[i];
        if (budget < 0) continue;
        for (std::size_t e = level.edge_start[i]; e < level.edge_start[i + 1]; ++e) {
          const Edge& edge = level.edges[e];
          const std::int64_t on_true = best_of(at, edge.when_true);
          const std::int64_t on_false = best_of(at, edge.when_false);
          if (on_true + on_false > budget) continue;
          level.kept[e] = 1;
          raise(at, edge.when_true, budget - on_false);
          raise(at, edge.when_false, budget - on_true);
        }
      }
    }
  }

  void raise(std::size_t at, std::uint32_t child, std::int64_t budget) {
    if ((child & leaf_mark) != 0) return;
    std::int64_t& own = levels_[at + 1].budget[child];
    own = std::max(own, budget);
  }

  std::uint32_t intern(std::int32_t label, std::int64_t errors) {
    const Key key{static_cast<std::uint64_t>(errors) * 0x9e3779b97f4a7c15U,
                  static_cast<std::uint64_t>(label)};
    const auto [number, is_new] = leaves_.add(key);
    if (is_new) leaf_.emplace_back(label, errors);
    return number | leaf_mark;
  }

  /// Numbers for good, as build_graph gives them: level after level without mere leaves, then they.
  Graph finish() {
    Graph out;
    out.rows = old_.rows;
    out.costs = old_.costs;
    out.depth = old_.depth;
    out.optimum = old_.optimum;
    out.bound = old_.bound;
    std::vector<std::vector<std::uint32_t>> number(levels_.size());
    std::uint32_t n = 0;
    for (std::size_t at = 0; at < levels_.size(); ++at) {
      const StateLevel& level = levels_[at];
      out.level_start.push_back(n);
      for (std::size_t i = 0; i < level.states.size(); ++i) {
        number[at].push_back(number_of(at, i, n));
      }
    }
    out.level_start.push_back(n);
    for (std::size_t at = 0; at < levels_.size(); ++at) {
      const auto final = [&](std::uint32_t child) {
        if ((child & leaf_mark) != 0) {
          child = intern(old_.label[child & ~leaf_mark], old_.errors[child & ~leaf_mark]);
        } else {
          child = number[at + 1][child];
        }
        return (child & leaf_mark) != 0 ? n + (child & ~leaf_mark) : child;
      };
      add_level(at, number[at], final, out);
    }
    for (const auto& [label, errors] : leaf_) {
      out.label.push_back(label);
      out.errors.push_back(errors);
      out.budget.push_back(unreachable);
      out.best.push_back(out.costs.of(errors, 1));
      out.edge_start.push_back(out.edges.size());
    }
    out.edge_start.push_back(out.edges.size());
    held_.set(out.bytes());
    return out;
  }

  /// The number of a state, if it is met: of its own if it has edges, or is the root.
  std::uint32_t number_of(std::size_t at, std::size_t i, std::uint32_t& n) {
    const StateLevel& level = levels_[at];
    const auto begin = level.kept.begin() + static_cast<std::ptrdiff_t>(level.edge_start[i]);
    const auto end = level.kept.begin() + static_cast<std::ptrdiff_t>(level.edge_start[i + 1]);
    if (at == 0 || std::find(begin, end, 1) != end) return n++;
    const std::uint32_t node = level.states[i].node;
    return level.budget[i] < 0 ? leaf_mark : intern(old_.label[node], old_.errors[node]);
  }

  template <class Final>
  void add_level(std::size_t at, const std::vector<std::uint32_t>& number, const Final& final,
                 Graph& out) {
    StateLevel& level = levels_[at];
    for (std::size_t i = 0; i < level.states.size(); ++i) {
      if ((number[i] & leaf_mark) != 0) continue;
      const State& state = level.states[i];
      const bool splits = as_leaf(at, state) == unreachable;
      out.label.push_back(old_.label[state.node]);
      // Beyond reach as a leaf, and far from leaving 62 bits.
      out.errors.push_back(splits ? unreachable / out.costs.error + 1 : old_.errors[state.node]);
      out.budget.push_back(level.budget[i]);
      out.best.push_back(std::min(level.best[i], unreachable));
      out.edge_start.push_back(out.edges.size());
      for (std::size_t e = level.edge_start[i]; e < level.edge_start[i + 1]; ++e) {
        if (level.kept[e] == 0) continue;
        const Edge& edge = level.edges[e];
        out.edges.push_back({edge.column, final(edge.when_true), final(edge.when_false)});
      }
    }
    level.edges = {};
  }

  const Graph& old_;
  const Narrowing& narrowing_;
  Meter& meter_;
  Held held_;
  std::vector<std::uint8_t> heavy_;  // per edge of the old graph
  std::size_t n_words_;
  Namer namer_;
  std::vector<StateLevel> levels_;
  Words asked_;
  Words key_;
  bool root_is_light_ = false;
  Numbers leaves_;
  std::vector<std::pair<std::int32_t, std::int64_t>> leaf_;
};

}  // namespace

Graph narrow(const Graph& graph, const Narrowing& narrowing, Meter& meter) {
  require_written(graph);
  return Narrower(graph, narrowing, meter).run();
}

}  // namespace orderless::rashomon
