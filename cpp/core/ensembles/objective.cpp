#include "core/ensembles/objective.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include "core/base/errors.hpp"

namespace orderless::ensembles {

/// Makes a Local: walks every tree with what the box leaves of each feature, then numbers anew the
/// features and bins that are still told apart.
class Restrict {
 public:
  Restrict(Local& local, std::span<const std::uint8_t> allowed)
      : local_(local), sum_(local.sum_), allowed_(allowed) {
    look();
    for (std::size_t t = 0; t < sum_.n_with_facts(); ++t) {
      if (t == sum_.n_trees()) local_.first_fact_ = local_.roots_.size();
      const std::int32_t root = restrict(sum_.root(t));
      if (local_.nodes_[at(root)].feature >= 0) {
        local_.roots_.push_back(root);
        continue;
      }
      const std::int32_t leaf = local_.nodes_[at(root)].cut;
      local_.nodes_.pop_back();
      if (t < sum_.n_trees()) local_.constant_.push_back(leaf);
      if (sum_.impossible(leaf)) local_.impossible_ = true;
    }
    if (sum_.n_with_facts() == sum_.n_trees()) local_.first_fact_ = local_.roots_.size();
    number();
  }

 private:
  /// What is left of an ordered feature on the way down.
  struct Part {
    std::int32_t low = 0, high = -1;  // of numbers
    bool nan = false;
    const std::int32_t* before = nullptr;  // with holes: how many allowed bins come before a bin
    [[nodiscard]] bool some(std::int32_t a, std::int32_t b) const {
      return a <= b && (before == nullptr || before[b + 1] > before[a]);
    }
  };

  void look() {
    parts_.resize(sum_.n_features());
    sets_.resize(sum_.n_features());
    local_.known_.resize(sum_.n_features());
    before_.reserve(sum_.n_features());
    for (std::size_t f = 0; f < sum_.n_features(); ++f) {
      const std::uint8_t* own = allowed_.data() + sum_.first_bin(f);
      std::int32_t first = 0;
      while (first < sum_.width(f) && own[first] == 0) ++first;
      if (first == sum_.width(f)) throw std::invalid_argument("a box has no bin of some feature");
      local_.known_[f] = first;
      sum_.feature(f).ordered ? look_ordered(f, own, first) : look_unordered(f, own);
    }
  }

  void look_ordered(std::size_t f, const std::uint8_t* own, std::int32_t first) {
    const std::int32_t n = sum_.feature(f).n_bins;
    Part& part = parts_[f];
    part.low = first;
    part.high = n - 1;
    while (part.high >= first && own[part.high] == 0) --part.high;
    part.nan = sum_.has_nan(f) && own[n] != 0;
    if (std::find(own + first, own + std::max(first, part.high + 1), 0) !=
        own + std::max(first, part.high + 1)) {
      std::vector<std::int32_t> before(at(n) + 1, 0);
      for (std::int32_t b = 0; b < n; ++b) before[at(b) + 1] = before[at(b)] + (own[b] != 0);
      before_.push_back(std::move(before));
      part.before = before_.back().data();
    }
  }

  void look_unordered(std::size_t f, const std::uint8_t* own) {
    sets_[f].assign(sum_.set_words(f), 0);
    for (std::int32_t b = 0; b < sum_.width(f); ++b) {
      if (own[b] != 0) set_bit(sets_[f], at(b));
    }
  }

  std::int32_t put(const LocalNode& node) {
    local_.nodes_.push_back(node);
    return static_cast<std::int32_t>(local_.nodes_.size()) - 1;
  }

  std::int32_t restrict(std::int32_t i) {
    const Node& node = sum_.node(i);
    if (node.feature < 0) return put({-1, node.cut, -1, -1, false});
    return sum_.feature(at(node.feature)).ordered ? restrict_ordered(i, node)
                                                  : restrict_unordered(i, node);
  }

