#include "core/rashomon/levels.hpp"

#include <algorithm>
#include <bit>

#include "core/rashomon/best.hpp"

namespace orderless::rashomon {

namespace {

constexpr std::uint32_t is_leaf = 0x80000000U;  // marks leaves while their numbers are not final

// Leaves that are found at once: of the first labels, with few errors.
constexpr std::int64_t few_errors = 4096;
constexpr std::int32_t few_labels = 2;

}  // namespace

Levels::Levels(Graph& graph, Meter& meter)
    : graph_(graph),
      rows_(graph.rows),
      costs_(graph.costs),
      meter_(meter),
      held_(meter),
      namer_(rows_.n_words),
      levels_(static_cast<std::size_t>(graph.depth) + 1) {}

std::pair<std::uint32_t, bool> Levels::meet(std::size_t at, const std::uint64_t* support,
                                            const std::int32_t* path, std::int32_t literal,
                                            const Leaf& leaf, std::int64_t budget,
                                            std::int64_t best) {
  Level& level = levels_[at];
  const auto [number, is_new] = level.numbers.add(namer_.name(support));
  if (is_new) {
    if (number >= is_leaf - 1) throw MemoryLimit(meter_.limit());
    if (number == 0) level.reserve(16);
    level.path.insert(level.path.end(), path, path + (at == 0 ? 0 : at - 1));
    if (at != 0) level.path.push_back(literal);
    level.errors.push_back(leaf.errors);
    level.label.push_back(leaf.label);
    level.budget.push_back(budget);
    level.best.push_back(best);
    level.edge_start.push_back(0);
    level.edge_end.push_back(0);
    return {number, true};
  }
  if (level.budget[number] >= budget) return {number, false};
  level.budget[number] = budget;
  return {number, true};
}

std::uint32_t Levels::intern(const std::int64_t* weights) {
  const Leaf leaf = rows_.leaf(weights);
  return intern(leaf.label, leaf.errors);
}

std::uint32_t Levels::intern(std::int32_t label, std::int64_t errors) {
  if (errors >= few_errors || label >= few_labels) return intern_any(label, errors);
  const auto place = static_cast<std::size_t>(errors * few_labels + label);
  if (place >= few_leaves_.size()) {
    few_leaves_.resize(std::bit_ceil(std::max<std::size_t>(place + 1, 64)), 0);
  }
  std::uint32_t& known = few_leaves_[place];
  if (known == 0) known = intern_any(label, errors);
  return known;
}

std::uint32_t Levels::intern_any(std::int32_t label, std::int64_t errors) {
  // Multiplication by an odd number loses nothing: different leaves have different keys.
  const Key key{static_cast<std::uint64_t>(errors) * 0x9e3779b97f4a7c15U,
                static_cast<std::uint64_t>(label)};
  const auto [number, is_new] = leaves_.add(key);
  if (is_new) {
    leaf_label_.push_back(label);
    leaf_errors_.push_back(errors);
  }
  return number | is_leaf;
}

void Levels::follow(std::size_t at, std::uint32_t node, Words& support) const {
  const std::int32_t* path = levels_[at].path.data() + node * at;
  support = rows_.all;
  for (std::size_t p = 0; p < at; ++p) cut(support, path[p], support);
}

void Levels::cut(const Words& support, std::int32_t literal, Words& out) const {
  const std::uint64_t* column = rows_.column(static_cast<std::size_t>(literal / 2));
  const std::uint64_t flip = literal % 2 == 0 ? 0 : ~std::uint64_t{0};
  for (std::size_t w = 0; w < out.size(); ++w) out[w] = support[w] & (column[w] ^ flip);
}

void Levels::set_held() {
  std::size_t bytes = leaf_label_.size() * 80;
  for (const Level& each : levels_) bytes += each.bytes();
  held_.set(bytes);
}

void Levels::keep_paths() {
  const auto depth = static_cast<std::size_t>(graph_.depth);
  graph_.last = last_ != nullptr ? last_ : std::make_shared<const LastSplits>(rows_, meter_);
  graph_.last_path = std::move(levels_[depth - 1].path);
  const std::int64_t most = std::max<std::int64_t>(graph_.most_missed(graph_.bound), 0);
  for (const std::int32_t label : {0, 1}) {
    for (std::int64_t errors = 0; errors <= most; ++errors) {
      graph_.last_leaf.push_back(intern(label, errors));
    }
  }
}

void Levels::finish() {
  if (unwritten_) keep_paths();
  std::vector<std::vector<std::uint32_t>> number(levels_.size());
  std::uint32_t n = 0;
  std::size_t n_edges = 0;
  for (std::size_t at = 0; at < levels_.size(); ++at) {
    graph_.level_start.push_back(n);
    const Level& level = levels_[at];
    number[at].reserve(level.size());
    for (std::size_t i = 0; i < level.size(); ++i) {
      const bool found_later = unwritten_ && left(at) == 1;
      const bool leaf = level.edge_start[i] == level.edge_end[i] && at != 0 && !found_later;
      number[at].push_back(leaf ? intern(level.label[i], level.errors[i]) : n++);
      n_edges += level.edge_end[i] - level.edge_start[i];
    }
  }
  graph_.level_start.push_back(n);
  const std::size_t n_nodes = n + leaf_label_.size();
  Held held(meter_);
  held.set(n_nodes * 36 + n_edges * sizeof(Edge));
  graph_.edges.reserve(n_edges);
  graph_.label.reserve(n_nodes);
  graph_.errors.reserve(n_nodes);
  graph_.budget.reserve(n_nodes);
  graph_.best.reserve(n_nodes);
  graph_.edge_start.reserve(n_nodes + 1);
  for (std::size_t at = 0; at < levels_.size(); ++at) {
    Level& level = levels_[at];
    const auto final = [&](std::uint32_t child) {
      if ((child & is_leaf) == 0) child = number[at + 1][child];
      return (child & is_leaf) != 0 ? n + (child & ~is_leaf) : child;
    };
    for (std::size_t i = 0; i < level.size(); ++i) {
      if ((number[at][i] & is_leaf) != 0) continue;
      graph_.label.push_back(level.label[i]);
      graph_.errors.push_back(level.errors[i]);
      graph_.budget.push_back(level.budget[i]);
      graph_.best.push_back(level.best[i]);
      graph_.edge_start.push_back(graph_.edges.size());
      for (std::size_t e = level.edge_start[i]; e < level.edge_end[i]; ++e) {
        const Edge& edge = level.edges[e];
        graph_.edges.push_back({edge.column, final(edge.when_true), final(edge.when_false)});
      }
    }
    level.edges = {};
  }
  for (std::size_t i = 0; i < leaf_label_.size(); ++i) {
    graph_.label.push_back(leaf_label_[i]);
    graph_.errors.push_back(leaf_errors_[i]);
    graph_.budget.push_back(unreachable);
    graph_.best.push_back(costs_.of(leaf_errors_[i], 1));
    graph_.edge_start.push_back(graph_.edges.size());
  }
  graph_.edge_start.push_back(graph_.edges.size());
  for (std::uint32_t& leaf : graph_.last_leaf) leaf = n + (leaf & ~is_leaf);
}

}  // namespace orderless::rashomon
