#include <algorithm>

#include "core/ensembles/dual.hpp"

namespace orderless::ensembles {

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

}  // namespace orderless::ensembles
