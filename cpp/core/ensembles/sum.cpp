#include "core/ensembles/sum.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numeric>
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

namespace {

std::uint64_t hashed(std::span<const std::uint8_t> bytes) {
  std::uint64_t hash = 0x9e3779b97f4a7c15U ^ bytes.size();
  for (std::size_t i = 0; i < bytes.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, std::min<std::size_t>(8, bytes.size() - i));
    hash = (hash ^ word) * 0xff51afd7ed558ccdU;
    hash ^= hash >> 32;
  }
  return hash;
}

}  // namespace

std::vector<std::size_t> first_alike(std::size_t n, const BoxAt& box) {
  std::vector<std::size_t> first(n);
  std::iota(first.begin(), first.end(), 0);
  if (n < 2) return first;
  std::vector<std::uint8_t> room;
  std::vector<std::uint8_t> other_room;
  std::vector<std::uint64_t> hash(n);
  for (std::size_t i = 0; i < n; ++i) hash[i] = hashed(box(i, room));
  std::vector<std::size_t> order = first;
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return hash[a] != hash[b] ? hash[a] < hash[b] : a < b;
  });
  for (std::size_t begin = 0, end = 0; begin < n; begin = end) {
    while (end < n && hash[order[end]] == hash[order[begin]]) ++end;
    for (std::size_t i = begin + 1; i < end; ++i) {
      const auto own = box(order[i], room);
      for (std::size_t j = begin; j < i; ++j) {
        if (first[order[j]] != order[j]) continue;
        if (!std::ranges::equal(own, box(order[j], other_room))) continue;
        first[order[i]] = order[j];
        break;
      }
    }
  }
  return first;
}

using rows::Column;

namespace {

template <class T>
T item(const std::byte* first, std::ptrdiff_t stride, std::size_t row) {
  T value;
  std::memcpy(&value, first + stride * static_cast<std::ptrdiff_t>(row), sizeof(T));
  return value;
}

/// How many cuts a value is above, without branches that depend on it.
std::int32_t cuts_below(std::span<const double> cuts, double value) {
  const double* base = cuts.data();
  std::size_t n = cuts.size();
  while (n > 1) {
    const std::size_t half = n / 2;
    base += half & (std::size_t{0} - static_cast<std::size_t>(base[half - 1] < value));
    n -= half;
  }
  const std::ptrdiff_t more = n == 1 && *base < value ? 1 : 0;
  return static_cast<std::int32_t>(base - cuts.data() + more);
}

}  // namespace

RowBins::RowBins(const Sum& sum, std::vector<RowFeature> features)
    : sum_(&sum), features_(std::move(features)) {
  bool fit = features_.size() == sum.n_features();
  for (std::size_t f = 0; f < features_.size() && fit; ++f) {
    const std::int32_t n = sum.feature(f).n_bins;
    fit = sum.feature(f).ordered ? features_[f].cuts.size() + 1 == at(n)
                                 : std::ranges::all_of(features_[f].bins, [n](std::int32_t b) {
                                     return b >= 0 && b < n;
                                   });
  }
  if (!fit) throw std::invalid_argument("cuts and bins are not those of the sum's features");
}

std::int32_t RowBins::bin(std::size_t f, double value) const {
  if (!std::isnan(value)) return cuts_below(features_[f].cuts, value);
  return sum_->has_nan(f) ? sum_->feature(f).n_bins : -1;
}

void RowBins::numbers(std::size_t f, const Column& column, std::size_t first, std::size_t n,
                      std::int32_t* out) const {
  const std::size_t step = features_.size();
  const std::span<const double> cuts = features_[f].cuts;
  const std::int32_t unknown = sum_->has_nan(f) ? sum_->feature(f).n_bins : -1;
  const auto run = [&]<class T>(T) {
    for (std::size_t i = 0; i < n; ++i) {
      const auto value = static_cast<double>(item<T>(column.first, column.stride, first + i));
      const std::int32_t below = cuts_below(cuts, value);
      out[i * step] = value != value ? unknown : below;
    }
  };
  column.kind == Column::Kind::f32 ? run(float{}) : run(double{});
}

