#include "core/importance/orders.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "core/base/errors.hpp"
#include "core/base/wide.hpp"
#include "core/bins/residual.hpp"

namespace orderless::importance {

namespace {

using Id = Residuals::Id;
using Question = Residuals::Question;

constexpr std::size_t nodes_per_state = 50;
constexpr std::int32_t most_depth = 500;  // of recursion: conditions on one path
constexpr int most_rounds = 100;          // Dinkelbach's way takes less than ten
constexpr double rounding = 0x1p-42;      // of means, relative to the size of what is summed

double log_or_zero(double x) { return x > 0.0 ? std::log2(x) : 0.0; }

struct Key {
  std::int32_t function;
  std::uint64_t first, second;  // of the rows
  bool operator==(const Key&) const = default;
};

struct KeyHash {
  std::size_t operator()(const Key& key) const {
    return static_cast<std::size_t>(key.first ^ scatter(static_cast<std::uint64_t>(key.function)));
  }
};

/// A split of a state, by its sides' numbers; 0 is a leaf.
struct Edge {
  std::int32_t feature, yes, no;
  double gain;
};

/// The graph of all states, each after the states that it leads to.
class Graph {
 public:
  Graph(Residuals& residuals, const ClassRows& rows, Criterion criterion, std::size_t limit,
        const PollFunction& poll)
      : residuals_(residuals),
        rows_(rows),
        criterion_(criterion),
        limit_(limit),
        most_nodes_(residuals.size() + nodes_per_state * limit),
        poll_(poll) {
    std::vector<std::uint32_t> all(rows.weight.size() / std::max<std::size_t>(rows.n_classes, 1));
    for (std::size_t r = 0; r < all.size(); ++r) all[r] = static_cast<std::uint32_t>(r);
    root_ = visit(residuals.root(), all, 0);
  }

  [[nodiscard]] std::size_t size() const { return start_.size() - 1; }
  [[nodiscard]] std::size_t root() const { return at(root_); }
  [[nodiscard]] std::span<const Edge> edges(std::size_t state) const {
    return {edges_.data() + start_[state], start_[state + 1] - start_[state]};
  }

  /// Whether a tree asks only what matters where it asks.
  [[nodiscard]] bool asks_well(Id id) {
    std::vector<Id> todo{id};
    while (!todo.empty()) {
      const Id here = todo.back();
      todo.pop_back();
      if (residuals_.is_leaf(here)) continue;
      const Residuals::Node node = residuals_.node(here);
      const Questions legal = questions(residuals_, here);
      const bool sets = !residuals_.features()[at(node.feature)].ordered;
      const bool found = std::any_of(legal.list.begin(), legal.list.end(), [&](const Question& q) {
        if (q == static_cast<const Question&>(node)) return true;
        return sets && q.feature == node.feature && q.a == node.b && q.b == node.a;
      });
      if (!found) return false;
      todo.push_back(node.yes);
      todo.push_back(node.no);
    }
    return true;
  }

 private:
  struct Function {
    Id tree;
    std::vector<Residuals::Live> live;
    std::vector<Question> questions;
  };

  /// The number of a residual's function; questions are worked out once for each.
  std::int32_t function(Id tree) {
    if (const auto found = of_tree_.find(tree); found != of_tree_.end()) return found->second;
    std::vector<Residuals::Live> live = residuals_.live(tree);
    std::vector<std::int32_t>& known = by_print_[residuals_.fingerprint(tree)];
    for (const std::int32_t f : known) {
      if (functions_[at(f)].live == live && residuals_.same(functions_[at(f)].tree, tree)) {
        of_tree_.emplace(tree, f);
        return f;
      }
    }
    Questions found = questions(residuals_, tree);
    if (!found.complete) throw TooManySets();
    const auto number = static_cast<std::int32_t>(functions_.size());
    known.push_back(number);
    of_tree_.emplace(tree, number);
    functions_.push_back({tree, std::move(live), std::move(found.list)});
    return number;
  }

  [[nodiscard]] bool holds(const Question& question, std::uint32_t row) const {
    const std::size_t n = residuals_.features().size();
    const std::int32_t bin = rows_.bins[row * n + at(question.feature)];
    const BinFeature& feature = residuals_.features()[at(question.feature)];
    if (feature.ordered) return bin == feature.n_bins ? question.b == 1 : bin <= question.a;
    return (residuals_.mask(question.a)[at(bin) / 64] >> (at(bin) % 64) & 1U) != 0;
  }

  void weigh(std::span<const std::uint32_t> rows, std::vector<double>& out) const {
    out.assign(rows_.n_classes, 0.0);
    for (const std::uint32_t row : rows) {
      for (std::size_t c = 0; c < out.size(); ++c) out[c] += rows_.weight[row * out.size() + c];
    }
  }

