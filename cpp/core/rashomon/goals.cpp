#include "core/rashomon/goals.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <span>
#include <tuple>
#include <utility>

#include "core/rashomon/best.hpp"
#include "core/rashomon/kernels.hpp"

namespace orderless::rashomon {

/// Two leaves of one label are no split of some views.
template <class Part>
[[nodiscard]] bool may_split(const Measured& measured, const Edge& edge, const Part& a,
                             const Part& b) {
  if (measured.view().trivial || a.leaves + b.leaves > 2) return true;
  const Graph& graph = measured.graph();
  return graph.label[edge.when_true] != graph.label[edge.when_false];
}

/// Finds a tree again of which only cost, measure, leaves and groups are stored.
/// `parts(place)` are the subtrees of a place by rising cost, as a span; `groups(asked, a, b)` is
/// what the split of two subtrees asks.
template <class Part, class Parts, class Groups>
void grow(const Measured& measured, const Parts& parts, const Groups& groups, std::size_t place,
          const Part& wanted, FlatTrees& out, Meter& meter) {
  if (wanted.leaves == 1) {
    out.add_leaf(measured.graph().label[measured.node(place)]);
    return;
  }
  for (const MeasuredEdge& edge : measured.of(place)) {
    const Edge& asked = measured.graph().edges[edge.edge];
    const auto on_false = parts(edge.when_false);
    for (const Part& a : parts(edge.when_true)) {
      meter.step(on_false.size() / 8 + 1);
      for (const Part& b : on_false) {
        if (a.cost + b.cost > wanted.cost) break;
        if (a.cost + b.cost != wanted.cost || a.measure + b.measure != wanted.measure ||
            a.leaves + b.leaves != wanted.leaves || groups(asked, a, b) != wanted.groups ||
            !may_split(measured, asked, a, b)) {
          continue;
        }
        const std::size_t at = out.add_split(asked.column);
        grow(measured, parts, groups, edge.when_true, a, out, meter);
        out.begin_false(at);
        grow(measured, parts, groups, edge.when_false, b, out, meter);
        return;
      }
    }
  }
}

namespace {

constexpr std::uint32_t at_end = 0x80000000U;  // marks leaves while their numbers are not final

void keep_side(const Rows& rows, std::int32_t literal, Words& support) {
  const std::uint64_t* column = rows.column(static_cast<std::size_t>(literal / 2));
  const std::uint64_t flip = literal % 2 == 0 ? 0 : ~std::uint64_t{0};
  for (std::size_t w = 0; w < support.size(); ++w) support[w] &= column[w] ^ flip;
}

}  // namespace

class MeasuredBuilder {
 public:
  MeasuredBuilder(Measured& out, const MeasuredRows& rows, Meter& meter)
      : out_(out),
        graph_(*out.graph_),
        rows_(rows.rows),
        share_bits_(rows.share_bits),
        meter_(meter),
        held_(meter),
        namer_(rows_.n_words),
        leaf_namer_(out.n_parts_ + 1),
        leaf_key_(out.n_parts_ + 1),
        yes_(out.n_parts_),
        no_(out.n_parts_),
        trained_(graph_.rows.n_classes) {}

  void build() {
    out_.edge_start_.push_back(0);
    if (!out_.reachable_.has(0)) return;
    meet(0, 0, rows_.all, graph_.rows.all, nullptr, 0);
    std::size_t begin = 0;
    for (std::size_t level = 0; begin < out_.node_.size(); ++level) {
      const std::size_t end = out_.node_.size();
      const std::vector<std::int32_t> paths = std::exchange(paths_, {});
      numbers_.clear();
      first_ = end;
      for (std::size_t place = begin; place < end; ++place) {
        expand(place, level, paths.data() + (place - begin) * level);
        meter_.step((graph_.of(out_.node_[place]).size() + 1) * (rows_.n_words / 8 + 8));
        held_.set(out_.bytes() + (paths.size() + paths_.size()) * 4 + numbers_.bytes() +
                  leaves_.bytes() + leaf_weights_.size() * 8);
      }
      begin = end;
    }
    finish();
  }

