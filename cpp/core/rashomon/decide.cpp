#include "core/rashomon/decide.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/rashomon/best.hpp"
#include "core/rashomon/counts.hpp"

namespace orderless::rashomon {

/// Numbers are too many to be tried one after the other: here every node that a row can reach has a
/// list of the numbers that some split there gives to the row, each with the cheapest such split.
/// What "gives" means is up to who combines the sides. Views that ask for groups or a number of
/// leaves are not looked at.
class NumberLists {
 public:
  NumberLists(const Graph& graph, const View& view, Meter& meter);

 protected:
  struct Entry {
    std::uint32_t place = 0;  // among the numbers
    std::int64_t cost = 0;
  };
  using List = std::vector<Entry>;

  /// Marks the nodes that the row can reach.
  void meet(const std::uint8_t* one, const std::uint8_t* zero);
  /// Makes the lists of all nodes that were met, from the last to the root. `combine` is called for
  /// every edge of a node, and lowers costs; `tidy` sees every list once.
  template <class Combine, class Tidy>
  void fill(const Combine& combine, const Tidy& tidy) {
    std::size_t n = 0;
    for (std::uint32_t node = graph_.level_start.back(); node-- > 0;) {
      List& own = lists_[node];
      own.clear();
      if (met_[node] == 0) continue;
      budget_ = reachable_.budget(graph_, node);
      for (const Edge& edge : graph_.of(node)) {
        if (reachable_.has(graph_, node, edge)) combine(edge);
      }
      collect(own);
      tidy(own);
      n += own.size();
      meter_.step(graph_.of(node).size() * 4 + 1);
    }
    held_.set(n * sizeof(Entry) + graph_.n_nodes() * 48);
  }
  /// The row goes to one side; the other may be anything.
  void only(std::uint32_t side, std::uint32_t other);
  void lower(std::uint32_t place, std::int64_t cost) {
    if (place < first_ || place >= end_ || cost > budget_ || cost >= best_[place]) return;
    if (best_[place] == unreachable) touched_.push_back(place);
    best_[place] = cost;
  }

  const Graph& graph_;
  const View& view_;
  Reachable reachable_;
  std::vector<std::int32_t> numbers_;
  std::vector<std::uint32_t> place_;     // of each node's label among the numbers
  std::uint32_t first_ = 0, end_ = 0;    // the places that are looked at
  std::vector<List> lists_;              // of splits
  std::vector<std::int64_t> any_split_;  // the cheapest of each node, whatever it says

 private:
  void find_cheapest();
  void collect(List& out);

  Meter& meter_;
  Held held_;
  std::vector<std::int64_t> best_;  // per number, for the node at hand
  std::vector<std::uint32_t> touched_;
  std::vector<std::uint8_t> met_;
  std::int64_t budget_ = 0;
};

NumberLists::NumberLists(const Graph& graph, const View& view, Meter& meter)
    : graph_(graph),
      view_(view),
      reachable_(graph, view),
      numbers_(graph.labels()),
      end_(static_cast<std::uint32_t>(numbers_.size())),
      lists_(graph.n_nodes()),
      any_split_(graph.n_nodes(), unreachable),
      meter_(meter),
      held_(meter),
      best_(numbers_.size(), unreachable),
      met_(graph.n_nodes()) {
  for (const std::int32_t label : graph.label) {
    const auto at = std::lower_bound(numbers_.begin(), numbers_.end(), label);
    place_.push_back(static_cast<std::uint32_t>(at - numbers_.begin()));
  }
  find_cheapest();
}

void NumberLists::find_cheapest() {
  for (std::uint32_t node = graph_.level_start.back(); node-- > 0;) {
    if (!reachable_.has(node)) continue;
    for (const Edge& edge : graph_.of(node)) {
      if (!reachable_.has(graph_, node, edge)) continue;
      const std::uint32_t a = edge.when_true, b = edge.when_false;
      const std::int64_t leaf_a = graph_.leaf_cost(a), leaf_b = graph_.leaf_cost(b);
      std::int64_t cost = std::min(leaf_a, any_split_[a]) + any_split_[b];
      cost = std::min(cost, any_split_[a] + leaf_b);
      if (view_.trivial || place_[a] != place_[b]) cost = std::min(cost, leaf_a + leaf_b);
      any_split_[node] = std::min(any_split_[node], cost);
    }
    meter_.step(graph_.of(node).size() + 1);
  }
}

void NumberLists::meet(const std::uint8_t* one, const std::uint8_t* zero) {
  std::fill(met_.begin(), met_.end(), std::uint8_t{0});
  met_[0] = 1;
  for (std::uint32_t node = 0; node < graph_.level_start.back(); ++node) {
    if (met_[node] == 0) continue;
    for (const Edge& edge : graph_.of(node)) {
      if (!reachable_.has(graph_, node, edge)) continue;
      if (one[edge.column] != 0) met_[edge.when_true] = 1;
      if (zero[edge.column] != 0) met_[edge.when_false] = 1;
    }
  }
}

void NumberLists::only(std::uint32_t side, std::uint32_t other) {
  const std::int64_t split = any_split_[other];
  const bool two_leaves = view_.trivial || place_[side] != place_[other];
  const std::int64_t rest = std::min(graph_.leaf_cost(other), split);
  for (const Entry& each : lists_[side]) lower(each.place, each.cost + rest);
  lower(place_[side], graph_.leaf_cost(side) + (two_leaves ? rest : split));
}

void NumberLists::collect(List& out) {
  std::sort(touched_.begin(), touched_.end());
  for (const std::uint32_t place : touched_) {
    out.push_back({place, best_[place]});
    best_[place] = unreachable;
  }
  touched_.clear();
}

namespace {

class RangeFinder : public NumberLists {
 public:
  using NumberLists::NumberLists;

