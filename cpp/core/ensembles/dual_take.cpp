#include <algorithm>

#include "core/ensembles/dual.hpp"

namespace orderless::ensembles {

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
