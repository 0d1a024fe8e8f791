#include "core/rashomon/goals.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/rashomon/grow.hpp"

namespace orderless::rashomon {

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

}  // namespace orderless::rashomon