  /// The labels from `first` to `last` are asked for.
  void ask(std::int32_t first, std::int32_t last) {
    const auto begin = numbers_.begin(), end = numbers_.end();
    first_ = static_cast<std::uint32_t>(std::lower_bound(begin, end, first) - begin);
    end_ = static_cast<std::uint32_t>(std::upper_bound(begin, end, last) - begin);
  }

  std::pair<std::int32_t, std::int32_t> find(const std::uint8_t* one, const std::uint8_t* zero) {
    if (!reachable_.has(0)) return {-1, -1};
    meet(one, zero);
    fill(
        [&](const Edge& edge) {
          if (one[edge.column] != 0) only(edge.when_true, edge.when_false);
          if (zero[edge.column] != 0) only(edge.when_false, edge.when_true);
        },
        [&](List& list) { thin(list); });
    std::pair<std::int32_t, std::int32_t> out{-1, -1};
    const auto add = [&](std::uint32_t place, std::int64_t cost) {
      if (cost > view_.bound || place < first_ || place >= end_) return;
      const std::int32_t label = numbers_[place];
      out.first = out.first < 0 ? label : std::min(out.first, label);
      out.second = std::max(out.second, label);
    };
    for (const Entry& each : lists_[0]) add(each.place, each.cost);
    add(place_[0], graph_.leaf_cost(0));
    return out;
  }

 private:
  /// Leaves the numbers of which no smaller one, or no larger one, is as cheap.
  void thin(List& list) {
    keep_.assign(list.size(), 0);
    std::int64_t least = unreachable;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (list[i].cost < least) {
        keep_[i] = 1;
        least = list[i].cost;
      }
    }
    least = unreachable;
    for (std::size_t i = list.size(); i-- > 0;) {
      if (list[i].cost < least) {
        keep_[i] = 1;
        least = list[i].cost;
      }
    }
    std::size_t n = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (keep_[i] != 0) list[n++] = list[i];
    }
    list.resize(n);
  }

  std::vector<std::uint8_t> keep_;
};

}  // namespace

Ranges ranges(const Graph& graph, const View& view, std::span<const std::uint8_t> may_be_one,
              std::span<const std::uint8_t> may_be_zero, std::size_t n_rows, const Windows& windows,
              Meter& meter) {
  require_written(graph);
  RangeFinder finder(graph, view, meter);
  const std::size_t d = graph.rows.n_columns;
  Ranges out;
  for (std::size_t r = 0; r < n_rows; ++r) {
    if (!windows.first.empty()) finder.ask(windows.first[r], windows.last[r]);
    const auto [low, high] = finder.find(may_be_one.data() + r * d, may_be_zero.data() + r * d);
    out.smallest.push_back(low);
    out.largest.push_back(high);
  }
  return out;
}

namespace {

/// The cheapest subtrees of every node that meet some condition: as a leaf, and as a split by
/// (leaves, groups asked), as far as the view looks at those.
struct Cheapest {
  std::vector<std::int64_t> leaf;
  std::vector<std::int64_t> split;  // node after node
};

class Decider {
 public:
  Decider(const Graph& graph, const View& view, Meter& meter)
      : graph_(graph),
        view_(view),
        masks_(view.masks(graph.rows.n_columns)),
        reachable_(graph, view),
        meter_(meter),
        held_(meter) {
    if (view.max_leaves > 0) {
      n_leaves_ = static_cast<std::size_t>(std::max<std::int64_t>(reachable_.max_leaves(0), 1)) + 1;
    }
    n_groups_ = std::size_t{1} << view.required.size();
    n_ = n_leaves_ * n_groups_;
    held_.set((n_ + 1) * graph.n_nodes() * 16);
    solve(-1, nullptr, nullptr, free_);
  }