 private:
  /// The place of a node and some measured rows, in the next level.
  std::uint32_t meet(std::uint32_t node, std::size_t level, const Words& support,
                     const Words& trained, const std::int32_t* path, std::int32_t literal) {
    Key key = namer_.name(support.data());
    key[0] ^= (node + std::uint64_t{1}) * 0x9e3779b97f4a7c15U;
    key[1] += node * std::uint64_t{0xd1b54a32d192ed03U};
    const auto [number, is_new] = numbers_.add(key);
    const std::size_t place = first_ + number;
    if (place >= at_end - 1) throw MemoryLimit(meter_.limit());
    if (is_new) {
      if (level > 0) {
        paths_.insert(paths_.end(), path, path + level - 1);
        paths_.push_back(literal);
      }
      out_.node_.push_back(node);
      weigh(support.data(), support.data(), rows_.segments, rows_.n_classes, yes_.data());
      add_shares(yes_, trained, trained);
      out_.weights_.insert(out_.weights_.end(), yes_.begin(), yes_.end());
    }
    return static_cast<std::uint32_t>(place);
  }

  /// Adds the squared error of a leaf on training rows that are in both sets, as the last part.
  void add_shares(std::vector<std::int64_t>& weights, const Words& a, const Words& b) {
    if (share_bits_ < 0) return;
    weigh(a.data(), b.data(), graph_.rows.segments, graph_.rows.n_classes, trained_.data());
    const auto word = [](std::int64_t x) { return static_cast<std::uint64_t>(x); };
    std::uint64_t n = 0, total = 0;
    Wide squares = 0, hits = 0;
    for (std::size_t c = 0; c < rows_.n_classes; ++c) {
      total += word(weights[c]);
      n += word(trained_[c]);
      squares += Wide(word(trained_[c])) * Wide(word(trained_[c]));
      hits += Wide(word(weights[c])) * Wide(word(trained_[c]));
    }
    // The sum over rows and classes of ([the row's class] - share)^2, times n^2.
    Wide sum = Wide(total) * (Wide(n) * Wide(n) + squares);
    sum -= Wide(2) * Wide(n) * hits;
    const Wide fine = sum * Wide(std::uint64_t{1} << static_cast<unsigned>(share_bits_));
    weights.back() = n == 0 ? 0 : static_cast<std::int64_t>((fine / (Wide(n) * Wide(n))).low());
  }

  std::uint32_t leaf(std::uint32_t node, const std::vector<std::int64_t>& weights) {
    leaf_key_[0] = node;
    for (std::size_t p = 0; p < weights.size(); ++p) {
      leaf_key_[p + 1] = static_cast<std::uint64_t>(weights[p]);
    }
    const auto [number, is_new] = leaves_.add(leaf_namer_.name(leaf_key_.data()));
    if (is_new) {
      if (number >= at_end - 1) throw MemoryLimit(meter_.limit());
      leaf_node_.push_back(node);
      leaf_weights_.insert(leaf_weights_.end(), weights.begin(), weights.end());
    }
    return number | at_end;
  }

  void expand(std::size_t place, std::size_t level, const std::int32_t* path) {
    const std::uint32_t node = out_.node_[place];
    Words support = rows_.all;
    Words trained = share_bits_ < 0 ? Words() : graph_.rows.all;
    for (std::size_t p = 0; p < level; ++p) {
      keep_side(rows_, path[p], support);
      if (share_bits_ >= 0) keep_side(graph_.rows, path[p], trained);
    }
    for (std::size_t e = graph_.edge_start[node]; e < graph_.edge_start[node + 1]; ++e) {
      const Edge& edge = graph_.edges[e];
      if (!out_.reachable_.has(graph_, node, edge)) continue;
      MeasuredEdge own{static_cast<std::uint32_t>(e), 0, 0};
      for (const bool yes : {true, false}) {
        const std::uint32_t child = yes ? edge.when_true : edge.when_false;
        const auto literal = static_cast<std::int32_t>(2 * edge.column + (yes ? 0 : 1));
        (yes ? own.when_true : own.when_false) =
            child < graph_.level_start.back()
                ? descend(child, level + 1, support, trained, path, literal)
                : leaf_below(child, place, support, trained, literal);
      }
      out_.edges_.push_back(own);
    }
    out_.edge_start_.push_back(out_.edges_.size());
  }

