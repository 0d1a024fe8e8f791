#include "core/ensembles/dual.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/base/errors.hpp"

namespace orderless::ensembles {

Leaves::Leaves(const Objective& objective, Words& words)
    : objective_(objective),
      local_(objective.local()),
      words_(words),
      place_(objective.local().features().size(), -1) {}

void Leaves::find(std::int32_t root) {
  values.clear();
  sides.clear();
  features.clear();
  asked(root);
  std::ranges::sort(features);
  now_.clear();
  for (std::size_t k = 0; k < features.size(); ++k) {
    place_[features[k]] = static_cast<std::int32_t>(k);
    now_.push_back(whole(features[k]));
  }
  walk(root);
  for (const std::uint16_t f : features) place_[f] = -1;
}

void Leaves::asked(std::int32_t i) {
  const LocalNode& node = local_.nodes()[at(i)];
  if (node.feature < 0) return;
  if (place_[at(node.feature)] < 0) {
    place_[at(node.feature)] = 0;
    features.push_back(static_cast<std::uint16_t>(node.feature));
  }
  asked(node.yes);
  asked(node.no);
}

Side Leaves::whole(std::size_t f) {
  const LocalFeature& own = local_.features()[f];
  if (own.ordered) {
    return {0, static_cast<std::uint16_t>(own.n_numbers() - 1), own.nan ? 1U : 0U};
  }
  const auto begin = static_cast<std::uint32_t>(words_.size());
  const Words all = first_bits(at(own.width));
  words_.insert(words_.end(), all.begin(), all.end());
  return {1, 0, begin};
}

void Leaves::walk(std::int32_t i) {
  const LocalNode& node = local_.nodes()[at(i)];
  if (node.feature < 0) {
    values.push_back(objective_.value(i));
    sides.insert(sides.end(), now_.begin(), now_.end());
    return;
  }
  const std::size_t k = at(place_[at(node.feature)]);
  const Side before = now_[k];
  now_[k] = part(before, node, true);
  walk(node.yes);
  now_[k] = part(before, node, false);
  walk(node.no);
  now_[k] = before;
}

Side Leaves::part(const Side& side, const LocalNode& node, bool yes) {
  const LocalFeature& own = local_.features()[at(node.feature)];
  if (own.ordered) {
    const std::uint32_t nan = side.more != 0 && node.nan_true == yes ? 1 : 0;
    const std::int32_t low = yes ? side.low : std::max<std::int32_t>(side.low, node.cut + 1);
    const std::int32_t high = yes ? std::min<std::int32_t>(side.high, node.cut) : side.high;
    if (low > high) return {1, 0, nan};
    return {static_cast<std::uint16_t>(low), static_cast<std::uint16_t>(high), nan};
  }
  const auto begin = static_cast<std::uint32_t>(words_.size());
  for (std::size_t w = 0; w < own.n_words; ++w) {
    const std::uint64_t inside = local_.words()[at(node.cut) + w];
    words_.push_back(words_[side.more + w] & (yes ? inside : ~inside));
  }
  return {1, 0, begin};
}

namespace {

constexpr double whole_up_to = 4503599627370496.0;  // 2^52: doubles still hold all whole numbers

}  // namespace

template <class Use>
void Dual::each_segment(const Left& left, const Words& words, const User& user, const Part& part,
                        Use&& use) const {
  if (is_ordered(user.feature)) {
    if (part.low <= part.high) {
      for (std::size_t s = part.low; s <= part.high; ++s) use(s);
    }
    if (part.more != 0) use(user.n_segments - 1);
    return;
  }
  const std::size_t first = left.first[user.feature];
  for (std::size_t b = 0; b < user.n_segments; ++b) {
    if (has_bit(&words[part.more], at(left.bins[first + b]))) use(b);
  }
}

/// By segment: the most that a tree has in it, not counting its own share of it.
void Dual::find_hope(const Left& left, const Words& words, const User& user, double* hope) const {
  const Factor& own = factors_[user.factor];
  std::fill(hope, hope + user.n_segments, none);
  for (std::size_t i = 0; i < own.n_leaves; ++i) {
    if (sums_[own.leaves + i] == none) continue;
    const std::size_t place = own.sides + i * own.n_users + user.k;
    const double sum = sums_[own.leaves + i] - reach_[place];
    each_segment(left, words, user, parts_[place],
                 [&](std::size_t s) { hope[s] = hope[s] > sum ? hope[s] : sum; });
  }
}

/// By bin of a feature: what all of its users hope for.
void Dual::add_up(const Left& left, std::size_t f) {
  const std::size_t width = left.width(f);
  total_.assign(width + 1, 0);
  hopeless_.assign(width + 1, 0);
  for (const std::size_t u : asking_[f]) {
    const User& user = users_[u];
    std::size_t begin = 0;
    for (std::size_t s = user.segments; s < user.segments + user.n_segments; ++s) {
      const auto end = at(ends_[s]);
      if (hope_[s] == none) {
        ++hopeless_[begin];
        --hopeless_[end];
      } else {
        total_[begin] += hope_[s];
        total_[end] -= hope_[s];
      }
      begin = end;
    }
  }
  for (std::size_t b = 1; b < width; ++b) {
    total_[b] += total_[b - 1];
    hopeless_[b] += hopeless_[b - 1];
  }
}

/// Finds what is fair, and the bins that are dead. False if all are.
bool Dual::settle(const Left& left, std::size_t f, double rest, std::span<std::uint8_t> dead) {
  const auto n = static_cast<double>(asking_[f].size());
  most_over_[f] = none;
  for (std::size_t b = 0; b < left.width(f); ++b) {
    const std::size_t bin = left.first[f] + b;
    if (std::abs(total_[b]) > whole_up_to) throw CountOverflow("units of a bound", 52);
    if (hopeless_[b] > 0 || total_[b] + rest < target_) dead[bin] = 1;
    if (dead[bin] != 0) {
      fair_[bin] = over_[bin] = if_bin_[bin] = none;
      continue;
    }
    if_bin_[bin] = total_[b] + rest;
    fair_[bin] = std::floor(total_[b] / n);
    over_[bin] = total_[b] - n * fair_[bin];
    most_over_[f] = std::max(most_over_[f], over_[bin]);
  }
  return most_over_[f] != none;
}

/// So that the largest of any bins in a row can be looked up.
void Dual::make_table(std::span<const double> fair) {
  table_width_ = fair.size();
  const auto levels = static_cast<std::size_t>(std::bit_width(table_width_));
  table_.resize(levels * table_width_);
  std::ranges::copy(fair, table_.begin());
  for (std::size_t level = 1; level < levels; ++level) {
    const double* below = &table_[(level - 1) * table_width_];
    double* own = &table_[level * table_width_];
    const std::size_t half = std::size_t{1} << (level - 1);
    for (std::size_t b = 0; b + 2 * half <= table_width_; ++b) {
      own[b] = below[b] > below[b + half] ? below[b] : below[b + half];
    }
  }
}

double Dual::most_fair(std::size_t begin, std::size_t end) const {
  const auto level = static_cast<std::size_t>(std::bit_width(end - begin) - 1);
  const double* own = &table_[level * table_width_];
  return std::max(own[begin], own[end - (std::size_t{1} << level)]);
}

/// The largest share of the bins of each segment.
void Dual::give(const User& user) {
  std::size_t begin = 0;
  for (std::size_t s = user.segments; s < user.segments + user.n_segments; ++s) {
    const auto end = at(ends_[s]);
    share_[s] = hope_[s] == none ? none : most_fair(begin, end) - hope_[s];
    begin = end;
  }
}

double Dual::reach_of(const Left& left, const Words& words, const User& user,
                      const Part& part) const {
  double top = none;
  const double* const share = &share_[user.segments];
  each_segment(left, words, user, part,
               [&](std::size_t s) { top = share[s] > top ? share[s] : top; });
  return top;
}

/// What the leaves of a tree have, after its shares of a feature were changed.
void Dual::reach(const Left& left, const Words& words, const User& user) {
  Factor& own = factors_[user.factor];
  own.best = none;
  for (std::size_t i = 0; i < own.n_leaves; ++i) {
    double& sum = sums_[own.leaves + i];
    if (sum == none) continue;
    const std::size_t place = own.sides + i * own.n_users + user.k;
    const double reach = reach_of(left, words, user, parts_[place]);
    sum = reach == none ? none : sum + (reach - reach_[place]);
    reach_[place] = reach;
    own.best = std::max(own.best, sum);
  }
}

/// All trees that ask about a feature get the same of what they have together with each bin.
bool Dual::star(const Left& left, const Words& words, std::size_t f, std::span<std::uint8_t> dead) {
  double rest = bound_ - most_over_[f];
  for (const std::size_t u : asking_[f]) {
    find_hope(left, words, users_[u], &hope_[users_[u].segments]);
    rest -= factors_[users_[u].factor].best;
  }
  add_up(left, f);
  if (!settle(left, f, rest, dead)) return false;
  make_table(std::span(fair_).subspan(left.first[f], left.width(f)));
  bound_ = rest + most_over_[f];
  for (const std::size_t u : asking_[f]) {
    give(users_[u]);
    reach(left, words, users_[u]);
    bound_ += factors_[users_[u].factor].best;
  }
  return bound_ >= target_;
}

bool Dual::sweep(const Left& left, const Words& words, std::span<std::uint8_t> dead) {
  for (std::size_t f = 0; f < asking_.size(); ++f) {
    if (!asking_[f].empty() && !star(left, words, f, dead)) return false;
  }
  drop_leaves();
  return bound_ >= target_;
}

/// Leaves with which no cell can reach the target.
void Dual::drop_leaves() {
  const double most = slack();
  for (const Factor& own : factors_) {
    for (std::size_t i = 0; i < own.n_leaves; ++i) {
      double& sum = sums_[own.leaves + i];
      if (own.best - sum > most) sum = none;
    }
  }
}

/// By segment: the most that a tree's leaves have in it, halfway between their own values and those
/// with shares; gives the most of all. Shares alone say where the bound is low now, not what a cut
/// settles for good: with them the search visits many times as many nodes.
double Dual::find_tops(const Left& left, const Words& words, const User& user,
                       std::vector<double>& tops) const {
  const Factor& own = factors_[user.factor];
  tops.assign(user.n_segments, none);
  double best = none;
  for (std::size_t i = 0; i < own.n_leaves; ++i) {
    if (sums_[own.leaves + i] == none) continue;
    const double mean = (values_[own.leaves + i] + sums_[own.leaves + i]) / 2;
    best = std::max(best, mean);
    each_segment(left, words, user, parts_[own.sides + i * own.n_users + user.k],
                 [&](std::size_t s) { tops[s] = tops[s] > mean ? tops[s] : mean; });
  }
  for (std::size_t s = 0; s < tops.size(); ++s) {
    if (share_[user.segments + s] == none) tops[s] = none;
  }
  return best;
}

void Dual::halves(const Left& left, const Words& words, std::size_t f, std::vector<double>& below,
                  std::vector<double>& above) {
  const std::size_t width = left.width(f);
  const double most = slack() + 1;
  below.assign(width, 0);
  above.assign(width, 0);
  for (const std::size_t u : asking_[f]) {
    const User& user = users_[u];
    std::vector<double>& tops = total_;
    const double best = find_tops(left, words, user, tops);
    const auto cost = [&](double top) { return std::min(best - top, most); };
    if (!is_ordered(f)) {
      const auto first = static_cast<std::size_t>(std::ranges::max_element(tops) - tops.begin());
      double second = none;
      for (std::size_t b = 0; b < width; ++b) {
        if (b != first) second = std::max(second, tops[b]);
        below[b] += cost(tops[b]);
      }
      above[first] += cost(second);
      continue;
    }
    double top = none;
    std::size_t b = 0;
    for (std::size_t s = 0; s < tops.size(); ++s) {
      top = std::max(top, tops[s]);
      for (; b < at(ends_[user.segments + s]); ++b) below[b] += cost(top);
    }
    top = none;
    for (std::size_t s = tops.size(); s-- > 0;) {
      const std::size_t begin = s == 0 ? 0 : at(ends_[user.segments + s - 1]);
      above[--b] += cost(top);
      top = std::max(top, tops[s]);
      while (b > begin) above[--b] += cost(top);
    }
  }
}

namespace {

constexpr int room = 42;  // bits of the sum of all values, of the 53 that a double has

/// Divided by a power of two, rounded up.
std::int64_t scaled_up(std::int64_t value, int shift) {
  if (shift <= 0) return value << -shift;
  return (value >> shift) + ((value & ((std::int64_t{1} << shift) - 1)) != 0 ? 1 : 0);
}

}  // namespace

Left::Left(const Local& local) {
  for (const LocalFeature& own : local.features()) {
    first.push_back(bins.size());
    nan.push_back(own.nan ? 1 : 0);
    for (std::int32_t b = 0; b < own.width; ++b) bins.push_back(b);
  }
  first.push_back(bins.size());
}

Dual::Dual(const Objective& objective, Words& words)
    : local_(&objective.local()), constant_(objective.constant()) {
  const Left left(*local_);
  Leaves leaves(objective, words);
  std::vector<std::int64_t> values;
  for (const std::int32_t root : local_->roots()) {
    leaves.find(root);
    const auto [low, high] = std::ranges::minmax(leaves.values);
    constant_ += low;
    range_ += high - low;
    const std::size_t n = leaves.features.size();
    factors_.push_back({values.size(), leaves.values.size(), users_.size(), n, parts_.size(), 0});
    for (const std::int64_t value : leaves.values) values.push_back(value - low);
    parts_.insert(parts_.end(), leaves.sides.begin(), leaves.sides.end());
    for (std::size_t k = 0; k < n; ++k) add_segments(leaves, k, left);
  }
  scale(values, range_);
  hope_.assign(ends_.size(), 0);
  fair_.assign(left.bins.size(), 0);
  find_users(left);
  begin(left, words);
}

void Dual::scale(const std::vector<std::int64_t>& values, std::int64_t range) {
  while (range >> std::max(shift_, 0) >= std::int64_t{1} << room) ++shift_;
  while (shift_ <= 0 && range << (1 - shift_) < std::int64_t{1} << room && shift_ > -room) --shift_;
  values_.reserve(values.size());
  for (const std::int64_t value : values) {
    values_.push_back(static_cast<double>(scaled_up(value, shift_)));
  }
}

/// Finds what the last tree does not tell apart of its feature k, and writes its sides as parts.
void Dual::add_segments(const Leaves& leaves, std::size_t k, const Left& left) {
  const Factor& own = factors_.back();
  const std::size_t f = leaves.features[k];
  const std::size_t width = left.width(f);
  users_.push_back({f, factors_.size() - 1, k, ends_.size(), 0});
  if (!is_ordered(f)) {
    for (std::size_t b = 0; b < width; ++b) ends_.push_back(static_cast<std::int32_t>(b + 1));
    users_.back().n_segments = width;
    return;
  }
  std::vector<std::int32_t> begins(width + 1, 0);  // then: which segment begins here
  begins[width] = 1;
  if (left.nan[f] != 0) begins[width - 1] = 1;
  for (std::size_t i = 0; i < own.n_leaves; ++i) {
    const Part& side = parts_[own.sides + i * own.n_users + k];
    if (side.low <= side.high) begins[side.low] = begins[side.high + 1U] = 1;
  }
  std::int32_t n = 0;
  for (std::size_t b = 1; b <= width; ++b) {
    if (begins[b] == 0) continue;
    ends_.push_back(static_cast<std::int32_t>(b));
    begins[b] = ++n;
  }
  begins[0] = 0;
  users_.back().n_segments = at(n);
  for (std::size_t i = 0; i < own.n_leaves; ++i) {
    Part& side = parts_[own.sides + i * own.n_users + k];
    if (side.low > side.high) continue;
    const std::int32_t end = begins[side.high + 1U];
    side.low = static_cast<std::uint16_t>(begins[side.low]);
    side.high = static_cast<std::uint16_t>(end - 1);
  }
}

void Dual::aim(std::int64_t target) {
  const std::int64_t more = std::clamp(target - constant_, -range_ - 1, range_ + 1);
  target_ = static_cast<double>(scaled_up(more, shift_));
}

std::int64_t Dual::bound() const {
  const auto own = static_cast<std::int64_t>(bound_);
  return constant_ + (shift_ <= 0 ? own >> -shift_ : own << shift_);
}

std::size_t Dual::bytes() const {
  const std::size_t numbers = values_.capacity() + sums_.capacity() + parts_.capacity() +
                              reach_.capacity() + hope_.capacity() + share_.capacity() +
                              ends_.capacity() + table_.capacity();
  return factors_.capacity() * sizeof(Factor) + users_.capacity() * sizeof(User) +
         numbers * sizeof(double);
}

void Dual::find_users(const Left& left) {
  asking_.resize(local_->features().size());
  for (std::vector<std::size_t>& own : asking_) own.clear();
  for (std::size_t u = 0; u < users_.size(); ++u) asking_[users_[u].feature].push_back(u);
  if_bin_.assign(left.bins.size(), 0);
  over_.assign(left.bins.size(), 0);
  most_over_.assign(asking_.size(), 0);
}

/// Finds the shares and the bound, from what is fair and hoped for.
void Dual::begin(const Left& left, const Words& words) {
  share_.resize(hope_.size());
  bound_ = own_constant_;
  for (std::size_t f = 0; f < asking_.size(); ++f) {
    if (asking_[f].empty()) continue;
    add_up(left, f);
    make_table(std::span(fair_).subspan(left.first[f], left.width(f)));
    for (const std::size_t u : asking_[f]) give(users_[u]);
    const auto n = static_cast<double>(asking_[f].size());
    most_over_[f] = none;
    for (std::size_t b = 0; b < left.width(f); ++b) {
      over_[left.first[f] + b] = total_[b] - n * fair_[left.first[f] + b];
      most_over_[f] = std::max(most_over_[f], over_[left.first[f] + b]);
    }
    bound_ += most_over_[f];
  }
  sums_.assign(values_.size(), 0);
  reach_.resize(parts_.size());
  for (Factor& own : factors_) {
    own.best = none;
    for (std::size_t i = 0; i < own.n_leaves; ++i) {
      double sum = values_[own.leaves + i];
      for (std::size_t k = 0; k < own.n_users; ++k) {
        const std::size_t place = own.sides + i * own.n_users + k;
        reach_[place] = reach_of(left, words, users_[own.users + k], parts_[place]);
        sum += reach_[place];
      }
      sums_[own.leaves + i] = sum;
      own.best = std::max(own.best, sum);
    }
    bound_ += own.best;
  }
}

void Dual::edges(const Left& left, std::span<std::uint8_t> edge) const {
  for (const Factor& own : factors_) {
    for (std::size_t i = 0; i < own.n_leaves; ++i) {
      if (sums_[own.leaves + i] == none) continue;
      for (std::size_t k = 0; k < own.n_users; ++k) {
        const User& user = users_[own.users + k];
        const Part& part = parts_[own.sides + i * own.n_users + k];
        if (!is_ordered(user.feature) || part.low > part.high) continue;
        const std::size_t first = left.first[user.feature];
        const std::int32_t* ends = &ends_[user.segments];
        if (part.low > 0) edge[first + at(ends[part.low - 1])] = 1;
        if (part.high + 1U < user.n_segments) edge[first + at(ends[part.high])] = 1;
      }
    }
  }
}

bool Dual::take(const Dual& from, const Kept& kept, const Words& words) {
  local_ = from.local_;
  constant_ = from.constant_;
  range_ = from.range_;
  own_constant_ = from.own_constant_;
  shift_ = from.shift_;
  target_ = from.target_;
  factors_.clear();
  users_.clear();
  values_.clear();
  parts_.clear();
  ends_.clear();
  hope_.clear();
  fair_.resize(kept.left.bins.size());
  for (std::size_t f = 0; f < local_->features().size(); ++f) {
    for (std::size_t b = kept.old.first[f]; b < kept.old.first[f + 1]; ++b) {
      if (kept.number[b] >= 0) fair_[kept.left.first[f] + at(kept.number[b])] = from.fair_[b];
    }
  }
  for (const Factor& own : from.factors_) {
    if (!take_factor(from, own, kept, words)) return false;
  }
  find_users(kept.left);
  begin(kept.left, words);
  return true;
}

/// The segments of which bins are kept.
void Dual::take_user(const Dual& from, const User& user, const Kept& kept) {
  kept_segments_.push_back(kept_ends_.size());
  kept_first_.push_back(kept_before_.size());
  const std::size_t first = kept.old.first[user.feature];
  const std::size_t width = kept.old.width(user.feature);
  std::int32_t begin = 0;
  std::int32_t n = 0;
  for (std::size_t s = user.segments; s < user.segments + user.n_segments; ++s) {
    const auto end = at(from.ends_[s]);
    const auto now = end == width ? static_cast<std::int32_t>(kept.left.width(user.feature))
                                  : kept.before[first + end];
    kept_before_.push_back(n);
    if (now == begin) continue;
    kept_ends_.push_back(now);
    kept_hope_.push_back(from.hope_[s]);
    begin = now;
    ++n;
  }
  kept_before_.push_back(n);
}

/// The part over the segments that are kept, of which `first` says how many come before each; false
/// if none is.
bool Dual::taken(Part& part, const User& user, const Kept& kept, const Words& words,
                 std::size_t first) const {
  const std::size_t f = user.feature;
  if (!is_ordered(f)) {
    for (std::size_t b = kept.left.first[f]; b < kept.left.first[f + 1]; ++b) {
      if (has_bit(&words[part.more], at(kept.left.bins[b]))) return true;
    }
    return false;
  }
  if (kept.left.nan[f] == 0) part.more = 0;
  if (part.low <= part.high) {
    const std::int32_t low = kept_before_[first + part.low];
    const std::int32_t end = kept_before_[first + part.high + 1];
    part.low = static_cast<std::uint16_t>(low < end ? low : 1);
    part.high = static_cast<std::uint16_t>(low < end ? end - 1 : 0);
  }
  return part.low <= part.high || part.more != 0;
}

bool Dual::covers(const Part& part, const User& user, const Left& left, const Words& words,
                  std::size_t n_segments) const {
  const std::size_t f = user.feature;
  if (!is_ordered(f)) {
    for (std::size_t b = left.first[f]; b < left.first[f + 1]; ++b) {
      if (!has_bit(&words[part.more], at(left.bins[b]))) return false;
    }
    return true;
  }
  const std::size_t n_numbers = n_segments - left.nan[f];
  const bool numbers = n_numbers == 0 || (part.low == 0 && part.high + 1U == n_numbers);
  return numbers && (left.nan[f] == 0 || part.more != 0);
}

bool Dual::take_factor(const Dual& from, const Factor& own, const Kept& kept, const Words& words) {
  const std::size_t n = own.n_users;
  kept_parts_.clear();
  kept_values_.clear();
  kept_ends_.clear();
  kept_hope_.clear();
  kept_before_.clear();
  kept_segments_.clear();
  kept_first_.clear();
  for (std::size_t k = 0; k < n; ++k) take_user(from, from.users_[own.users + k], kept);
  kept_segments_.push_back(kept_ends_.size());
  std::vector<std::uint8_t> all(n, 1);  // whether every leaf covers the feature
  for (std::size_t i = 0; i < own.n_leaves; ++i) {
    if (from.sums_[own.leaves + i] == none) continue;
    const std::size_t begin = kept_parts_.size();
    bool some = true;
    for (std::size_t k = 0; k < n && some; ++k) {
      Part part = from.parts_[own.sides + i * n + k];
      some = taken(part, from.users_[own.users + k], kept, words, kept_first_[k]);
      kept_parts_.push_back(part);
    }
    if (!some) {
      kept_parts_.resize(begin);
      continue;
    }
    kept_values_.push_back(from.values_[own.leaves + i]);
    for (std::size_t k = 0; k < n; ++k) {
      if (all[k] == 0) continue;
      all[k] = covers(kept_parts_[begin + k], from.users_[own.users + k], kept.left, words,
                      kept_segments_[k + 1] - kept_segments_[k])
                   ? 1
                   : 0;
    }
  }
  if (kept_values_.empty()) return false;
  put_factor(from, own, all);
  return true;
}

/// Puts the leaves that were kept, without the features that all of them cover: what the tree took
/// of those is left over.
void Dual::put_factor(const Dual& from, const Factor& own, const std::vector<std::uint8_t>& all) {
  Factor next{values_.size(), kept_values_.size(), users_.size(), 0, parts_.size(), 0};
  for (std::size_t k = 0; k < own.n_users; ++k) {
    if (all[k] != 0) continue;
    const std::size_t n = kept_segments_[k + 1] - kept_segments_[k];
    users_.push_back(
        {from.users_[own.users + k].feature, factors_.size(), next.n_users++, ends_.size(), n});
    for (std::size_t s = kept_segments_[k]; s < kept_segments_[k + 1]; ++s) {
      ends_.push_back(kept_ends_[s]);
      hope_.push_back(kept_hope_[s]);
    }
  }
  if (next.n_users == 0) {
    own_constant_ += *std::ranges::max_element(kept_values_);
    return;
  }
  values_.insert(values_.end(), kept_values_.begin(), kept_values_.end());
  for (std::size_t i = 0; i < kept_values_.size(); ++i) {
    for (std::size_t k = 0; k < own.n_users; ++k) {
      if (all[k] == 0) parts_.push_back(kept_parts_[i * own.n_users + k]);
    }
  }
  factors_.push_back(next);
}

}  // namespace orderless::ensembles
