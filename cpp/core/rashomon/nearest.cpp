#include "core/rashomon/nearest.hpp"

#include <algorithm>
#include <cstdlib>
#include <span>
#include <tuple>
#include <utility>

#include "core/rashomon/best.hpp"
#include "core/rashomon/grow.hpp"

namespace orderless::rashomon {

namespace {

constexpr std::size_t most_sums = std::size_t{1} << 20U;  // of two lists, that are looked through

bool cheaper(const Spread& a, const Spread& b) {
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
  std::sort(lists_[deep].begin(), lists_[deep].end(), cheaper);
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
    if (cheaper(each, last)) last = each;
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
  std::sort(out.begin(), out.end(), cheaper);
}

void Nearest::look(const Spread& tree) {
  if (!fits(tree)) return;
  const std::int64_t distance = std::abs(tree.measure - wanted_);
  std::int64_t least = 0;  // to some number from low to high
  if (wanted_ < tree.low) least = tree.low - wanted_;
  if (wanted_ > tree.high) least = wanted_ - tree.high;
  if (at_least_ < 0 || least < at_least_) at_least_ = least;
  if (distance_ >= 0 &&
      (distance > distance_ || (distance == distance_ && !cheaper(tree, best_)))) {
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