void RowBins::cells(std::span<const Column> columns, std::size_t first, std::size_t n,
                    std::span<std::int32_t> out) const {
  std::vector<std::uint8_t> allowed;
  for (std::size_t f = 0; f < features_.size(); ++f) {
    const Column& column = columns[features_[f].column];
    const std::size_t step = features_.size();
    if (column.kind == Column::Kind::f64 || column.kind == Column::Kind::f32) {
      numbers(f, column, first, n, out.data() + f);
      continue;
    }
    allowed.resize(at(sum_->width(f)));
    for (std::size_t i = 0; i < n; ++i) {
      if (column.kind == Column::Kind::code) {
        const auto code = item<std::int32_t>(column.first, column.stride, first + i);
        out[i * step + f] = code < 0 ? -1 : features_[f].bins[at(code)];
        continue;
      }
      box_of(f, column, first + i, allowed.data());
      const auto some = std::ranges::find_if(allowed, [](auto own) { return own != 0; });
      const bool one = some != allowed.end() &&
                       std::none_of(some + 1, allowed.end(), [](auto own) { return own != 0; });
      out[i * step + f] = one ? static_cast<std::int32_t>(some - allowed.begin()) : -1;
    }
  }
}

void RowBins::box(std::span<const Column> columns, std::size_t row,
                  std::span<std::uint8_t> out) const {
  for (std::size_t f = 0; f < features_.size(); ++f) {
    box_of(f, columns[features_[f].column], row, out.data() + sum_->first_bin(f));
  }
}

void RowBins::box_of(std::size_t f, const Column& column, std::size_t row,
                     std::uint8_t* out) const {
  const auto width = at(sum_->width(f));
  std::int32_t only = -1;
  switch (column.kind) {
    case Column::Kind::absent:
      break;
    case Column::Kind::f64:
      only = bin(f, item<double>(column.first, column.stride, row));
      break;
    case Column::Kind::f32:
      only = bin(f, static_cast<double>(item<float>(column.first, column.stride, row)));
      break;
    case Column::Kind::code: {
      const auto code = item<std::int32_t>(column.first, column.stride, row);
      only = code < 0 ? -1 : features_[f].bins[at(code)];
      break;
    }
    case Column::Kind::between:
      box_between(f, column, row, out);
      return;
    case Column::Kind::among: {
      std::fill(out, out + width, std::uint8_t{0});
      const std::byte* own = column.first + column.stride * static_cast<std::ptrdiff_t>(row);
      for (std::size_t v = 0; v < features_[f].bins.size(); ++v) {
        if (own[v] != std::byte{0}) out[at(features_[f].bins[v])] = 1;
      }
      return;
    }
  }
  std::fill(out, out + width, std::uint8_t{only < 0});
  if (only >= 0) out[only] = 1;
}

void RowBins::box_between(std::size_t f, const Column& column, std::size_t row,
                          std::uint8_t* out) const {
  const auto low = item<double>(column.first, column.stride, row);
  const auto high = item<double>(column.second, column.second_stride, row);
  const std::int32_t n = sum_->feature(f).n_bins;
  const std::vector<double>& cuts = features_[f].cuts;
  const bool number = !std::isnan(low);
  const std::int32_t begin = number ? cuts_below(cuts, low) : n;
  const std::int32_t end = std::isnan(high) ? n - 1 : cuts_below(cuts, high);
  const bool all = !number && !sum_->has_nan(f);
  for (std::int32_t b = 0; b < n; ++b) out[b] = all || (b >= begin && b <= end) ? 1 : 0;
  if (sum_->has_nan(f)) out[n] = std::isnan(high) ? 1 : 0;
}

}  // namespace orderless::ensembles
