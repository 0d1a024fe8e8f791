#include "core/rashomon/decide.hpp"

#include <algorithm>

#include "core/rashomon/best.hpp"

namespace orderless::rashomon {

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
    const std::uint32_t own = masks_[column];
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
  std::vector<std::uint32_t> masks_;
  Reachable reachable_;
  Meter& meter_;
  Held held_;
  std::size_t n_leaves_ = 1, n_groups_ = 1, n_ = 1;
  Cheapest free_, certain_;
};

}  // namespace

Decisions decide(const Graph& graph, const View& view, std::span<const std::uint8_t> may_be_one,
                 std::span<const std::uint8_t> may_be_zero, std::size_t n_rows, Meter& meter) {
  Decider decider(graph, view, meter);
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
      std::int64_t best = unreachable;
      label.push_back(-1);
      for (std::int32_t c = 0; c < static_cast<std::int32_t>(graph.rows.n_classes); ++c) {
        const std::int64_t own = decider.cost(c, one, zero);
        if (own >= best) continue;
        best = own;
        label.back() = c;
      }
      cost.push_back(label.back() < 0 ? -1 : best);
    }
    out.label.push_back(label[number]);
    out.cost.push_back(cost[number]);
  }
  return out;
}

}  // namespace orderless::rashomon