  std::int32_t restrict_ordered(std::int32_t i, const Node& node) {
    Part& part = parts_[at(node.feature)];
    const Part whole = part;
    const bool nan_true = whole.nan && sum_.nan_true(i);
    const bool nan_false = whole.nan && !nan_true;
    const std::int32_t last = std::min(whole.high, node.cut);
    const std::int32_t next = std::max(whole.low, node.cut + 1);
    const bool some_true = whole.some(whole.low, last);
    const bool some_false = whole.some(next, whole.high);
    if (!(some_false || nan_false)) return restrict(node.yes);
    if (!(some_true || nan_true)) return restrict(node.no);
    const std::size_t begin = local_.nodes_.size();
    part = {whole.low, some_true ? last : whole.low - 1, nan_true, whole.before};
    const std::int32_t yes = restrict(node.yes);
    part = {next, some_false ? whole.high : next - 1, nan_false, whole.before};
    const std::int32_t no = restrict(node.no);
    part = whole;
    return join({node.feature, node.cut, yes, no, nan_true}, begin);
  }

  std::int32_t restrict_unordered(std::int32_t i, const Node& node) {
    Words& own = sets_[at(node.feature)];
    const std::uint64_t* const inside = sum_.set(node);
    const Words whole = own;
    bool some_true = false;
    bool some_false = false;
    for (std::size_t w = 0; w < own.size(); ++w) {
      some_true = some_true || (own[w] & inside[w]) != 0;
      some_false = some_false || (own[w] & ~inside[w]) != 0;
    }
    if (!some_false) return restrict(node.yes);
    if (!some_true) return restrict(node.no);
    const std::size_t begin = local_.nodes_.size();
    for (std::size_t w = 0; w < own.size(); ++w) own[w] &= inside[w];
    const std::int32_t yes = restrict(node.yes);
    for (std::size_t w = 0; w < own.size(); ++w) own[w] = whole[w] & ~inside[w];
    const std::int32_t no = restrict(node.no);
    own = whole;
    return join({node.feature, i, yes, no, false}, begin);
  }

  /// Puts a node, unless both of its children are leaves that add the same.
  std::int32_t join(const LocalNode& node, std::size_t begin) {
    const LocalNode& yes = local_.nodes_[at(node.yes)];
    const LocalNode& no = local_.nodes_[at(node.no)];
    if (yes.feature < 0 && no.feature < 0 && sum_.same(yes.cut, no.cut)) {
      const LocalNode leaf = yes;
      local_.nodes_.resize(begin);
      return put(leaf);
    }
    return put(node);
  }

  void number() {
    place_.assign(sum_.n_features(), -1);
    std::vector<std::vector<std::size_t>> asked(sum_.n_features());
    for (std::size_t i = 0; i < local_.nodes_.size(); ++i) {
      if (local_.nodes_[i].feature >= 0) asked[at(local_.nodes_[i].feature)].push_back(i);
    }
    for (std::size_t f = 0; f < asked.size(); ++f) {
      if (asked[f].empty()) continue;
      place_[f] = static_cast<std::int32_t>(local_.features_.size());
      LocalFeature own;
      own.feature = f;
      own.ordered = sum_.feature(f).ordered;
      own.first = local_.n_bins_;
      local_.group_.emplace_back();
      find_asking(asked[f]);
      own.ordered ? number_ordered(own, asked[f]) : number_unordered(own, asked[f]);
      local_.n_bins_ += at(own.width);
      for (const std::size_t i : asked[f]) local_.nodes_[i].feature = place_[f];
      local_.features_.push_back(own);
    }
  }

  /// The trees of some nodes: each tree ends with its root.
  void find_asking(const std::vector<std::size_t>& asked) {
    std::vector<std::int32_t>& roots = local_.asking_.emplace_back();
    auto root = local_.roots_.begin();
    for (const std::size_t i : asked) {
      if (!roots.empty() && at(roots.back()) >= i) continue;
      root = std::lower_bound(root, local_.roots_.end(), static_cast<std::int32_t>(i));
      roots.push_back(*root);
    }
  }

