#include "core/ensembles/dual.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/base/errors.hpp"

namespace orderless::ensembles {

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

}  // namespace orderless::ensembles