  /// The cheapest cost of a tree that is certain of the class.
  std::int64_t cost(std::int32_t label, const std::uint8_t* may_be_one,
                    const std::uint8_t* may_be_zero) {
    if (!reachable_.has(0)) return unreachable;
    solve(label, may_be_one, may_be_zero, certain_);
    std::int64_t best = view_.required.empty() ? certain_.leaf[0] : unreachable;
    for (std::size_t s = n_groups_ - 1; s < n_; s += n_groups_) {
      best = std::min(best, certain_.split[s]);
    }
    return best <= view_.bound ? best : unreachable;
  }

 private:
  /// label -1: any tree.
  void solve(std::int32_t label, const std::uint8_t* may_be_one, const std::uint8_t* may_be_zero,
             Cheapest& out) {
    const auto n_nodes = static_cast<std::uint32_t>(graph_.n_nodes());
    out.leaf.resize(n_nodes);
    out.split.assign(n_nodes * n_, unreachable);
    for (std::uint32_t node = n_nodes; node-- > 0;) {
      const bool fits = label < 0 || graph_.label[node] == label;
      out.leaf[node] = fits ? graph_.leaf_cost(node) : unreachable;
      if (!reachable_.has(node)) continue;
      for (const Edge& edge : graph_.of(node)) {
        if (!reachable_.has(graph_, node, edge)) continue;
        const bool one = label >= 0 && may_be_one[edge.column] != 0;
        const bool zero = label >= 0 && may_be_zero[edge.column] != 0;
        // While any tree is allowed, `out` is the table of these itself.
        combine(one ? out : free_, edge.when_true, zero ? out : free_, edge.when_false, edge.column,
                out.split.data() + node * n_);
      }
      meter_.step(graph_.of(node).size() * n_ * n_ + 1);
    }
  }

  void combine(const Cheapest& a, std::uint32_t on_true, const Cheapest& b, std::uint32_t on_false,
               std::uint32_t column, std::int64_t* out) const {
    const std::uint64_t own = masks_[column];
    const bool two_leaves = view_.trivial || graph_.label[on_true] != graph_.label[on_false];
    if (n_ == 1) {
      const std::int64_t split_true = a.split[on_true], split_false = b.split[on_false];
      std::int64_t best = std::min(a.leaf[on_true], split_true) + split_false;
      best = std::min(best, split_true + b.leaf[on_false]);
      if (two_leaves) best = std::min(best, a.leaf[on_true] + b.leaf[on_false]);
      out[0] = std::min(out[0], best);
      return;
    }
    const auto lower = [&](std::size_t leaves, std::size_t groups, std::int64_t cost) {
      if (n_leaves_ > 1 && leaves >= n_leaves_) return;
      std::int64_t& at = out[(n_leaves_ > 1 ? leaves * n_groups_ : 0) + (groups | own)];
      at = std::min(at, cost);
    };
    const std::int64_t* x = a.split.data() + on_true * n_;
    const std::int64_t* y = b.split.data() + on_false * n_;
    if (two_leaves) lower(2, 0, a.leaf[on_true] + b.leaf[on_false]);
    for (std::size_t s = 0; s < n_; ++s) {
      if (y[s] < unreachable) lower(s / n_groups_ + 1, s % n_groups_, a.leaf[on_true] + y[s]);
      if (x[s] >= unreachable) continue;
      lower(s / n_groups_ + 1, s % n_groups_, x[s] + b.leaf[on_false]);
      for (std::size_t t = 0; t < n_; ++t) {
        if (y[t] >= unreachable) continue;
        lower(s / n_groups_ + t / n_groups_, s % n_groups_ | t % n_groups_, x[s] + y[t]);
      }
    }
  }

  const Graph& graph_;
  const View& view_;
  std::vector<std::uint64_t> masks_;
  Reachable reachable_;
  Meter& meter_;
  Held held_;
  std::size_t n_leaves_ = 1, n_groups_ = 1, n_ = 1;
  Cheapest free_, certain_;
};

/// The same for numbers: here a split gives a row a number if it is certain of it.
class NumberDecider : public NumberLists {
 public:
  using NumberLists::NumberLists;