  void number_ordered(LocalFeature& own, const std::vector<std::size_t>& asked) {
    const Part& part = parts_[own.feature];
    const std::uint8_t* const bins = allowed_.data() + sum_.first_bin(own.feature);
    const auto begins = [&](std::int32_t cut) {  // the first allowed number above a cut
      std::int32_t b = std::max(cut + 1, part.low);
      while (b <= part.high && bins[b] == 0) ++b;
      return b;
    };
    const std::size_t n = at(sum_.feature(own.feature).n_bins);
    std::vector<std::int32_t> number(n + 1, -1);  // by the first bin: 0 where one begins
    if (part.low <= part.high) number[at(part.low)] = 0;
    for (const std::size_t i : asked) {
      const std::int32_t b = begins(local_.nodes_[i].cut);
      if (b <= part.high) number[at(b)] = 0;
    }
    for (std::int32_t b = part.low; b <= part.high; ++b) {
      if (number[at(b)] < 0) continue;
      number[at(b)] = own.width++;
      local_.bin_.push_back(b);
    }
    for (const std::size_t i : asked) {
      const std::int32_t b = begins(local_.nodes_[i].cut);
      local_.nodes_[i].cut = (b <= part.high ? number[at(b)] : own.width) - 1;
    }
    own.nan = part.nan;
    if (own.nan) {
      local_.bin_.push_back(static_cast<std::int32_t>(n));
      ++own.width;
    }
  }

  void number_unordered(LocalFeature& own, const std::vector<std::size_t>& asked) {
    const Words& allowed = sets_[own.feature];
    std::vector<std::size_t> bins;
    each_bit(allowed, [&](std::size_t b) { bins.push_back(b); });
    std::vector<std::int32_t> group(bins.size(), 0);
    for (const std::size_t i : asked) {  // refined by each set
      const std::uint64_t* inside = sum_.set(sum_.node(local_.nodes_[i].cut));
      std::map<std::pair<std::int32_t, bool>, std::int32_t> finer;
      for (std::size_t k = 0; k < bins.size(); ++k) {
        const auto key = std::pair(group[k], has_bit(inside, bins[k]));
        group[k] = finer.try_emplace(key, static_cast<std::int32_t>(finer.size())).first->second;
      }
      own.width = static_cast<std::int32_t>(finer.size());
    }
    std::vector<std::size_t> first(at(own.width), 0);
    for (std::size_t k = bins.size(); k-- > 0;) first[at(group[k])] = bins[k];
    for (const std::size_t b : first) local_.bin_.push_back(static_cast<std::int32_t>(b));
    std::vector<std::int32_t>& by_bin = local_.group_.back();
    by_bin.assign(at(sum_.width(own.feature)), -1);
    for (std::size_t k = 0; k < bins.size(); ++k) by_bin[bins[k]] = group[k];
    own.n_words = words_for(first.size());
    for (const std::size_t i : asked) {
      const std::uint64_t* inside = sum_.set(sum_.node(local_.nodes_[i].cut));
      const std::size_t begin = local_.words_.size();
      local_.words_.resize(begin + own.n_words, 0);
      for (std::size_t k = 0; k < first.size(); ++k) {
        if (has_bit(inside, first[k])) set_bit(&local_.words_[begin], k);
      }
      local_.nodes_[i].cut = static_cast<std::int32_t>(begin);
    }
  }