  std::uint32_t descend(std::uint32_t child, std::size_t level, const Words& support,
                        const Words& trained, const std::int32_t* path, std::int32_t literal) {
    side_ = support;
    keep_side(rows_, literal, side_);
    trained_side_ = trained;
    if (share_bits_ >= 0) keep_side(graph_.rows, literal, trained_side_);
    return meet(child, level, side_, trained_side_, path, literal);
  }

  /// A leaf: no set of rows has to be named.
  std::uint32_t leaf_below(std::uint32_t child, std::size_t place, const Words& support,
                           const Words& trained, std::int32_t literal) {
    const auto column = static_cast<std::size_t>(literal / 2);
    weigh(support.data(), rows_.column(column), rows_.segments, rows_.n_classes, yes_.data());
    if (share_bits_ >= 0) {
      trained_side_ = trained;
      keep_side(graph_.rows, literal, trained_side_);
    }
    if (literal % 2 == 0) {
      add_shares(yes_, trained_side_, trained_side_);
      return leaf(child, yes_);
    }
    const auto all = out_.weights(place);
    for (std::size_t p = 0; p < rows_.n_classes; ++p) no_[p] = all[p] - yes_[p];
    add_shares(no_, trained_side_, trained_side_);
    return leaf(child, no_);
  }

  void finish() {
    const auto n = static_cast<std::uint32_t>(out_.node_.size());
    if (n + leaf_node_.size() >= at_end) throw MemoryLimit(meter_.limit());
    for (MeasuredEdge& edge : out_.edges_) {
      for (std::uint32_t* child : {&edge.when_true, &edge.when_false}) {
        if ((*child & at_end) != 0) *child = n + (*child & ~at_end);
      }
    }
    out_.node_.insert(out_.node_.end(), leaf_node_.begin(), leaf_node_.end());
    out_.weights_.insert(out_.weights_.end(), leaf_weights_.begin(), leaf_weights_.end());
  }