  /// What the cheapest tree that is certain of the row says, -1 if none is; and its cost.
  std::pair<std::int32_t, std::int64_t> decide(const std::uint8_t* one, const std::uint8_t* zero) {
    if (!reachable_.has(0)) return {-1, -1};
    meet(one, zero);
    fill(
        [&](const Edge& edge) {
          const bool on = one[edge.column] != 0, off = zero[edge.column] != 0;
          if (on && off) {
            both(edge);
          } else {
            only(on ? edge.when_true : edge.when_false, on ? edge.when_false : edge.when_true);
          }
        },
        [](const List&) {});
    Entry best{0, unreachable};
    for (const Entry& each : lists_[0]) {
      if (each.cost < best.cost) best = each;
    }
    const std::int64_t leaf = graph_.leaf_cost(0);
    if (leaf < best.cost || (leaf == best.cost && place_[0] < best.place)) best = {place_[0], leaf};
    if (best.cost > view_.bound) return {-1, -1};
    return {numbers_[best.place], best.cost};
  }

 private:
  void both(const Edge& edge) {
    const std::uint32_t a = edge.when_true, b = edge.when_false;
    const List& x = lists_[a];
    const List& y = lists_[b];
    for (auto i = x.begin(), j = y.begin(); i != x.end() && j != y.end();) {
      if (i->place == j->place) lower(i->place, i->cost + j->cost);
      const std::uint32_t next = std::min(i->place, j->place);
      if (i->place == next) ++i;
      if (j != y.end() && j->place == next) ++j;
    }
    lower_with_leaf(x, b);
    lower_with_leaf(y, a);
    if (view_.trivial && place_[a] == place_[b]) {
      lower(place_[a], graph_.leaf_cost(a) + graph_.leaf_cost(b));
    }
  }

  void lower_with_leaf(const List& splits, std::uint32_t leaf) {
    const auto at =
        std::lower_bound(splits.begin(), splits.end(), place_[leaf],
                         [](const Entry& each, std::uint32_t place) { return each.place < place; });
    if (at == splits.end() || at->place != place_[leaf]) return;
    lower(at->place, at->cost + graph_.leaf_cost(leaf));
  }
};

/// The class of the best tree that is certain of a row, -1 if none is; and its cost.
std::pair<std::int32_t, std::int64_t> decide_class(Decider& decider, std::size_t n_classes,
                                                   const std::uint8_t* one,
                                                   const std::uint8_t* zero) {
  std::pair<std::int32_t, std::int64_t> best{-1, unreachable};
  for (std::int32_t c = 0; c < static_cast<std::int32_t>(n_classes); ++c) {
    const std::int64_t own = decider.cost(c, one, zero);
    if (own < best.second) best = {c, own};
  }
  return best.first < 0 ? std::pair<std::int32_t, std::int64_t>{-1, -1} : best;
}

}  // namespace

Decisions decide(const Graph& graph, const View& view, std::span<const std::uint8_t> may_be_one,
                 std::span<const std::uint8_t> may_be_zero, std::size_t n_rows, Meter& meter) {
  require_written(graph);
  std::optional<Decider> by_class;
  std::optional<NumberDecider> by_number;
  if (graph.rows.target.has_numbers()) {
    by_number.emplace(graph, view, meter);
  } else {
    by_class.emplace(graph, view, meter);
  }
  Decisions out;
  const std::size_t d = graph.rows.n_columns;
  // Equal rows are decided once.
  const std::size_t n_words = (2 * d + 63) / 64;
  const Namer namer(n_words);
  Numbers numbers;
  std::vector<std::int32_t> label;
  std::vector<std::int64_t> cost;
  Words key(n_words);
  for (std::size_t r = 0; r < n_rows; ++r) {
    std::fill(key.begin(), key.end(), 0);
    const std::uint8_t* one = may_be_one.data() + r * d;
    const std::uint8_t* zero = may_be_zero.data() + r * d;
    for (std::size_t j = 0; j < d; ++j) {
      if (one[j] != 0) key[j / 64] |= std::uint64_t{1} << (j % 64);
      if (zero[j] != 0) key[(d + j) / 64] |= std::uint64_t{1} << ((d + j) % 64);
    }
    const auto [number, is_new] = numbers.add(namer.name(key.data()));
    if (is_new) {
      const auto [said, at] = by_number ? by_number->decide(one, zero)
                                        : decide_class(*by_class, graph.rows.n_classes, one, zero);
      label.push_back(said);
      cost.push_back(at);
    }
    out.label.push_back(label[number]);
    out.cost.push_back(cost[number]);
  }
  return out;
}

}  // namespace orderless::rashomon