  Local& local_;
  const Sum& sum_;
  std::span<const std::uint8_t> allowed_;
  std::vector<Part> parts_;
  std::vector<Words> sets_;
  std::vector<std::vector<std::int32_t>> before_;
  std::vector<std::int32_t> place_;
};

Local::Local(const Sum& sum, std::span<const std::uint8_t> allowed) : sum_(sum) {
  const Restrict made(*this, allowed);
}

Cell Local::cell(std::span<const std::int32_t> local) const {
  Cell out = known_;
  for (std::size_t f = 0; f < features_.size(); ++f) {
    out[features_[f].feature] = bin_[features_[f].first + at(local[f])];
  }
  return out;
}

std::int32_t Local::bin_of(std::size_t f, std::int32_t bin) const {
  const LocalFeature& own = features_[f];
  if (!own.ordered) return std::max(group_[f][at(bin)], 0);
  if (own.nan && bin == sum_.feature(own.feature).n_bins) return own.width - 1;
  const auto begin = bin_.begin() + static_cast<std::ptrdiff_t>(own.first);
  const auto next = std::upper_bound(begin, begin + own.n_numbers(), bin);
  return std::max(static_cast<std::int32_t>(next - begin) - 1, 0);
}

std::vector<std::int32_t> Local::near(std::span<const std::int32_t> cell) const {
  std::vector<std::int32_t> out(features_.size());
  for (std::size_t f = 0; f < out.size(); ++f) out[f] = bin_of(f, cell[features_[f].feature]);
  return out;
}

std::vector<std::uint8_t> Local::around(std::span<const std::int32_t> cell) const {
  std::vector<std::uint8_t> inside(n_bins_, 1);
  for (const std::int32_t root : roots_) {
    std::int32_t i = root;
    while (nodes_[at(i)].feature >= 0) {
      const LocalNode& here = nodes_[at(i)];
      const LocalFeature& own = features_[at(here.feature)];
      const bool yes = holds(here, cell[at(here.feature)]);
      for (std::int32_t b = 0; b < own.width; ++b) {
        if (holds(here, b) != yes) inside[own.first + at(b)] = 0;
      }
      i = yes ? here.yes : here.no;
    }
  }
  return inside;
}

// Sums where facts hold: trees that say what is possible stand behind those that are added up. In
// an objective, what they exclude is worth less than anything possible, so that bounds leave it
// out.

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

namespace {

/// A weighted sum of whole numbers in units of 2^coarse, rounded up.
std::int64_t weighted(const Weights& weights, const std::int64_t* whole, int coarse) {
  std::int64_t sum = 0;
  for (std::size_t s = 0; s < weights.size(); ++s) {
    const std::int64_t unit = (std::int64_t{1} << coarse) - 1;
    sum += weights[s] * (weights[s] > 0 ? (whole[s] + unit) >> coarse : whole[s] >> coarse);
  }
  return sum;
}

}  // namespace

Objective::Objective(const Local& local, const Weights& weights, int coarse)
    : local_(&local), values_(local.nodes().size()) {
  const Sum& sum = local.sum();
  constant_ = weighted(weights, sum.whole_bases(), coarse);
  for (const std::int32_t leaf : local.constant()) {
    constant_ += weighted(weights, sum.whole(leaf), coarse);
  }
  for (std::size_t i = 0; i < values_.size(); ++i) {  // children come first
    const LocalNode& node = local.nodes()[i];
    values_[i] = node.feature < 0 ? weighted(weights, sum.whole(node.cut), coarse)
                                  : std::max(values_[at(node.yes)], values_[at(node.no)]);
  }
  if (local.n_facts() > 0) leave_out_impossible();
  bound_ = constant_;
  for (const std::int32_t root : local.roots()) bound_ += value(root);
}

void Objective::leave_out_impossible() {
  const std::int64_t away = out_of_reach(*local_, values_);
  for (std::size_t i = 0; i < values_.size(); ++i) {  // of other trees they stay as they are
    const LocalNode& node = local_->nodes()[i];
    if (node.feature >= 0) {
      values_[i] = std::max(values_[at(node.yes)], values_[at(node.no)]);
    } else if (local_->sum().impossible(node.cut)) {
      values_[i] = away;
    }
  }
}

std::int64_t Objective::at_cell(std::span<const std::int32_t> cell) const {
  std::int64_t sum = constant_;
  for (const std::int32_t root : local_->roots()) sum += value(local_->leaf(root, cell));
  return sum;
}

namespace {

/// Sums of all trees by the bins of one feature, the others being fixed.
class Sweep {
 public:
  Sweep(const Objective& objective, std::span<const std::int32_t> cell)
      : objective_(objective), local_(objective.local()), cell_(cell) {}

