#include "core/rashomon/functions.hpp"

#include <algorithm>
#include <limits>

#include "core/rashomon/order.hpp"
#include "core/rashomon/products.hpp"
#include "core/rashomon/table.hpp"

namespace orderless::rashomon {

Functions::Functions(std::shared_ptr<const Graph> graph, View view, SpaceMeasure* measure,
                     LabelValues label_values, const Options& options, Meter& meter)
    : graph_(std::move(graph)),
      view_(std::move(view)),
      masks_(view_.masks(graph_->rows.n_columns)),
      asked_(view_),
      reachable_(*graph_, view_),
      label_values_(std::move(label_values)),
      listed_(options.listed) {
  if (reachable_.max_leaves(0) > std::numeric_limits<std::uint16_t>::max()) {
    throw TooManyLeaves();
  }
  require_written(*graph_);
  const std::size_t before = meter.held();
  if (measure != nullptr) {
    place_all(measure, meter);
  } else {
    place_on_rows(meter);
  }
  Held held(meter);
  std::size_t bytes = places_.bytes() + places_.size() * sizeof(std::vector<Function>);
  if (listed_) bytes += places_.size() * sizeof(Tally);
  held.set(bytes);
  lists_.resize(std::max<std::size_t>(places_.size(), 1));
  if (listed_) tallies_.resize(lists_.size());
  const auto finish = [&](std::uint32_t place) {
    if (place == 0 && !listed_) return count_root(options, meter);
    fill(place, options, meter);
    bytes += lists_[place].size() * sizeof(Function);
    held.set(bytes);
    if (!listed_) return;
    tally(place, place == 0 ? options.residue : Residue{}, meter);
    bytes += tallies_[place].start.size() * 8 + tallies_[place].trees.size() * 16;
    held.set(bytes);
  };
  // Leaves first: they are shared by places of several levels.
  for (const bool leaves : {true, false}) {
    for (auto place = static_cast<std::uint32_t>(places_.size()); place-- > 0;) {
      if (graph_->of(places_.node[place]).empty() == leaves) finish(place);
    }
  }
  if (listed_) n_ = lists_[0].size();
  bytes_ = meter.held() - before;
}

std::int64_t Functions::most_leaves(std::uint32_t place) const {
  return reachable_.max_leaves(places_.node[place]);
}

std::int64_t Functions::most_leaves(std::uint32_t place, std::int64_t errors) const {
  const Costs& costs = graph_->costs;
  const std::int64_t most = most_leaves(place);
  if (costs.leaf == 0) return most;
  return std::min(most, (places_.budget[place] - costs.error * errors) / costs.leaf);
}

std::optional<Function> Functions::leaf_at(std::uint32_t place, const Options& options) const {
  const std::uint32_t node = places_.node[place];
  if (graph_->leaf_cost(node) > places_.budget[place] || most_leaves(place) < 1) return {};
  Function leaf;
  leaf.value = label_values_.of(graph_->label[node]);
  if (!places_.mass.empty()) leaf.value = times(leaf.value, places_.mass[place]);
  leaf.errors = graph_->errors[node];
  leaf.leaves = 1;
  if (place != 0) return leaf;
  if (!view_.fits(0)) return {};
  if ((leaf.value[0] & options.residue.low()) != options.residue.value) return {};
  return leaf;
}

void Functions::fill(std::uint32_t place, const Options& options, Meter& meter) {
  const Graph& graph = *graph_;
  const bool is_root = place == 0;
  const Residue residue = is_root ? options.residue : Residue{};
  FunctionTable table;
  Held held(meter);
  if (const auto leaf = leaf_at(place, options)) table.add(*leaf);
  std::size_t known = table.bytes();
  held.set(known);
  const auto check_limit = [&] {
    if (table.list.size() <= options.limit) return;
    throw TooMany(table.list.size());
  };
  if (is_root) check_limit();
  FunctionProducts(*this, place, residue, meter, [&](const Function* batch, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) table.prefetch(batch[i].value, batch[i].groups);
    for (std::size_t i = 0; i < n; ++i) table.add(batch[i]);
    if (table.bytes() != known) held.set(known = table.bytes());
    if (is_root) check_limit();
    if (table.list.size() >= 0xfffffff0U) throw MemoryLimit(meter.limit());
  }).run();
  held.set(known + table.list.size() * (order_bytes + sizeof(Function)));
  std::vector<Function>& list = lists_[place];
  list.reserve(table.list.size());
  for (const Standing& each : in_order(table.list, graph.costs)) {
    list.push_back(table.list[each.number]);
  }
}