  Measured& out_;
  const Graph& graph_;
  const Rows& rows_;
  int share_bits_;
  Meter& meter_;
  Held held_;
  Namer namer_, leaf_namer_;
  Numbers numbers_, leaves_;
  std::size_t first_ = 0;            // place of the first of the next level
  std::vector<std::int32_t> paths_;  // literals that lead to each place of the next level
  Words leaf_key_, side_, trained_side_;
  std::vector<std::int64_t> yes_, no_, trained_;
  std::vector<std::uint32_t> leaf_node_;
  std::vector<std::int64_t> leaf_weights_;
};

Measured::Measured(std::shared_ptr<const Graph> graph, View view, const MeasuredRows& rows,
                   Meter& meter)
    : graph_(std::move(graph)),
      view_(std::move(view)),
      reachable_(*graph_, view_),
      n_parts_(rows.rows.n_classes + (rows.share_bits < 0 ? 0 : 1)) {
  require_written(*graph_);
  MeasuredBuilder(*this, rows, meter).build();
}

std::size_t Measured::bytes() const {
  return node_.capacity() * 4 + weights_.capacity() * 8 + edge_start_.capacity() * 8 +
         edges_.capacity() * sizeof(MeasuredEdge);
}

std::size_t Factors::place(std::int32_t label) const {
  if (labels.empty()) return static_cast<std::size_t>(label);
  return static_cast<std::size_t>(std::lower_bound(labels.begin(), labels.end(), label) -
                                  labels.begin());
}

std::int64_t Factors::of(std::span<const std::int64_t> weights, std::int32_t label) const {
  const std::size_t at = place(label);
  std::int64_t sum = 0;
  for (std::size_t p = 0; p < weights.size(); ++p) {
    if (weights[p] != 0) sum += weights[p] * table[p * n_labels + at];
  }
  return sum;
}

Goal::Goal(std::shared_ptr<const Measured> measured, Factors factors, Meter& meter)
    : measured_(std::move(measured)),
      factors_(std::move(factors)),
      masks_(measured_->view().masks(measured_->graph().rows.n_columns)),
      plain_(measured_->view().max_leaves == 0 && measured_->view().required.empty() &&
             !measured_->view().limits_features()) {
  Held held(meter);
  start_.push_back(0);
  std::vector<Step> own;
  for (std::size_t place = measured_->n_places(); place-- > 0;) {
    own.clear();
    if (place >= measured_->n_splits()) {
      own.push_back(leaf(place));
    } else {
      fill(place, own, meter);
    }
    steps_.insert(steps_.end(), own.begin(), own.end());
    start_.push_back(steps_.size());
    if (place % 1024 == 0) held.set(bytes());
  }
  if (measured_->empty()) return;
  const View& view = measured_->view();
  for (const Step& step : steps(0)) {
    if (step.cost > view.bound || !view.fits(step.groups)) continue;
    if (view.max_leaves > 0 && step.leaves > view.max_leaves) continue;
    if (!front_.empty() && step.measure >= front_.back().measure) continue;
    if (!front_.empty() && front_.back().cost == step.cost) front_.pop_back();
    front_.push_back(step);
  }
}

Step Goal::leaf(std::size_t place) const {
  const Graph& graph = measured_->graph();
  const std::uint32_t node = measured_->node(place);
  const std::int64_t measure = factors_.of(measured_->weights(place), graph.label[node]);
  return {graph.leaf_cost(node), measure, 1, 0};
}

void Goal::thin(std::vector<Step>& steps) const {
  const auto key = [](const Step& s) { return std::tie(s.cost, s.measure, s.leaves, s.groups); };
  std::sort(steps.begin(), steps.end(),
            [&](const Step& a, const Step& b) { return key(a) < key(b); });
  const View& view = measured_->view();
  const bool by_leaves = view.max_leaves > 0;
  std::size_t n = 0;
  for (const Step& step : steps) {
    // Those before are as cheap; where nothing else counts, the last has the smallest measure.
    const auto first = steps.begin() + static_cast<std::ptrdiff_t>(plain_ && n != 0 ? n - 1 : 0);
    const bool beaten =
        std::any_of(first, steps.begin() + static_cast<std::ptrdiff_t>(n), [&](const Step& other) {
          return other.measure <= step.measure && (!by_leaves || other.leaves <= step.leaves) &&
                 view.as_good(other.groups, step.groups);
        });
    if (!beaten) steps[n++] = step;
  }
  steps.resize(n);
}

void Goal::pair(const MeasuredEdge& edge, std::uint32_t node, std::size_t n_thin,
                std::vector<Step>& out, Meter& meter) const {
  const Graph& graph = measured_->graph();
  const View& view = measured_->view();
  const Edge& asked = graph.edges[edge.edge];
  const std::int64_t budget = measured_->reachable().budget(graph, node);
  const std::int64_t most = measured_->reachable().max_leaves(node);
  const auto on_true = steps(edge.when_true), on_false = steps(edge.when_false);
  for (const Step& a : on_true) {
    meter.step(2 * on_false.size() + 8);
    const std::uint64_t groups = plain_ ? 0 : a.groups | masks_[asked.column];
    std::size_t before = 0;  // of the thin steps those that are as cheap
    for (const Step& b : on_false) {
      const Step step{a.cost + b.cost, a.measure + b.measure, a.leaves + b.leaves,
                      groups | b.groups};
      if (step.cost > budget) break;
      if (step.leaves > most || !view.may(step.groups) || !may_split(*measured_, asked, a, b))
        continue;
      if (plain_) {
        while (before < n_thin && out[before].cost <= step.cost) ++before;
        if (before != 0 && out[before - 1].measure <= step.measure) continue;
      }
      out.push_back(step);
    }
  }
}

void Goal::fill(std::size_t place, std::vector<Step>& out, Meter& meter) const {
  const Graph& graph = measured_->graph();
  const std::uint32_t node = measured_->node(place);
  const std::int64_t most = measured_->reachable().max_leaves(node);
  constexpr std::size_t many = 128;
  if (most >= 2) {
    std::size_t n_thin = 0;
    for (const MeasuredEdge& edge : measured_->of(place)) {
      pair(edge, node, n_thin, out, meter);
      if (out.size() < n_thin + many) continue;
      thin(out);
      n_thin = out.size();
    }
    thin(out);
  }
  const Step own = leaf(place);
  if (own.cost > measured_->reachable().budget(graph, node) || most < 1) return;
  out.push_back(own);
  if (measured_->view().trivial) {
    thin(out);
  } else {  // a leaf and a split are not alike: two equal leaves may not be put together
    const auto by_cost = [](const Step& a, const Step& b) { return a.cost < b.cost; };
    std::inplace_merge(out.begin(), out.end() - 1, out.end(), by_cost);
  }
}

FlatTrees Goal::trees(std::span<const std::int64_t> positions, Meter& meter) const {
  const auto parts = [&](std::size_t place) { return steps(place); };
  const auto groups = [&](const Edge& asked, const Step& a, const Step& b) {
    return (plain_ ? 0 : a.groups | masks_[asked.column]) | b.groups;
  };
  FlatTrees out;
  for (const std::int64_t position : positions) {
    grow(*measured_, parts, groups, 0, front_[static_cast<std::size_t>(position)], out, meter);
    out.end_tree();
  }
  return out;
}

namespace {

constexpr std::size_t most_sums = std::size_t{1} << 20U;  // of two lists, that are looked through

bool is_cheaper(const Spread& a, const Spread& b) {
  return std::tie(a.cost, a.leaves, a.measure) < std::tie(b.cost, b.leaves, b.measure);
}

}  // namespace

Nearest::Nearest(std::shared_ptr<const Measured> measured, Factors factors, std::int64_t wanted,
                 std::size_t most, Meter& meter)
    : measured_(std::move(measured)),
      factors_(std::move(factors)),
      wanted_(wanted),
      most_(std::max<std::size_t>(most, 1)),
      masks_(measured_->view().masks(measured_->graph().rows.n_columns)),
      lists_(measured_->n_places()) {
  Held held(meter);
  std::size_t bytes = 0;
  for (std::size_t place = measured_->n_places(); place-- > 1;) {
    List& own = lists_[place];
    if (place >= measured_->n_splits()) {
      own.push_back(leaf(place));
    } else {
      fill(place, own, meter);
      own.shrink_to_fit();
    }
    bytes += own.capacity() * sizeof(Spread) + sizeof(List);
    if (place % 256 == 0) held.set(bytes);
  }
  if (measured_->empty()) return;
  // Of the root only the nearest is wanted.
  pairs(0, [&](const Spread& tree) { look(tree); }, meter);
  look(leaf(0));
  held.set(bytes);
  aim(meter);
}

/// Trees whose one side is put together anew from its own sides have many more values than the
/// lists: of the cheapest first questions, those nearest to the number are looked up.
void Nearest::aim(Meter& meter) {
  constexpr std::size_t n_questions = 4;
  const auto all = measured_->of(0);
  std::vector<MeasuredEdge> edges(all.begin(), all.end());
  const auto least = [&](const MeasuredEdge& edge) {
    const List &yes = lists_[edge.when_true], &no = lists_[edge.when_false];
    return yes.empty() || no.empty() ? unreachable : yes.front().cost + no.front().cost;
  };
  std::stable_sort(edges.begin(), edges.end(), [&](const MeasuredEdge& a, const MeasuredEdge& b) {
    return least(a) < least(b);
  });
  edges.resize(std::min(edges.size(), n_questions));
  for (const MeasuredEdge& edge : edges) {
    for (const bool yes : {true, false}) {
      if (distance_ <= at_least_ || least(edge) == unreachable) return;
      aim_at(edge, yes, meter);
    }
  }
}

void Nearest::aim_at(const MeasuredEdge& edge, bool yes, Meter& meter) {
  constexpr std::size_t n_looks = 64;  // on either side of what is wanted
  const std::size_t deep = yes ? edge.when_true : edge.when_false;
  const List& others = lists_[yes ? edge.when_false : edge.when_true];
  if (deep >= measured_->n_splits()) return;
  List sums;
  Held held(meter);
  const auto keep = [&](const Spread& tree) {
    if (sums.size() == most_sums) return;
    if (sums.size() == sums.capacity()) held.set(3 * sums.capacity() * sizeof(Spread));
    sums.push_back(tree);
  };
  pairs(deep, keep, meter);
  std::sort(sums.begin(), sums.end(), [](const Spread& a, const Spread& b) {
    return std::tie(a.measure, a.cost, a.leaves, a.groups) <
           std::tie(b.measure, b.cost, b.leaves, b.groups);
  });
  const Edge& asked = measured_->graph().edges[edge.edge];
  const Spread* chosen = nullptr;
  const auto try_both = [&](const Spread& a, const Spread& b) {
    const Spread tree = together(asked, a, b);
    const std::int64_t distance = std::abs(tree.measure - wanted_);
    if (distance >= distance_ || !may_split(*measured_, asked, a, b) || !fits(tree)) return;
    distance_ = distance;
    best_ = tree;
    chosen = &b;
  };
  for (const Spread& a : others) {
    meter.step(4 * n_looks);
    const auto from = std::lower_bound(
        sums.begin(), sums.end(), wanted_ - a.measure,
        [](const Spread& sum, std::int64_t measure) { return sum.measure < measure; });
    const auto above = static_cast<std::size_t>(sums.end() - from);
    const auto below = static_cast<std::size_t>(from - sums.begin());
    for (std::size_t i = 0; i < std::min(above, n_looks); ++i) try_both(a, sums[below + i]);
    for (std::size_t i = 1; i <= std::min(below, n_looks); ++i) try_both(a, sums[below - i]);
  }
  if (chosen == nullptr) return;
  // So that it is found again.
  lists_[deep].push_back(*chosen);
  std::sort(lists_[deep].begin(), lists_[deep].end(), is_cheaper);
}

Spread Nearest::together(const Edge& asked, const Spread& a, const Spread& b) const {
  return {a.cost + b.cost, a.measure + b.measure, a.low + b.low,
          a.high + b.high, a.leaves + b.leaves,   a.groups | b.groups | masks_[asked.column]};
}

/// Whether the view has a whole tree like this.
bool Nearest::fits(const Spread& tree) const {
  const View& view = measured_->view();
  return tree.cost <= view.bound && view.fits(tree.groups) &&
         (view.max_leaves == 0 || tree.leaves <= view.max_leaves);
}

Spread Nearest::leaf(std::size_t place) const {
  const Graph& graph = measured_->graph();
  const std::uint32_t node = measured_->node(place);
  const std::int64_t measure = factors_.of(measured_->weights(place), graph.label[node]);
  return {graph.leaf_cost(node), measure, measure, measure, 1, 0};
}

template <class Take>
void Nearest::pairs(std::size_t place, const Take& take, Meter& meter) const {
  const Graph& graph = measured_->graph();
  const std::uint32_t node = measured_->node(place);
  const std::int64_t budget = measured_->reachable().budget(graph, node);
  const std::int64_t most = measured_->reachable().max_leaves(node);
  if (most < 2) return;
  for (const MeasuredEdge& edge : measured_->of(place)) {
    const Edge& asked = graph.edges[edge.edge];
    const List& on_false = lists_[edge.when_false];
    for (const Spread& a : lists_[edge.when_true]) {
      meter.step(4 * on_false.size() + 16);  // sorting included
      const std::uint64_t groups = a.groups | masks_[asked.column];
      for (const Spread& b : on_false) {
        if (a.cost + b.cost > budget) break;
        if (a.leaves + b.leaves > most || !may_split(*measured_, asked, a, b)) continue;
        if (!measured_->view().may(groups | b.groups)) continue;
        take(together(asked, a, b));
      }
    }
  }
}

/// Subtrees of one kind can stand for each other, whatever they measure and cost: they ask the
/// same, and have as many leaves, where that counts. A leaf and a split are two kinds where two
/// equal leaves may not be put together.
std::pair<std::uint64_t, std::int32_t> Nearest::kind(const Spread& tree) const {
  const View& view = measured_->view();
  if (view.max_leaves > 0) return {tree.groups, tree.leaves};
  return {tree.groups, !view.trivial && tree.leaves == 1 ? 1 : 0};
}

void Nearest::join_equal(List& list) const {
  std::sort(list.begin(), list.end(), [&](const Spread& a, const Spread& b) {
    return std::tuple(kind(a), a.low, a.high, a.cost, a.leaves, a.measure) <
           std::tuple(kind(b), b.low, b.high, b.cost, b.leaves, b.measure);
  });
  std::size_t n = 0;
  for (const Spread& each : list) {
    const bool again = n != 0 && kind(list[n - 1]) == kind(each) && list[n - 1].low == each.low &&
                       list[n - 1].high == each.high;
    if (!again) list[n++] = each;
  }
  list.resize(n);
}

/// Few places are near the root, and what they measure decides: so they may have more values.
std::size_t Nearest::most(std::size_t place) const {
  const std::uint32_t node = measured_->node(place);
  const std::vector<std::uint32_t>& start = measured_->graph().level_start;
  std::size_t most = most_;
  for (std::size_t level = 2; level < 4; ++level) {
    if (level < start.size() && node < start[level]) most *= 4;
  }
  return most;
}

void Nearest::join_near(List& list, std::size_t most) const {
  if (list.size() <= most) return;
  std::int64_t low = list.front().low, high = list.front().low;
  for (const Spread& each : list) {
    low = std::min(low, each.low);
    high = std::max(high, each.low);
  }
  // Sorted by kind and low: neighbours in one stretch of the numbers become one.
  const std::int64_t width = (high - low) / static_cast<std::int64_t>(most) + 1;
  std::size_t n = 0;
  for (const Spread& each : list) {
    Spread& last = list[n == 0 ? 0 : n - 1];
    if (n == 0 || kind(last) != kind(each) ||
        (last.low - low) / width != (each.low - low) / width) {
      list[n++] = each;
      continue;
    }
    const std::int64_t from = std::min(last.low, each.low), to = std::max(last.high, each.high);
    if (is_cheaper(each, last)) last = each;
    last.low = from;
    last.high = to;
  }
  list.resize(n);
}

void Nearest::fill(std::size_t place, List& out, Meter& meter) const {
  const Graph& graph = measured_->graph();
  const std::uint32_t node = measured_->node(place);
  const std::size_t most = this->most(place), many = 8 * most + 1024;
  pairs(
      place,
      [&](const Spread& tree) {
        out.push_back(tree);
        if (out.size() < many) return;
        join_equal(out);
        if (out.size() > many / 2) join_near(out, most);
      },
      meter);
  const Spread own = leaf(place);
  const bool fits = own.cost <= measured_->reachable().budget(graph, node) &&
                    measured_->reachable().max_leaves(node) >= 1;
  if (fits) out.push_back(own);
  join_equal(out);
  join_near(out, most);
  std::sort(out.begin(), out.end(), is_cheaper);
}

void Nearest::look(const Spread& tree) {
  if (!fits(tree)) return;
  const std::int64_t distance = std::abs(tree.measure - wanted_);
  std::int64_t least = 0;  // to some number from low to high
  if (wanted_ < tree.low) least = tree.low - wanted_;
  if (wanted_ > tree.high) least = wanted_ - tree.high;
  if (at_least_ < 0 || least < at_least_) at_least_ = least;
  if (distance_ >= 0 &&
      (distance > distance_ || (distance == distance_ && !is_cheaper(tree, best_)))) {
    return;
  }
  distance_ = distance;
  best_ = tree;
}

FlatTrees Nearest::tree(Meter& meter) const {
  const auto parts = [&](std::size_t place) { return std::span<const Spread>(lists_[place]); };
  const auto groups = [&](const Edge& asked, const Spread& a, const Spread& b) {
    return a.groups | b.groups | masks_[asked.column];
  };
  FlatTrees out;
  grow(*measured_, parts, groups, 0, best_, out, meter);
  out.end_tree();
  return out;
}

}  // namespace orderless::rashomon