  /// By bin; only trees that ask about the feature are counted.
  const std::vector<std::int64_t>& run(std::size_t f) {
    own_ = &local_.features()[f];
    asked_ = static_cast<std::int32_t>(f);
    steps_.assign(at(own_->width) + 1, 0);
    std::vector<std::uint8_t> inside(own_->ordered ? 0 : at(own_->width), 1);
    for (const std::int32_t root : local_.asking(f)) {
      if (own_->ordered) {
        ordered(root, 0, own_->n_numbers() - 1, own_->nan);
      } else {
        unordered(root, inside);
      }
    }
    if (own_->ordered) {
      for (std::size_t b = 1; b < steps_.size(); ++b) steps_[b] += steps_[b - 1];
    }
    steps_.pop_back();
    return steps_;
  }

 private:
  void ordered(std::int32_t i, std::int32_t low, std::int32_t high, bool nan) {
    while (true) {
      const LocalNode& here = local_.nodes()[at(i)];
      if (here.feature < 0) break;
      if (here.feature != asked_) {
        i = local_.holds(here, cell_[at(here.feature)]) ? here.yes : here.no;
        continue;
      }
      const std::int32_t last = std::min(high, here.cut);
      const std::int32_t next = std::max(low, here.cut + 1);
      const bool yes = low <= last || (nan && here.nan_true);
      const bool no = next <= high || (nan && !here.nan_true);
      if (yes && no) {
        ordered(here.yes, low, last, nan && here.nan_true);
        nan = nan && !here.nan_true;
      }
      if (no)
        low = next;  // where only one side is there it is the whole
      else
        high = last;
      i = no ? here.no : here.yes;
    }
    const std::int64_t value = objective_.value(i);
    if (low <= high) add(low, high, value);
    if (nan) add(own_->width - 1, own_->width - 1, value);
  }

  void unordered(std::int32_t i, const std::vector<std::uint8_t>& inside) {
    while (local_.nodes()[at(i)].feature >= 0) {
      const LocalNode& here = local_.nodes()[at(i)];
      if (here.feature != asked_) {
        i = local_.holds(here, cell_[at(here.feature)]) ? here.yes : here.no;
        continue;
      }
      std::vector<std::uint8_t> yes(inside);
      std::vector<std::uint8_t> no(inside);
      for (std::int32_t b = 0; b < own_->width; ++b) (local_.holds(here, b) ? no : yes)[at(b)] = 0;
      unordered(here.yes, yes);
      unordered(here.no, no);
      return;
    }
    for (std::size_t b = 0; b < inside.size(); ++b) {
      if (inside[b] != 0) steps_[b] += objective_.value(i);
    }
  }

  void add(std::int32_t low, std::int32_t high, std::int64_t value) {
    steps_[at(low)] += value;
    steps_[at(high) + 1] -= value;
  }

  const Objective& objective_;
  const Local& local_;
  std::span<const std::int32_t> cell_;
  const LocalFeature* own_ = nullptr;
  std::int32_t asked_ = 0;
  std::vector<std::int64_t> steps_;
};

}  // namespace

std::int64_t climb(const Objective& objective, std::vector<std::int32_t>& cell, std::int64_t enough,
                   const Barred& barred) {
  std::int64_t now = objective.at_cell(cell);
  Sweep sweep(objective, cell);
  const std::size_t n = cell.size();
  std::size_t still = 0;  // features since the last that was changed
  for (std::size_t f = 0; still < n && now < enough; f = (f + 1) % n) {
    const std::vector<std::int64_t>& sums = sweep.run(f);
    std::size_t best = at(cell[f]);
    for (std::size_t b = 0; b < sums.size(); ++b) {
      if (sums[b] > sums[best] && !barred.has(f, b)) best = b;
    }
    const std::int64_t gain = sums[best] - sums[at(cell[f])];
    still = gain > 0 ? 1 : still + 1;
    if (gain > 0) cell[f] = static_cast<std::int32_t>(best);
    now += gain;
  }
  return now;
}

std::vector<std::int64_t> by_bin(const Objective& objective, std::span<const std::int32_t> cell,
                                 std::size_t f) {
  std::vector<std::int64_t> sums = Sweep(objective, cell).run(f);
  const std::int64_t others = objective.at_cell(cell) - sums[at(cell[f])];
  for (std::int64_t& sum : sums) sum += others;
  return sums;
}

}  // namespace orderless::ensembles