void Functions::count_root(const Options& options, Meter& meter) {
  PointSet values;
  Held held(meter);
  const auto check_limit = [&] {
    if (values.size() <= options.limit) return;
    throw TooMany(values.size());
  };
  if (const auto leaf = leaf_at(0, options)) values.add(leaf->value);
  check_limit();
  FunctionProducts(*this, 0, options.residue, meter, [&](const Function* batch, std::size_t n) {
    while (values.full(n)) {
      held.set(3 * values.bytes());  // the old and the new
      values.grow();
    }
    for (std::size_t i = 0; i < n; ++i) values.prefetch(batch[i].value);
    for (std::size_t i = 0; i < n; ++i) values.add(batch[i].value);
    check_limit();
  }).run();
  n_ = values.size();
}

namespace {

void add_product(std::uint64_t& to, std::uint64_t a, std::uint64_t b) {
  const FullProduct product = full_product(a, b);
  to += product.low;
  if (product.high != 0 || to < product.low) throw CountOverflow("trees of one function", 64);
}

}  // namespace

void Functions::tally(std::uint32_t place, const Residue& residue, Meter& meter) {
  const std::vector<Function>& list = lists_[place];
  Tally& own = tallies_[place];
  own.start.reserve(list.size() + 1);
  std::size_t size = 0;
  for (const Function& f : list) {
    own.start.push_back(size);
    size += static_cast<std::size_t>(most_leaves(place, f.errors) - f.leaves + 1);
  }
  own.start.push_back(size);
  Held held(meter);
  held.set(size * 16 + own.start.size() * 8);
  own.trees.assign(size, 0);
  own.nontrivial.assign(size, 0);
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].leaves == 1) own.trees[own.start[i]] = own.nontrivial[own.start[i]] = 1;
  }
  if (graph_->of(places_.node[place]).empty()) return;
  FunctionTable table;
  table.index(list);
  FunctionProducts(*this, place, residue, meter, [&](const Function* batch, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) table.prefetch(batch[i].value, batch[i].groups);
    for (std::size_t i = 0; i < n; ++i) {
      const std::int64_t found = table.find(list, batch[i].value, batch[i].groups);
      if (found >= 0) tally(place, batch[i], static_cast<std::size_t>(found));
    }
  }).run();
  if (place != 0) return;
  for (std::size_t i = 0; i < list.size(); ++i) static_cast<void>(n_trees(i));  // fit 64 bits
}

void Functions::tally(std::uint32_t place, const Function& split, std::size_t position) {
  Tally& own = tallies_[place];
  const std::size_t at = places_.edge_start[place] + split.edge;
  const Tally& a = tallies_[places_.when_true[at]];
  const Tally& b = tallies_[places_.when_false[at]];
  const std::size_t a_start = a.start[split.on_true];
  const std::size_t b_start = b.start[split.on_false];
  const std::size_t begin = own.start[position];
  const std::size_t n = own.start[position + 1] - begin;
  const auto shift = static_cast<std::size_t>(split.leaves - lists_[place][position].leaves);
  const Edge& edge = graph_->of(places_.node[place])[split.edge];
  const bool same =
      split.leaves == 2 && graph_->label[edge.when_true] == graph_->label[edge.when_false];
  for (std::size_t k = a_start; k < a.start[split.on_true + 1]; ++k) {
    for (std::size_t l = b_start; l < b.start[split.on_false + 1]; ++l) {
      const std::size_t to = shift + (k - a_start) + (l - b_start);
      if (to >= n) break;
      // Of a pair of leaves only the smallest trees are the leaves themselves.
      const bool is_trivial = same && k == a_start && l == b_start;
      if (is_trivial && !view_.trivial) continue;
      add_product(own.trees[begin + to], a.trees[k], b.trees[l]);
      if (is_trivial) continue;
      add_product(own.nontrivial[begin + to], a.nontrivial[k], b.nontrivial[l]);
    }
  }
}

std::uint64_t Functions::sum(const std::vector<std::uint64_t>& counts, std::size_t position) const {
  const Tally& root = tallies_[0];
  std::uint64_t n = 0;
  for (std::size_t i = root.start[position]; i < root.start[position + 1]; ++i) {
    add_product(n, counts[i], 1);
  }
  return n;
}

std::uint64_t Functions::n_trees(std::size_t position) const {
  return sum(tallies_[0].trees, position);
}

std::uint64_t Functions::n_nontrivial(std::size_t position) const {
  return sum(tallies_[0].nontrivial, position);
}

}  // namespace orderless::rashomon
