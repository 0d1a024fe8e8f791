#include "core/rashomon_functions.hpp"

#include <algorithm>
#include <limits>

#include "core/rashomon_best.hpp"
#include "core/rashomon_table.hpp"

namespace orderless::rashomon {

Functions::Functions(std::shared_ptr<const Graph> graph, View view, SpaceMeasure* measure,
                     std::vector<Point> class_values, const Options& options, Meter& meter)
    : graph_(std::move(graph)),
      view_(std::move(view)),
      masks_(view_.masks(graph_->rows.n_columns)),
      reachable_(*graph_, view_),
      class_values_(std::move(class_values)),
      counted_(options.with_counts) {
  if (reachable_.max_leaves(0) > std::numeric_limits<std::uint16_t>::max()) {
    throw FunctionLimit("functions of trees with more than 65535 leaves");
  }
  const std::size_t before = meter.held();
  if (measure != nullptr) {
    place_all(measure, meter);
  } else {
    place_on_rows(meter);
  }
  Held held(meter);
  std::size_t bytes = places_.bytes() + places_.size() * sizeof(std::vector<Function>);
  if (counted_) bytes += places_.size() * sizeof(Tally);
  held.set(bytes);
  lists_.resize(std::max<std::size_t>(places_.size(), 1));
  if (counted_) tallies_.resize(lists_.size());
  const auto finish = [&](std::uint32_t place) {
    fill(place, options, meter);
    bytes += lists_[place].size() * sizeof(Function);
    held.set(bytes);
    if (!counted_) return;
    tally(place, place == 0 ? options.residue : std::nullopt, meter);
    bytes += tallies_[place].start.size() * 8 + tallies_[place].trees.size() * 16;
    held.set(bytes);
  };
  // Leaves first: they are shared by places of several levels.
  for (const bool leaves : {true, false}) {
    for (auto place = static_cast<std::uint32_t>(places_.size()); place-- > 0;) {
      if (graph_->of(places_.node[place]).empty() == leaves) finish(place);
    }
  }
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

void Functions::fill(std::uint32_t place, const Options& options, Meter& meter) {
  const Graph& graph = *graph_;
  const std::uint32_t node = places_.node[place];
  const bool is_root = place == 0;
  const std::optional<Residue> residue = is_root ? options.residue : std::nullopt;
  const std::int64_t budget = places_.budget[place];
  const auto full = static_cast<std::uint16_t>(view_.full());
  FunctionTable table;
  Held held(meter);
  if (graph.leaf_cost(node) <= budget && most_leaves(place) >= 1 && (!is_root || full == 0)) {
    Function leaf;
    leaf.value = class_values_[static_cast<std::size_t>(graph.label[node])];
    if (!places_.mass.empty()) leaf.value = times(leaf.value, places_.mass[place]);
    leaf.errors = graph.errors[node];
    leaf.leaves = 1;
    const std::uint64_t low = residue ? (std::uint64_t{1} << residue->bits) - 1 : 0;
    if (!residue || (leaf.value[0] & low) == residue->value) table.add(leaf);
  }
  std::size_t known = table.bytes();
  held.set(known);
  const auto check_limit = [&] {
    if (table.list.size() <= options.limit) return;
    throw FunctionLimit("more than " + std::to_string(options.limit) + " functions");
  };
  if (is_root) check_limit();
  for_products(*this, places_, lists_, place, budget, most_leaves(place), view_.trivial, masks_,
               residue, meter, [&](const Function* batch, std::size_t n) {
                 for (std::size_t i = 0; i < n; ++i)
                   table.prefetch(batch[i].value, batch[i].groups);
                 for (std::size_t i = 0; i < n; ++i) {
                   if (is_root && batch[i].groups != full) continue;
                   table.add(batch[i]);
                 }
                 if (table.bytes() != known) held.set(known = table.bytes());
                 if (is_root) check_limit();
                 if (table.list.size() >= 0xfffffff0U) throw MemoryLimit("2^32 functions");
               });
  // By cost, leaves and value: by what tells nearly all apart, packed, and the rest where needed.
  struct Order {
    std::int64_t cost;
    std::uint64_t rest;  // leaves, and the first element without its last bits
    std::uint32_t number;
  };
  std::vector<Order> order;
  order.reserve(table.list.size());
  held.set(known + table.list.size() * (sizeof(Order) + sizeof(Function)));
  for (std::uint32_t i = 0; i < table.list.size(); ++i) {
    const Function& f = table.list[i];
    order.push_back({cost(f), static_cast<std::uint64_t>(f.leaves) << 48U | f.value[0] >> 13U, i});
  }
  std::sort(order.begin(), order.end(), [&](const Order& a, const Order& b) {
    if (a.cost != b.cost) return a.cost < b.cost;
    if (a.rest != b.rest) return a.rest < b.rest;
    const Function& f = table.list[a.number];
    const Function& g = table.list[b.number];
    return f.value != g.value ? f.value < g.value : f.groups < g.groups;
  });
  std::vector<Function>& list = lists_[place];
  list.reserve(order.size());
  for (const Order& each : order) list.push_back(table.list[each.number]);
}

namespace {

void add_product(std::uint64_t& to, std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product) || __builtin_add_overflow(to, product, &to)) {
    throw CountOverflow("more than 2^64 trees of one function");
  }
}

}  // namespace

void Functions::tally(std::uint32_t place, const std::optional<Residue>& residue, Meter& meter) {
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
  const Graph& graph = *graph_;
  const auto edges = graph.of(places_.node[place]);
  if (edges.empty()) return;
  FunctionTable table;
  table.index(list);
  for_products(*this, places_, lists_, place, places_.budget[place], most_leaves(place),
               view_.trivial, masks_, residue, meter, [&](const Function* batch, std::size_t n) {
                 for (std::size_t i = 0; i < n; ++i)
                   table.prefetch(batch[i].value, batch[i].groups);
                 for (std::size_t i = 0; i < n; ++i) {
                   const Function& f = batch[i];
                   const std::int64_t found = table.find(list, f.value, f.groups);
                   if (found < 0) continue;  // without the groups
                   const auto target = static_cast<std::size_t>(found);
                   const std::size_t at = places_.edge_start[place] + f.edge;
                   const std::uint32_t true_place = places_.when_true[at];
                   const std::uint32_t false_place = places_.when_false[at];
                   const Tally& a = tallies_[true_place];
                   const Tally& b = tallies_[false_place];
                   const std::size_t begin = own.start[target];
                   const std::size_t n_target = own.start[target + 1] - begin;
                   const auto shift = static_cast<std::size_t>(f.leaves - list[target].leaves);
                   const bool same = f.leaves == 2 && graph.label[edges[f.edge].when_true] ==
                                                          graph.label[edges[f.edge].when_false];
                   for (std::size_t k = a.start[f.on_true]; k < a.start[f.on_true + 1]; ++k) {
                     const std::size_t from = shift + k - a.start[f.on_true];
                     for (std::size_t l = b.start[f.on_false]; l < b.start[f.on_false + 1]; ++l) {
                       const std::size_t to = from + l - b.start[f.on_false];
                       if (to >= n_target) break;
                       // Of a pair of leaves only the smallest trees are the leaves themselves.
                       const bool is_trivial =
                           same && k == a.start[f.on_true] && l == b.start[f.on_false];
                       if (is_trivial && !view_.trivial) continue;
                       add_product(own.trees[begin + to], a.trees[k], b.trees[l]);
                       if (!is_trivial)
                         add_product(own.nontrivial[begin + to], a.nontrivial[k], b.nontrivial[l]);
                     }
                   }
                 }
               });
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
