#include "core/ensembles/sum.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "core/base/errors.hpp"

namespace orderless::ensembles {

namespace {

constexpr double most = 2305843009213693952.0 * 1.01;  // about 2^61
constexpr int most_deep = 500;

template <class T>
std::vector<T> copied(std::span<const T> values) {
  return {values.begin(), values.end()};
}

}  // namespace

Sum::Sum(const SumParts& parts, std::vector<BinFeature> features)
    : features_(std::move(features)),
      roots_(copied(parts.roots)),
      score_(copied(parts.score)),
      values_(copied(parts.values)),
      whole_(copied(parts.whole)),
      base_(copied(parts.base)),
      whole_base_(copied(parts.whole_base)),
      slack_(copied(parts.slack)),
      single_(parts.single),
      base_last_(parts.base_last),
      divisor_(parts.divisor),
      rule_(parts.rule),
      cuts_(copied(parts.cuts)),
      whole_cuts_(copied(parts.whole_cuts)),
      window_(parts.window),
      whole_window_(parts.whole_window),
      either_(parts.either),
      n_classes_(parts.n_classes) {
  for (std::size_t f = 0; f < features_.size(); ++f) {
    first_bin_.push_back(first_bin_.back() + at(width(f)));
  }
  check_parts(parts);
  for (const std::int32_t root : roots_) {
    if (root < 0 || at(root) >= parts.nodes.feature.size()) {
      throw std::invalid_argument("a root is not a node");
    }
  }
  take_nodes(parts.nodes, values_.size() / base_.size());
  check_depth();
  for (const std::int64_t slack : slack_) exact_ = exact_ && slack == 0;
  check_room();
}

void Sum::check_parts(const SumParts& parts) const {
  const std::size_t n = parts.nodes.feature.size();
  const bool nodes = parts.nodes.cut.size() == n && parts.nodes.nan_true.size() == n &&
                     parts.nodes.when_true.size() == n && parts.nodes.when_false.size() == n &&
                     parts.nodes.leaf_class.size() == n && parts.nodes.set_start.size() == n + 1;
  const bool sums = !base_.empty() && whole_base_.size() == base_.size() &&
                    slack_.size() == base_.size() && values_.size() == whole_.size() &&
                    values_.size() % base_.size() == 0 && score_.size() == roots_.size();
  const bool rule = rule_ == Rule::largest ? at(n_classes_) == base_.size()
                    : rule_ == Rule::cuts  ? base_.size() == 1 && cuts_.size() == whole_cuts_.size()
                                           : true;
  if (!nodes || !sums || !rule || !(divisor_ > 0)) {
    throw std::invalid_argument("the arrays of a sum of trees do not fit together");
  }
}

void Sum::take_nodes(const BinTree& nodes, std::size_t n_leaves) {
  const auto inside = [](std::int32_t i, std::size_t n) { return i >= 0 && at(i) < n; };
  nan_true_.insert(nan_true_.end(), nodes.nan_true.begin(), nodes.nan_true.end());
  nodes_.reserve(nodes_.size() + nodes.feature.size());
  for (std::size_t i = 0; i < nodes.feature.size(); ++i) {
    const std::int32_t f = nodes.feature[i];
    if (f < 0) {
      if (!inside(nodes.leaf_class[i], n_leaves)) {
        throw std::invalid_argument("a leaf has no values");
      }
      nodes_.push_back({-1, nodes.leaf_class[i], -1, -1});
      continue;
    }
    if (!inside(f, features_.size()) || !inside(nodes.when_true[i], nodes.feature.size()) ||
        !inside(nodes.when_false[i], nodes.feature.size())) {
      throw std::invalid_argument("a node has no such feature or child");
    }
    std::int32_t cut = nodes.cut[i];
    if (!features_[at(f)].ordered) {
      cut = static_cast<std::int32_t>(words_.size());
      words_.resize(words_.size() + set_words(at(f)), 0);
      const auto begin = static_cast<std::size_t>(nodes.set_start[i]);
      const auto end = static_cast<std::size_t>(nodes.set_start[i + 1]);
      for (const std::int32_t bin : nodes.set_bins.subspan(begin, end - begin)) {
        set_bit(&words_[at(cut)], at(bin));
      }
    }
    nodes_.push_back({f, cut, nodes.when_true[i], nodes.when_false[i]});
  }
}

/// Refuses trees that are deeper than a recursion may go.
void Sum::check_depth() const {
  struct Step {
    std::int32_t node;
    int depth;
  };
  std::vector<Step> steps;
  for (const std::int32_t root : roots_) {
    steps.push_back({root, 0});
    while (!steps.empty()) {
      const auto [node, depth] = steps.back();
      steps.pop_back();
      if (depth > most_deep) throw TooDeep();
      const Node& here = nodes_[at(node)];
      if (here.feature < 0) continue;
      steps.push_back({here.yes, depth + 1});
      steps.push_back({here.no, depth + 1});
    }
  }
}

void Sum::check_room() const {
  for (std::size_t s = 0; s < n_scores(); ++s) {
    Weights one(n_scores(), 0);
    one[s] = 1;
    check(one);
  }
}

void Sum::check(const Weights& weights) const {
  double total = 0;
  for (std::size_t s = 0; s < weights.size(); ++s) {
    const double weight = std::abs(static_cast<double>(weights[s]));
    total += weight * std::abs(static_cast<double>(whole_base_[s]));
    for (std::size_t t = 0; t < n_trees(); ++t) {
      if (score_[t] >= 0 && at(score_[t]) != s) continue;
      double largest = 0;
      std::vector<std::int32_t> todo{roots_[t]};
      while (!todo.empty()) {
        const Node& here = nodes_[at(todo.back())];
        todo.pop_back();
        if (here.feature < 0) {
          largest = std::max(largest, std::abs(static_cast<double>(whole(here.cut)[s])));
        } else {
          todo.push_back(here.yes);
          todo.push_back(here.no);
        }
      }
      total += weight * largest;
    }
  }
  if (total > most) throw CountOverflow("units of a sum", 61);
}

bool Sum::same(std::int32_t a, std::int32_t b) const {
  if (impossible(a) != impossible(b)) return false;
  return a == b || std::equal(values(a), values(a) + n_scores(), values(b));
}

}  // namespace orderless::ensembles