  std::int32_t visit(Id tree, const std::vector<std::uint32_t>& rows, std::int32_t depth) {
    if (residuals_.is_leaf(tree)) return 0;
    Key key{function(tree), 0, 0};
    for (const std::uint32_t row : rows) {
      key.first += scatter(2 * std::uint64_t{row});
      key.second += scatter(2 * std::uint64_t{row} + 1);
    }
    if (const auto found = states_.find(key); found != states_.end()) return found->second;
    if (depth > most_depth) throw TooDeep();
    if (++n_begun_ > limit_ || residuals_.size() > most_nodes_) throw TooMany(n_begun_);
    if (n_begun_ % 256 == 0) poll_(n_begun_);
    const Id own = functions_[at(key.function)].tree;
    const std::vector<Question> list = functions_[at(key.function)].questions;
    std::vector<Edge> edges;
    std::vector<double> yes_weight, no_weight;
    for (const Question& question : list) {
      std::vector<std::uint32_t> yes, no;
      for (const std::uint32_t row : rows) (holds(question, row) ? yes : no).push_back(row);
      weigh(yes, yes_weight);
      weigh(no, no_weight);
      Edge edge{question.feature, 0, 0, impurity_gain(criterion_, yes_weight, no_weight)};
      edge.yes = visit(residuals_.side(own, question, true), yes, depth + 1);
      edge.no = visit(residuals_.side(own, question, false), no, depth + 1);
      edges.push_back(edge);
    }
    const auto number = static_cast<std::int32_t>(size());
    edges_.insert(edges_.end(), edges.begin(), edges.end());
    start_.push_back(edges_.size());
    states_.emplace(key, number);
    return number;
  }

  Residuals& residuals_;
  const ClassRows& rows_;
  Criterion criterion_;
  std::size_t limit_;
  std::size_t most_nodes_;
  std::size_t n_begun_ = 0;
  const PollFunction& poll_;
  std::int32_t root_ = 0;
  std::vector<Edge> edges_;
  std::vector<std::size_t> start_{0, 0};  // state 0 is a leaf
  std::vector<Function> functions_;
  std::unordered_map<Id, std::int32_t> of_tree_;
  std::unordered_map<std::uint64_t, std::vector<std::int32_t>> by_print_;
  std::unordered_map<Key, std::int32_t, KeyHash> states_;
};

/// Counts trees, and averages over them: a split's share of its state's trees is a ratio of counts.
void count(const Graph& graph, Orders& out) {
  std::vector<BigCount> trees(graph.size());
  trees[0] = BigCount(1);
  for (std::size_t s = 1; s < graph.size(); ++s) {
    for (const Edge& edge : graph.edges(s)) {
      trees[s].add_product(trees[at(edge.yes)], trees[at(edge.no)]);
    }
  }
  out.n_trees = trees[graph.root()].words();
  std::vector<double> visits(graph.size(), 0.0);  // of a state, in a tree drawn at random
  visits[graph.root()] = 1.0;
  for (std::size_t s = graph.size(); s-- > 1;) {
    if (visits[s] == 0.0) continue;
    for (const Edge& edge : graph.edges(s)) {
      const double share =
          visits[s] * BigCount::share(trees[at(edge.yes)], trees[at(edge.no)], trees[s]);
      visits[at(edge.yes)] += share;
      visits[at(edge.no)] += share;
      out.mean[at(edge.feature)] += share * edge.gain;
    }
  }
}

/// A tree's importance of one feature, and of all.
struct Sums {
  double own = 0.0;
  double total = 0.0;
};

/// Finds the tree with the largest (sign 1) or smallest (sign -1) value of a x own - b x total.
class Extremes {
 public:
  Extremes(const Graph& graph, const PollFunction& poll)
      : graph_(graph), poll_(poll), value_(graph.size()), sums_(graph.size()) {}

  Sums find(std::int32_t feature, double sign, double a, double b) {
    for (std::size_t s = 1; s < graph_.size(); ++s) {
      if (s % 65536 == 0) poll_(s);
      const Edge* chosen = nullptr;
      double best = 0.0;
      for (const Edge& edge : graph_.edges(s)) {
        const double own = edge.feature == feature ? a * edge.gain : 0.0;
        const double value =
            sign * (own - b * edge.gain) + value_[at(edge.yes)] + value_[at(edge.no)];
        if (chosen == nullptr || value > best) {
          best = value;
          chosen = &edge;
        }
      }
      const Sums& yes = sums_[at(chosen->yes)];
      const Sums& no = sums_[at(chosen->no)];
      value_[s] = best;
      sums_[s] = {yes.own + no.own + (chosen->feature == feature ? chosen->gain : 0.0),
                  yes.total + no.total + chosen->gain};
    }
    poll_(graph_.size());
    return sums_[graph_.root()];
  }

