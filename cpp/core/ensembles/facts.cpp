// Sums where facts hold: trees that say what is possible stand behind those that are added up. In
// an objective, what they exclude is worth less than anything possible, so that bounds leave it
// out.

#include "core/ensembles/facts.hpp"

#include <algorithm>
#include <stdexcept>

#include "core/base/errors.hpp"

namespace orderless::ensembles {

namespace {

constexpr int fact_room = 61;  // bits of a sum with what facts exclude

/// Looks for a possible leaf of a tree of facts; `left`: the local bins on the way to it.
bool find_possible(const Local& local, std::int32_t i, std::vector<std::uint8_t>& left) {
  const LocalNode& node = local.nodes()[at(i)];
  if (node.feature < 0) return !local.sum().impossible(node.cut);
  const LocalFeature& own = local.features()[at(node.feature)];
  const auto begin = left.begin() + static_cast<std::ptrdiff_t>(own.first);
  const std::vector<std::uint8_t> before(begin, begin + own.width);
  for (const bool yes : {true, false}) {
    bool some = false;
    for (std::int32_t b = 0; b < own.width; ++b) {
      const bool inside = before[at(b)] != 0 && local.holds(node, b) == yes;
      left[own.first + at(b)] = inside ? 1 : 0;
      some = some || inside;
    }
    if (some && find_possible(local, yes ? node.yes : node.no, left)) return true;
  }
  std::ranges::copy(before, begin);
  return false;
}

}  // namespace

Sum::Sum(const Sum& own, const BinTree& facts, std::span<const std::int32_t> roots) : Sum(own) {
  if (impossible_ >= 0) throw std::invalid_argument("a sum has facts already");
  const std::size_t n = facts.feature.size();
  if (facts.cut.size() != n || facts.nan_true.size() != n || facts.when_true.size() != n ||
      facts.when_false.size() != n || facts.leaf_class.size() != n ||
      facts.set_start.size() != n + 1) {
    throw std::invalid_argument("the arrays of facts do not fit together");
  }
  const std::size_t first = nodes_.size();
  const std::size_t n_leaves = values_.size() / n_scores();
  take_nodes(facts, 2);
  for (std::size_t i = first; i < nodes_.size(); ++i) {
    Node& node = nodes_[i];
    const auto by = static_cast<std::int32_t>(node.feature < 0 ? n_leaves : first);
    if (node.feature < 0) {
      node.cut += by;
    } else {
      node.yes += by;
      node.no += by;
    }
  }
  impossible_ = static_cast<std::int32_t>(n_leaves + 1);
  values_.resize(values_.size() + 2 * n_scores(), 0);
  whole_.resize(whole_.size() + 2 * n_scores(), 0);
  for (const std::int32_t root : roots) {
    if (root < 0 || at(root) >= n) throw std::invalid_argument("a root is not a node");
    roots_.push_back(root + static_cast<std::int32_t>(first));
  }
  check_depth();
}

std::int64_t out_of_reach(const Local& local, std::span<const std::int64_t> values) {
  std::vector<std::int64_t> low(values.begin(), values.end());
  for (std::size_t i = 0; i < low.size(); ++i) {  // children come first
    const LocalNode& node = local.nodes()[i];
    if (node.feature >= 0) low[i] = std::min(low[at(node.yes)], low[at(node.no)]);
  }
  double range = 1;
  for (const std::int32_t root : local.roots()) {
    range += static_cast<double>(values[at(root)]) - static_cast<double>(low[at(root)]);
  }
  const auto n = static_cast<double>(local.n_facts() + 2);
  if (range * n * 1.01 > static_cast<double>(std::int64_t{1} << fact_room)) {
    throw CountOverflow("units of a sum with facts", fact_room);
  }
  return -static_cast<std::int64_t>(range * 1.001) - 1;
}

std::vector<std::int32_t> some_possible(const Local& local) {
  std::vector<std::int32_t> cell;
  for (const LocalFeature& own : local.features()) cell.push_back(own.width / 2);
  if (local.n_facts() == 0 || local.possible(cell)) return cell;
  std::vector<std::uint8_t> left(local.n_bins(), 1);
  for (std::size_t t = 0; t < local.n_facts(); ++t) {
    if (!find_possible(local, local.fact(t), left)) return {};
  }
  for (std::size_t f = 0; f < cell.size(); ++f) {
    const LocalFeature& own = local.features()[f];
    while (left[own.first + at(cell[f])] == 0) cell[f] = (cell[f] + 1) % own.width;
  }
  return cell;
}

}  // namespace orderless::ensembles
