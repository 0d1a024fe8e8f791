#include "core/rashomon/one_function.hpp"

#include <algorithm>

namespace orderless::rashomon {

OneFunction::OneFunction(const Graph& graph, const View& view, const SpaceMeasure& measure)
    : graph_(graph),
      view_(view),
      measure_(measure),
      masks_(view.masks(graph.rows.n_columns)),
      reachable_(graph, view),
      neighbours_(neighbours(measure)),
      namer_(1 + measure.n_words()) {}

/// The errors of a subtree, found on its way through the graph; the node after it.
std::size_t OneFunction::add_errors(std::span<const std::int32_t> column, std::size_t at,
                                    std::uint32_t node, std::int64_t& errors) const {
  if (column[at] < 0) {
    errors += graph_.errors[node];
    return at + 1;
  }
  std::vector<Edge> room;
  const auto edges = graph_.of(node, room);
  const auto asks = static_cast<std::uint32_t>(column[at]);
  const auto edge = std::lower_bound(edges.begin(), edges.end(), asks,
                                     [](const Edge& e, std::uint32_t c) { return e.column < c; });
  if (edge == edges.end() || edge->column != asks) throw std::out_of_range("no tree of the set");
  const Edge taken = *edge;
  return add_errors(column, add_errors(column, at + 1, taken.when_true, errors), taken.when_false,
                    errors);
}

std::int64_t OneFunction::take(std::span<const std::int32_t> column,
                               std::span<const std::int32_t> label, std::int64_t errors) {
  std::int64_t most = reachable_.max_leaves(0);
  // Every tree of the function makes the same errors.
  if (graph_.costs.leaf > 0) {
    most = std::min(most, (view_.bound - graph_.costs.error * errors) / graph_.costs.leaf);
  }
  faces_ = Faces(measure_, neighbours_, column, label);
  numbers_.clear();
  known_.clear();
  n_entries_ = 0;
  return most;
}

Count OneFunction::n_fitting(const Entries& entries) const {
  Count sum = 0;
  for (const Entry& entry : entries) {
    if (view_.fits(entry.asked)) sum = plus_checked(sum, entry.trees);
  }
  return sum;
}

Count OneFunction::n_trees(std::span<const std::int32_t> column,
                           std::span<const std::int32_t> label, Meter& meter) {
  std::int64_t errors = 0;
  add_errors(column, 0, 0, errors);
  const std::int64_t most = take(column, label, errors);
  Held held(meter);
  held_ = &held;
  return n_fitting(count(root(), most, meter));
}

std::vector<std::pair<std::int32_t, Count>> OneFunction::n_trees_by_root(
    std::span<const std::int32_t> column, std::span<const std::int32_t> label, std::int64_t errors,
    Meter& meter) {
  const std::int64_t most = take(column, label, errors);
  Held held(meter);
  held_ = &held;
  const Place top = root();
  std::vector<std::pair<std::int32_t, Count>> out;
  Entries entries;
  const auto add = [&](std::int32_t asks) {
    const Count n = n_fitting(entries);
    if (n != Count(0)) out.emplace_back(asks, n);
    entries.clear();
  };
  if (most >= 1) add_leaf(top, entries);
  add(-1);
  if (!may_split(top, most)) return out;
  std::vector<Edge> room;
  Sides sides;
  for (const Edge& edge : graph_.of(top.node, room)) {
    meter.step(64);
    add_split(top, edge, most, sides, entries, meter);
    add(static_cast<std::int32_t>(edge.column));
  }
  return out;
}

void OneFunction::add_leaf(const Place& place, Entries& out) const {
  if (faces_.least_splits(place.alive) == 0 &&
      graph_.leaf_cost(place.node) <= reachable_.budget(graph_, place.node) &&
      graph_.label[place.node] == faces_.label_in(place.box)) {
    out.push_back({0, 1, 1});
  }
}

bool OneFunction::may_split(const Place& place, std::int64_t most_leaves) const {
  // A split tree of a constant has two leaves side by side that say the same.
  return most_leaves >= 2 && (view_.trivial || faces_.least_splits(place.alive) != 0);
}

const OneFunction::Entries& OneFunction::count(const Place& place, std::int64_t most_leaves,
                                               Meter& meter) {
  Words key(1 + place.box.size());
  key[0] = place.node;
  for (std::size_t w = 0; w < place.box.size(); ++w) {
    key[1 + w] = place.box[w] & faces_.bins()[w];
  }
  const auto [number, is_new] = numbers_.add(namer_.name(key.data()));
  if (is_new) known_.emplace_back();
  Known& known = known_[number];
  if (!is_new && known.most_leaves >= most_leaves) return known.entries;
  known.most_leaves = most_leaves;
  Entries out;
  meter.step(64);
  if (most_leaves >= 1) add_leaf(place, out);
  if (may_split(place, most_leaves)) {
    std::vector<Edge> room;
    Sides sides;
    for (const Edge& edge : graph_.of(place.node, room)) {
      add_split(place, edge, most_leaves, sides, out, meter);
    }
  }
  merge(out);
  n_entries_ += out.size();
  if (number % 64 == 0) {
    held_->set(numbers_.bytes() + known_.size() * sizeof(Known) + n_entries_ * sizeof(Entry));
  }
  known.entries = std::move(out);
  return known.entries;
}

bool OneFunction::step(const Place& from, const Edge& edge, bool is_true, Place& to,
                       std::int64_t& least) const {
  to.node = is_true ? edge.when_true : edge.when_false;
  to.depth_left = from.depth_left - 1;
  to.box.resize(from.box.size());
  measure_.cut(from.box.data(), edge.column, is_true, to.box.data());
  to.alive = from.alive;
  if (faces_.uses(edge.column)) faces_.narrow(to.alive, to.box, edge.column);
  const std::int64_t splits = faces_.least_splits(to.alive);
  least = splits + 1;
  return to.depth_left >= 40 || splits < std::int64_t{1} << to.depth_left;
}

void OneFunction::add_split(const Place& place, const Edge& edge, std::int64_t most_leaves,
                            Sides& sides, Entries& out, Meter& meter) {
  if (!reachable_.has(graph_, place.node, edge)) return;
  auto& [on_true, on_false] = sides;
  std::int64_t least_true = 0, least_false = 0;
  if (!step(place, edge, true, on_true, least_true)) return;
  if (least_true >= most_leaves) return;
  if (!step(place, edge, false, on_false, least_false)) return;
  if (least_true + least_false > most_leaves) return;
  // What is known stays where it is while more is added.
  const Entries& yes = count(on_true, most_leaves - least_false, meter);
  if (yes.empty()) return;
  const Entries& no = count(on_false, most_leaves - least_true, meter);
  for (const Entry& a : yes) {
    for (const Entry& b : no) {
      if (a.leaves + b.leaves > most_leaves) continue;
      const std::uint64_t asked = masks_[edge.column] | a.asked | b.asked;
      if (!view_.may(asked)) continue;
      out.push_back({asked, a.leaves + b.leaves, times_checked(a.trees, b.trees)});
    }
  }
}

void OneFunction::merge(Entries& entries) {
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.leaves != b.leaves ? a.leaves < b.leaves : a.asked < b.asked;
  });
  std::size_t n = 0;
  for (const Entry& each : entries) {
    if (n != 0 && entries[n - 1].leaves == each.leaves && entries[n - 1].asked == each.asked) {
      entries[n - 1].trees = plus_checked(entries[n - 1].trees, each.trees);
    } else {
      entries[n++] = each;
    }
  }
  entries.resize(n);
}

}  // namespace orderless::rashomon