 private:
  const Graph& graph_;
  const PollFunction& poll_;
  std::vector<double> value_;
  std::vector<Sums> sums_;
};

/// The largest share, by Dinkelbach's way; 0 where every total is 0.
double largest_share(Extremes& extremes, std::int32_t feature, Sums start) {
  double share = start.total > 0.0 ? start.own / start.total : 0.0;
  for (int round = 0; round < most_rounds; ++round) {
    const Sums found = extremes.find(feature, 1.0, 1.0, share);
    if (!(found.total > 0.0) || !(found.own / found.total > share)) break;
    share = found.own / found.total;
  }
  return share;
}

/// The smallest share. `least`: the tree with the least total; where that is 0, so is its share.
double smallest_share(Extremes& extremes, std::int32_t feature, Sums start, double least) {
  if (!(least > 0.0)) return 0.0;
  double share = start.own / start.total;
  for (int round = 0; round < most_rounds; ++round) {
    const Sums found = extremes.find(feature, -1.0, 1.0, share);
    if (!(found.own / found.total < share)) break;
    share = found.own / found.total;
  }
  return share;
}

/// The variance's gain: the weights' harmonic part times the square of the difference of means.
double variance_gain(std::span<const double> yes, std::span<const double> no) {
  if (!(yes[0] > 0.0) || !(no[0] > 0.0)) return 0.0;
  const double apart = yes[1] / yes[0] - no[1] / no[0];
  const double size = yes[2] / yes[0] + no[2] / no[0];
  if (std::abs(apart) <= rounding * size) return 0.0;
  return apart * apart * (yes[0] / (yes[0] + no[0])) * no[0];
}

}  // namespace

double impurity_gain(Criterion criterion, std::span<const double> yes, std::span<const double> no) {
  if (criterion == Criterion::variance) return variance_gain(yes, no);
  double n_yes = 0.0;
  double n_no = 0.0;
  for (std::size_t c = 0; c < yes.size(); ++c) {
    n_yes += yes[c];
    n_no += no[c];
  }
  if (!(n_yes > 0.0) || !(n_no > 0.0)) return 0.0;
  // Both are sums over the differences of shares, which are exactly 0 for equal shares.
  double gain = 0.0;
  for (std::size_t c = 0; c < yes.size(); ++c) {
    const double p = yes[c] / n_yes;
    const double q = no[c] / n_no;
    if (p == q) continue;
    if (criterion == Criterion::gini) {
      gain += (p - q) * (p - q) * (n_yes / (n_yes + n_no)) * n_no;
    } else {
      const double all = log_or_zero((yes[c] + no[c]) / (n_yes + n_no));
      gain += yes[c] * (log_or_zero(p) - all) + no[c] * (log_or_zero(q) - all);
    }
  }
  return std::max(gain, 0.0);
}

Orders all_orders(const BinTree& tree, const std::vector<BinFeature>& features,
                  const ClassRows& rows, Criterion criterion, std::size_t limit,
                  const PollFunction& poll) {
  Orders out;
  const std::size_t n = features.size();
  for (auto* values : {&out.low, &out.high, &out.mean, &out.share_low, &out.share_high}) {
    values->assign(n, 0.0);
  }
  Residuals residuals(tree, features);
  if (residuals.depth(residuals.root()) > most_depth) throw TooDeep();
  Graph graph(residuals, rows, criterion, limit, poll);
  const auto n_leaves = std::count(tree.leaf_class.begin(), tree.leaf_class.end(), -1);
  out.irredundant = residuals.n_leaves(residuals.root()) ==
                        static_cast<std::int64_t>(tree.leaf_class.size()) - n_leaves &&
                    graph.asks_well(residuals.root());
  out.n_states = graph.size() - 1;
  count(graph, out);
  Extremes extremes(graph, poll);
  const double least = extremes.find(-1, -1.0, 0.0, -1.0).total;
  for (std::size_t f = 0; f < n; ++f) {
    const auto feature = static_cast<std::int32_t>(f);
    if (!residuals.has(residuals.root(), feature)) continue;
    const Sums low = extremes.find(feature, -1.0, 1.0, 0.0);
    const Sums high = extremes.find(feature, 1.0, 1.0, 0.0);
    out.low[f] = low.own;
    out.high[f] = high.own;
    out.share_low[f] = smallest_share(extremes, feature, low, least);
    out.share_high[f] = largest_share(extremes, feature, high);
  }
  return out;
}

}  // namespace orderless::importance
