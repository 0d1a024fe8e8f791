#include "core/rashomon/cut_search.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "core/base/machine.hpp"
#include "core/rashomon/best.hpp"

namespace orderless::rashomon {

namespace {

// One addition for every later column, or one for every column after sums by bin.
constexpr std::size_t many = 48;

template <class T>
ORDERLESS_INLINE void add_items_to(const Added<T>& t) {
  T* ORDERLESS_ALONE to = t.to;
  if (t.n_items >= many) {
    T* ORDERLESS_ALONE room = t.room;
    for (std::size_t k = 0; k <= t.n; ++k) room[k] = 0;
    for (std::size_t i = 0; i < t.n_items; ++i) {
      T& sum = room[t.bins[t.items[i]]];
      sum = static_cast<T>(sum + t.amounts[t.items[i]]);
    }
    T sum = 0;
    for (std::size_t k = 0; k < t.n; ++k) {
      sum = static_cast<T>(sum + room[k]);
      to[k] = static_cast<T>(to[k] + sum);
    }
    return;
  }
  // A block of columns stays in a register while all items are added to it.
  for (std::size_t k = 0; k < t.n; k += lanes_at_once) {
    T sum[lanes_at_once];
    for (std::size_t l = 0; l < lanes_at_once; ++l) sum[l] = to[k + l];
    for (std::size_t i = 0; i < t.n_items; ++i) {
      const std::size_t item = t.items[i];
      const T amount = t.amounts[item];
      const T* steps = t.steps + (k + t.n - t.bins[item]);
      for (std::size_t l = 0; l < lanes_at_once; ++l) {
        sum[l] = static_cast<T>(sum[l] + (steps[l] & amount));
      }
    }
    for (std::size_t l = 0; l < lanes_at_once; ++l) to[k + l] = sum[l];
  }
}

template <class T>
ORDERLESS_INLINE void find_extremes_of(Extremes<T>& t) {
  T low = 0, high = 0, low_rest = 0, high_rest = 0;
  for (std::size_t k = 0; k < t.n; ++k) {
    const T x = t.sign[k], rest = static_cast<T>(t.all[k] - x);
    low = x < low ? x : low;
    high = x > high ? x : high;
    low_rest = rest < low_rest ? rest : low_rest;
    high_rest = rest > high_rest ? rest : high_rest;
  }
  t.low = low;
  t.high = high;
  t.low_rest = low_rest;
  t.high_rest = high_rest;
}

ORDERLESS_INLINE void add_light_loop(const Added<std::int16_t>& t) { add_items_to(t); }
ORDERLESS_INLINE void add_heavy_loop(const Added<std::int32_t>& t) { add_items_to(t); }
ORDERLESS_INLINE void light_extremes_loop(Extremes<std::int16_t>& t) { find_extremes_of(t); }
ORDERLESS_INLINE void heavy_extremes_loop(Extremes<std::int32_t>& t) { find_extremes_of(t); }

ORDERLESS_WIDTHS(add_light, (const Added<std::int16_t>& t), (t))
ORDERLESS_WIDTHS(add_heavy, (const Added<std::int32_t>& t), (t))
ORDERLESS_WIDTHS(light_extremes, (Extremes<std::int16_t> & t), (t))
ORDERLESS_WIDTHS(heavy_extremes, (Extremes<std::int32_t> & t), (t))

}  // namespace

void add_items(const Added<std::int16_t>& added) { add_light(added); }
void add_items(const Added<std::int32_t>& added) { add_heavy(added); }
void find_extremes(Extremes<std::int16_t>& extremes) { light_extremes(extremes); }
void find_extremes(Extremes<std::int32_t>& extremes) { heavy_extremes(extremes); }

bool is_light(const Cuts& cuts) {
  std::int64_t sum = 0;
  for (const std::int64_t weight : cuts.weight) sum += weight;
  return sum <= std::numeric_limits<std::int16_t>::max();
}

template <class T>
Sweep<T>::Sweep(const Cuts& cuts, const Costs& costs, Meter& meter)
    : cuts_(cuts), costs_(costs), meter_(meter), lane_(1, 0), known_(cuts.n_chains()) {
  std::size_t longest = 0;
  for (std::size_t chain = 0; chain < cuts.n_chains(); ++chain) {
    const std::size_t n = cuts.start[chain + 1] - cuts.start[chain];
    const std::size_t lanes = (n + lanes_at_once - 1) / lanes_at_once * lanes_at_once;
    longest = std::max(longest, lanes);
    lane_.push_back(lane_.back() + lanes);
  }
  room_.resize(longest + 1);
  steps_.assign(2 * longest + lanes_at_once, static_cast<T>(-1));
  std::fill_n(steps_.begin(), longest, T{0});
  for (std::size_t i = 0; i < cuts.n_items(); ++i) {
    const auto own = static_cast<std::int32_t>(cuts.weight[i]);
    weights_.push_back(static_cast<T>(own));
    signs_.push_back(static_cast<T>(cuts.label[i] == 0 ? -own : own));
    weight_ += own;
    sign_ += signs_.back();
  }
  all_sign_ = sign_;
  all_weight_ = weight_;
  sign_of_.assign(lane_.back(), 0);
  all_sign_of_.assign(lane_.back(), 0);
  at_ = static_cast<std::uint32_t>(cuts.n_items());
  for (std::size_t chain = 0; chain < cuts.n_chains(); ++chain) {
    refresh(chain, cuts.items(0));
    // A chain that parts nothing is never the best.
    const bool parts = cuts.start[chain] < cuts.start[chain + 1];
    known_[chain] =
        parts ? Known{0, 0, 0, known_[chain].yes} : Known{0, 0, all_weight_, all_weight_};
  }
  all_sign_of_ = sign_of_;
  at_first_ = known_;
}

template <class T>
void Sweep<T>::begin() {
  at_ = 0;
  sign_ = weight_ = 0;
  std::fill(sign_of_.begin(), sign_of_.end(), T{0});
  known_ = at_first_;
}

template <class T>
void Sweep<T>::refresh(std::size_t chain, const std::uint32_t* items) {
  Known& known = known_[chain];
  const std::size_t lane = lane_[chain], n = lane_[chain + 1] - lane;
  if (known.done < at_ && n > 0) {
    add_items(Added<T>{items + known.done, at_ - known.done, cuts_.bins(chain), signs_.data(),
                       steps_.data() + (steps_.size() - lanes_at_once) / 2 - n,
                       sign_of_.data() + lane, n, room_.data()});
  }
  Extremes<T> found{sign_of_.data() + lane, all_sign_of_.data() + lane, n, 0, 0, 0, 0};
  find_extremes(found);
  const auto errors = [](std::int32_t own, std::int32_t all, std::int32_t low, std::int32_t high) {
    return (all -
            std::max(std::abs(low) + std::abs(own - low), std::abs(high) + std::abs(own - high))) /
           2;
  };
  known.done = at_;
  known.weight = weight_;
  known.yes = errors(sign_, weight_, found.low, found.high);
  known.no = errors(all_sign_ - sign_, all_weight_ - weight_, found.low_rest, found.high_rest);
}

template <class T>
std::int64_t Sweep<T>::leaf_cost(bool yes) const {
  const std::int32_t sign = yes ? sign_ : all_sign_ - sign_;
  const std::int32_t weight = yes ? weight_ : all_weight_ - weight_;
  return costs_.of((weight - std::abs(sign)) / 2, 1);
}

template <class T>
typename Sweep<T>::Bounds Sweep<T>::look(const std::uint32_t* items, std::int64_t budget) {
  // Exact for the chains that are up to date, and no less than this for the others.
  Bounds exact{leaf_cost(true), leaf_cost(false)};
  while (true) {
    Bounds least = exact;
    std::size_t next = 0;
    std::int64_t gain = 0;
    for (std::size_t chain = 0; chain < known_.size(); ++chain) {
      const Known& known = known_[chain];
      const std::int64_t yes = costs_.of(known.yes, 2);
      const std::int64_t no = costs_.of(std::max(0, known.no - (weight_ - known.weight)), 2);
      if (known.done == at_) {
        exact.yes = std::min(exact.yes, yes);
        exact.no = std::min(exact.no, no);
        continue;
      }
      least.yes = std::min(least.yes, yes);
      least.no = std::min(least.no, no);
      const std::int64_t own =
          std::max<std::int64_t>(0, exact.yes - yes) + std::max<std::int64_t>(0, exact.no - no);
      if (own > gain) {
        gain = own;
        next = chain;
      }
    }
    least.yes = std::min(least.yes, exact.yes);
    least.no = std::min(least.no, exact.no);
    if (least.yes + least.no > budget) return least;
    if (least.yes == exact.yes && least.no == exact.no) return exact;
    refresh(next, items);
  }
}

template <class T>
typename Sweep<T>::Bounds Sweep<T>::split_bounds() const {
  Bounds least{unreachable, unreachable};
  for (const Known& known : known_) {
    const std::int32_t no = std::max(0, known.no - (weight_ - known.weight));
    least.yes = std::min(least.yes, costs_.of(known.yes, 2));
    least.no = std::min(least.no, costs_.of(no, 2));
  }
  return least;
}

template class Sweep<std::int16_t>;
template class Sweep<std::int32_t>;

void SplitErrors::count_chains() {
  const Cuts& cuts = part_->cuts;
  cuts.weigh(all_.data(), all_.size());
  std::vector<std::int64_t> sum(all_.size());
  for (std::size_t chain = 0; chain < cuts.n_chains(); ++chain) {
    std::fill(sum.begin(), sum.end(), 0);
    const std::uint32_t* items = cuts.items(chain);
    std::uint32_t item = 0;
    for (std::size_t group = cuts.start[chain]; group < cuts.start[chain + 1]; ++group) {
      for (; item < cuts.n_upto[group]; ++item) {
        sum[at(cuts.label[items[item]])] += cuts.weight[items[item]];
      }
      for (std::size_t c = 0; c < sum.size(); ++c) one_[c * stride_ + group] = sum[c];
    }
  }
}

void SplitErrors::look_in_chain(std::size_t i) {
  const Cuts& cuts = part_->cuts;
  const std::size_t own = cuts.chain_of(i);
  if (own != chain_ || cuts.n_upto[i] < done_) {
    std::fill(both_.begin(), both_.end(), 0);
    chain_ = own;
    done_ = 0;
  }
  const std::uint32_t* items = cuts.items(own);
  for (std::size_t chain = 0; chain < cuts.n_chains(); ++chain) {
    const std::uint16_t* bins = cuts.bins(chain);
    for (std::uint32_t k = done_; k < cuts.n_upto[i]; ++k) {
      const std::uint32_t item = items[k];
      std::int64_t* to = both_.data() + at(cuts.label[item]) * stride_;
      const std::int64_t weight = cuts.weight[item];
      for (std::size_t g = cuts.start[chain] + bins[item]; g < cuts.start[chain + 1]; ++g) {
        to[g] += weight;
      }
    }
  }
  done_ = cuts.n_upto[i];
}

namespace {

/// The group of a column, -1 if it parts nothing.
std::int64_t group_of(const Cuts& cuts, std::int64_t column) {
  if (column < 0) return -1;
  const auto after = std::upper_bound(cuts.column.begin(), cuts.column.end(), column);
  if (after == cuts.column.begin()) return -1;
  const auto group = after - cuts.column.begin() - 1;
  return column < cuts.end[static_cast<std::size_t>(group)] ? group : -1;
}

/// What is known of the trees on one side of a cut.
struct Side {
  std::int64_t cost = 0;     // the least, or a bound
  std::int64_t column = -1;  // where a best tree begins
};

/// A cut of a chain, what its sides cost, and the weight where it is 1.
struct Cut {
  std::int64_t group = 0;  // one before the first, or one after the last: nothing on one side
  Side yes, no;
  std::int64_t weight = 0;
};

class CutSearch {
 public:
  CutSearch(const Rows& part, const Costs& costs, std::int64_t budget, Meter& meter)
      : whole_(part),
        costs_(costs),
        budget_(budget),
        meter_(meter),
        signs_(signs_suffice(part)),
        weights_(part.n_classes) {
    side_.target = part.target;
    side_.n_classes = part.n_classes;
  }

  /// Finds the sides of every cut that cost at most the budget together.
  SideCosts sides() {
    found_.assign(2 * whole_.cuts.n_groups(), 0);
    each_chain();
    return std::move(found_);
  }

  /// Lowers the budget to the least that is found; `best` is what is known.
  std::int64_t least(std::int64_t best) {
    budget_ = best - 1;
    falls_ = true;
    found_.assign(2 * whole_.cuts.n_groups(), 0);
    each_chain();
    return budget_ + 1;
  }

  /// The best of depth <= 2 of some items if it costs at most `budget`, else a bound above that.
  Side best(std::span<const std::uint32_t> items, const Side& lower, std::int64_t budget) {
    if (lower.cost > budget) return lower;
    std::fill(weights_.begin(), weights_.end(), 0);
    for (const std::uint32_t item : items) {
      weights_[at(whole_.cuts.label[item])] += whole_.cuts.weight[item];
    }
    const std::int64_t leaf = costs_.of(whole_.leaf(weights_.data()).errors, 1);
    if (leaf <= lower.cost) return {leaf, lower.column};
    taker_.take(whole_.cuts, items, side_.cuts);
    side_.n_columns = side_.cuts.n_groups();
    if (!signs_) return best_of_any(leaf);
    const std::int64_t upper = std::min(leaf, budget + 1);
    const BestGroup found = with_sweep(side_.cuts, costs_, meter_, [&](auto& sweep) {
      return sweep.least(lower.cost, upper, group_of(side_.cuts, lower.column));
    });
    if (found.group < 0) return {found.cost, lower.column};
    return {found.cost, side_.cuts.column[static_cast<std::size_t>(found.group)]};
  }

 private:
  Side best_of_any(std::int64_t leaf) {
    const SideCosts sides = sides_of_depth_1(side_, costs_);
    Side best{leaf, -1};
    for (std::size_t i = 0; i < sides.size(); i += 2) {
      best.cost = std::min(best.cost, sides[i] + sides[i + 1]);
    }
    meter_.step(side_.n_columns * side_.n_columns / 4 + 1);
    return best;
  }

  void each_chain() {
    const Cuts& cuts = whole_.cuts;
    // No tree costs less than a leaf without errors.
    const Side nothing{costs_.of(0, 1), -1};
    const auto n_items = static_cast<std::uint32_t>(cuts.n_items());
    for (std::size_t chain = 0; chain < cuts.n_chains(); ++chain) {
      upto_.assign(1, 0);
      for (std::uint32_t i = 0; i < n_items; ++i) {
        upto_.push_back(upto_.back() + cuts.weight[cuts.items(chain)[i]]);
      }
      const Cut before{std::int64_t{cuts.start[chain]} - 1, nothing, nothing, 0};
      const Cut after{std::int64_t{cuts.start[chain + 1]}, nothing, nothing, upto_.back()};
      between(chain, before, after);
    }
  }

  /// Looks at the cuts between two.
  void between(std::size_t chain, const Cut& a, const Cut& b) {
    if (a.group + 1 >= b.group) return;
    if (a.yes.cost + b.no.cost > budget_) {
      for (auto group = static_cast<std::size_t>(a.group) + 1; std::cmp_less(group, b.group);
           ++group) {
        found_[2 * group] = a.yes.cost;
        found_[2 * group + 1] = b.no.cost;
      }
      return;
    }
    const Cut middle = look(chain, a, b);
    between(chain, a, middle);
    between(chain, middle, b);
  }

  Cut look(std::size_t chain, const Cut& a, const Cut& b) {
    const Cuts& cuts = whole_.cuts;
    Cut cut{a.group + (b.group - a.group) / 2, a.yes, b.no, 0};
    const auto group = static_cast<std::size_t>(cut.group);
    cut.weight = upto_[cuts.n_upto[group]];
    const auto raise = [&](Side& side, const Side& other, std::int64_t moved) {
      if (other.cost - costs_.error * moved <= side.cost) return;
      side = {other.cost - costs_.error * moved, other.column};
    };
    if (!whole_.target.has_numbers()) {  // a row of weight w adds at most w errors
      raise(cut.yes, b.yes, b.weight - cut.weight);
      raise(cut.no, a.no, cut.weight - a.weight);
    }
    const std::span<const std::uint32_t> items(cuts.items(chain), cuts.n_items());
    if (cut.yes.cost + cut.no.cost <= budget_) {
      cut.yes = best(items.first(cuts.n_upto[group]), cut.yes, budget_ - cut.no.cost);
    }
    if (cut.yes.cost + cut.no.cost <= budget_) {
      cut.no = best(items.subspan(cuts.n_upto[group]), cut.no, budget_ - cut.yes.cost);
    }
    found_[2 * group] = cut.yes.cost;
    found_[2 * group + 1] = cut.no.cost;
    if (falls_) budget_ = std::min(budget_, cut.yes.cost + cut.no.cost - 1);
    return cut;
  }

  const Rows& whole_;
  Costs costs_;
  std::int64_t budget_;
  Meter& meter_;
  bool signs_, falls_ = false;
  std::vector<std::int64_t> weights_, upto_;
  SideCosts found_;
  Rows side_;
  CutTaker taker_;
};

}  // namespace

SideCosts cut_sides_of_depth_2(const Rows& part, const Costs& costs, std::int64_t budget,
                               Meter& meter) {
  Held held(meter);
  held.set(2 * part.cuts.bytes() + part.cuts.n_groups() * 24);
  return CutSearch(part, costs, budget, meter).sides();
}

std::int64_t cut_least_of_depth_3(const Rows& part, const Costs& costs, std::int64_t leaf,
                                  Meter& meter) {
  Held held(meter);
  held.set(2 * part.cuts.bytes() + part.cuts.n_groups() * 24);
  const std::int64_t best = cut_least_of_depth_2(part, costs, leaf, meter);
  return CutSearch(part, costs, best, meter).least(best);
}

std::int64_t cut_least_of_depth_2(const Rows& part, const Costs& costs, std::int64_t leaf,
                                  Meter& meter) {
  if (signs_suffice(part)) {
    return with_sweep(part.cuts, costs, meter,
                      [&](auto& sweep) { return sweep.least(costs.of(0, 1), leaf, -1).cost; });
  }
  const SideCosts sides = sides_of_depth_1(part, costs);
  for (std::size_t i = 0; i < sides.size(); i += 2) {
    leaf = std::min(leaf, sides[i] + sides[i + 1]);
  }
  return leaf;
}

namespace {

/// Items by their bin in a chain, and the 32 cuts of another chain that part them first.
struct WalkPass {
  const std::uint16_t* item;
  const std::int16_t* sign;
  const std::uint8_t* ends;
  std::size_t n;
  const std::uint16_t* bins;  // of each item, in the chain of the cuts
  std::int32_t first;         // cut
  std::int16_t* out;          // 4 x 32: smallest and largest sums of both sides
};

struct Steps {
  std::int16_t of[2 * walk_lanes];
  constexpr Steps() : of() {
    for (std::size_t i = walk_lanes; i < 2 * walk_lanes; ++i) of[i] = -1;
  }
};
constexpr Steps steps;

ORDERLESS_INLINE void walk_pass_narrow_loop(const WalkPass& t) {
  Shorts x, low, high, low_rest, high_rest, step, number, rest;
  fill_lanes(x, 0);
  fill_lanes(low, 0);
  fill_lanes(high, 0);
  fill_lanes(low_rest, 0);
  fill_lanes(high_rest, 0);
  std::int16_t all = 0;
  constexpr std::int32_t lanes = static_cast<std::int32_t>(walk_lanes);
  for (std::size_t i = 0; i < t.n; ++i) {
    const std::int32_t bin = t.bins[t.item[i]] - t.first;
    const std::int32_t off = bin < 0 ? 0 : bin > lanes ? lanes : bin;
    load_lanes(step, steps.of + lanes - off);
    fill_lanes(number, t.sign[i]);
    keep_lanes(step, number);
    add_lanes(x, step);
    all = static_cast<std::int16_t>(all + t.sign[i]);
    if (t.ends[i] == 0) continue;
    lower_lanes(low, x);
    raise_lanes(high, x);
    fill_lanes(number, all);
    subtract_lanes(rest, number, x);
    lower_lanes(low_rest, rest);
    raise_lanes(high_rest, rest);
  }
  store_lanes(low, t.out);
  store_lanes(high, t.out + walk_lanes);
  store_lanes(low_rest, t.out + 2 * walk_lanes);
  store_lanes(high_rest, t.out + 3 * walk_lanes);
}

ORDERLESS_WIDTHS(walk_pass_narrow, (const WalkPass& t), (t))

#if defined(ORDERLESS_X86)
ORDERLESS_FOR(ORDERLESS_512) void walk_pass_512(const WalkPass& t) { walk_pass_narrow_loop(t); }
decltype(&walk_pass_narrow) const walk_pass = processor().avx512 ? walk_pass_512 : walk_pass_narrow;
#else
decltype(&walk_pass_narrow) const walk_pass = walk_pass_narrow;
#endif

}  // namespace

GrowingSide::GrowingSide(const Cuts& cuts, const Costs& costs, Meter& meter)
    : cuts_(cuts), costs_(costs), meter_(meter), orders_(cuts.n_chains()), bin_start_(1, 0) {
  for (std::size_t chain = 0; chain < cuts.n_chains(); ++chain) {
    const std::uint32_t n = cuts.start[chain + 1] - cuts.start[chain];
    for (std::uint32_t first = 0; first < n; first += walk_lanes) {
      blocks_.push_back({static_cast<std::uint32_t>(chain), first,
                         std::min<std::uint32_t>(walk_lanes, n - first), 0});
    }
    bin_start_.push_back(bin_start_.back() + n + 1);
  }
  for (std::size_t i = 0; i < cuts.n_items(); ++i) {
    const std::int64_t own = cuts.weight[i];
    signs_.push_back(static_cast<std::int16_t>(cuts.label[i] == 0 ? -own : own));
  }
  clear();
}

void GrowingSide::clear() {
  for (Block& block : blocks_) block.least = 0;
  known_.assign(blocks_.size() * cuts_.n_chains() * 2 * walk_lanes, 0);
  in_.assign(cuts_.n_items(), 0);
  sign_upto_.assign(blocks_.size() * walk_lanes, 0);
  weight_upto_.assign(blocks_.size() * walk_lanes, 0);
  in_bin_.assign(bin_start_.back(), 0);
  fresh_.assign(cuts_.n_chains(), 0);
  n_in_ = 0;
  sign_ = weight_ = 0;
  ++stamp_;
}

void GrowingSide::add(std::span<const std::uint32_t> items) {
  if (items.empty()) return;
  ++stamp_;
  n_in_ += items.size();
  for (const std::uint32_t item : items) {
    in_[item] = 1;
    sign_ += signs_[item];
    weight_ += static_cast<std::int32_t>(cuts_.weight[item]);
    for (std::size_t chain = 0; chain < cuts_.n_chains(); ++chain) {
      ++in_bin_[bin_start_[chain] + cuts_.bins(chain)[item]];
    }
  }
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const std::uint16_t* bins = cuts_.bins(blocks_[b].chain);
    std::int16_t* sign = sign_upto_.data() + b * walk_lanes;
    std::int16_t* weight = weight_upto_.data() + b * walk_lanes;
    for (const std::uint32_t item : items) {
      const std::int32_t bin = bins[item] - static_cast<std::int32_t>(blocks_[b].first);
      const auto own = static_cast<std::int16_t>(cuts_.weight[item]);
      for (std::int32_t l = std::max(bin, 0); l < static_cast<std::int32_t>(walk_lanes); ++l) {
        sign[l] = static_cast<std::int16_t>(sign[l] + signs_[item]);
        weight[l] = static_cast<std::int16_t>(weight[l] + own);
      }
    }
  }
}

std::int64_t GrowingSide::leaf_cost() const {
  return costs_.of((weight_ - std::abs(sign_)) / 2, 1);
}

std::int64_t GrowingSide::least(std::int64_t lower, std::int64_t upper) {
  const auto look = [&](std::size_t b) {
    if (blocks_[b].least >= upper) return;
    refresh(b, upper - 1);
    if (blocks_[b].least < upper) {
      upper = blocks_[b].least;
      best_block_ = b;
    }
  };
  look(best_block_);
  for (std::size_t b = 0; b < blocks_.size() && upper > lower; ++b) look(b);
  return upper;
}

void GrowingSide::order(std::size_t chain) {
  Order& own = orders_[chain];
  if (own.stamp == stamp_) return;
  own.stamp = stamp_;
  own.item.clear();
  own.sign.clear();
  const std::uint32_t* items = cuts_.items(chain);
  const std::uint16_t* bins = cuts_.bins(chain);
  own.item.resize(n_in_);
  own.sign.resize(n_in_);
  own.ends.resize(n_in_);
  std::size_t n = 0;
  for (std::size_t i = 0; i < cuts_.n_items() && n < n_in_; ++i) {
    if (in_[items[i]] == 0) continue;
    own.item[n] = static_cast<std::uint16_t>(items[i]);
    own.sign[n] = signs_[items[i]];
    if (n != 0) own.ends[n - 1] = bins[own.item[n - 1]] != bins[items[i]] ? 1 : 0;
    ++n;
  }
  if (n != 0) own.ends[n - 1] = 1;
}

void GrowingSide::pass(std::size_t block, std::size_t chain) {
  order(chain);
  const Order& own = orders_[chain];
  const Block& at = blocks_[block];
  std::int16_t found[4 * walk_lanes];
  walk_pass({own.item.data(), own.sign.data(), own.ends.data(), own.item.size(),
             cuts_.bins(at.chain), static_cast<std::int32_t>(at.first), found});
  std::int16_t* to = known(block, chain);
  const std::int16_t* sign = sign_upto_.data() + block * walk_lanes;
  const std::int16_t* weight = weight_upto_.data() + block * walk_lanes;
  const auto errors = [](std::int32_t own_sign, std::int32_t own_weight, std::int32_t low,
                         std::int32_t high) {
    const std::int32_t a = std::abs(low) + std::abs(own_sign - low);
    const std::int32_t b = std::abs(high) + std::abs(own_sign - high);
    return static_cast<std::int16_t>((own_weight - (a > b ? a : b)) / 2);
  };
  for (std::size_t l = 0; l < walk_lanes; ++l) {
    to[l] = errors(sign[l], weight[l], found[l], found[walk_lanes + l]);
    to[walk_lanes + l] = errors(sign_ - sign[l], weight_ - weight[l], found[2 * walk_lanes + l],
                                found[3 * walk_lanes + l]);
  }
  fresh_[chain] = 1;
  meter_.step(own.item.size());
}

void GrowingSide::weigh_sides(const Block& block) {
  const auto b = static_cast<std::size_t>(&block - blocks_.data());
  const std::int16_t* sign = sign_upto_.data() + b * walk_lanes;
  const std::int16_t* weight = weight_upto_.data() + b * walk_lanes;
  const auto error = static_cast<std::int32_t>(costs_.error);
  const auto leaf = static_cast<std::int32_t>(costs_.leaf);
  for (std::size_t l = 0; l < walk_lanes; ++l) {
    leaf_yes_[l] = (weight[l] - std::abs(std::int32_t{sign[l]})) / 2 * error + leaf;
    leaf_no_[l] = (weight_ - weight[l] - std::abs(sign_ - sign[l])) / 2 * error + leaf;
  }
}

/// What is exact of the block at hand, and what no tree goes below.
void GrowingSide::weigh_known(std::size_t block) {
  constexpr std::int16_t most = std::numeric_limits<std::int16_t>::max();
  Lanes16 exact_yes, exact_no, low_yes, low_no;
  exact_yes.fill(most);
  exact_no.fill(most);
  low_yes.fill(most);
  low_no.fill(most);
  for (std::size_t chain = 0; chain < cuts_.n_chains(); ++chain) {
    const std::int16_t* own = known(block, chain);
    Lanes16& yes = fresh_[chain] != 0 ? exact_yes : low_yes;
    Lanes16& no = fresh_[chain] != 0 ? exact_no : low_no;
    for (std::size_t l = 0; l < walk_lanes; ++l) yes[l] = own[l] < yes[l] ? own[l] : yes[l];
    for (std::size_t l = 0; l < walk_lanes; ++l) {
      const std::int16_t x = own[walk_lanes + l];
      no[l] = x < no[l] ? x : no[l];
    }
  }
  const auto error = static_cast<std::int32_t>(costs_.error);
  const auto leaves = static_cast<std::int32_t>(2 * costs_.leaf);
  for (std::size_t l = 0; l < walk_lanes; ++l) {
    const std::int32_t yes = exact_yes[l] * error + leaves, no = exact_no[l] * error + leaves;
    costs_yes_[l] = std::min(leaf_yes_[l], yes);
    costs_no_[l] = std::min(leaf_no_[l], no);
    const std::int32_t yes2 = low_yes[l] * error + leaves, no2 = low_no[l] * error + leaves;
    low_yes_[l] = std::min(costs_yes_[l], yes2);
    low_no_[l] = std::min(costs_no_[l], no2);
    split_yes_[l] = std::min(yes, yes2);
    split_no_[l] = std::min(no, no2);
  }
}

void GrowingSide::refresh(std::size_t block, std::int64_t budget) {
  const Block& at = blocks_[block];
  std::fill(fresh_.begin(), fresh_.end(), std::uint8_t{0});
  weigh_sides(at);
  while (true) {
    weigh_known(block);
    std::int32_t least = std::numeric_limits<std::int32_t>::max();
    std::size_t lane = walk_lanes;
    for (std::size_t l = 0; l < at.n; ++l) {
      const std::int32_t own = low_yes_[l] + low_no_[l];
      least = std::min(least, own);
      if (own <= budget && own < costs_yes_[l] + costs_no_[l]) lane = l;
    }
    blocks_[block].least = least;
    if (lane == walk_lanes) return;
    // The chain that may lower the costs of this cut most.
    const bool yes = low_yes_[lane] < costs_yes_[lane];
    const std::size_t place = lane + (yes ? 0 : walk_lanes);
    std::size_t next = 0;
    std::int32_t best = std::numeric_limits<std::int32_t>::max();
    for (std::size_t chain = 0; chain < cuts_.n_chains(); ++chain) {
      if (fresh_[chain] != 0) continue;
      const std::int16_t own = known(block, chain)[place];
      if (own < best) {
        best = own;
        next = chain;
      }
    }
    pass(block, next);
  }
}

bool GrowingSide::parts(std::size_t block, std::size_t lane) const {
  const Block& at = blocks_[block];
  if (in_bin_[bin_start_[at.chain] + at.first + lane] == 0) return false;
  const std::int32_t weight = weight_upto_[block * walk_lanes + lane];
  return weight < weight_;
}

WalkSplit GrowingSide::split(std::size_t block, std::size_t lane) const {
  const Block& at = blocks_[block];
  const std::uint32_t first = at.first + static_cast<std::uint32_t>(lane);
  std::uint32_t end = first + 1;
  const std::uint32_t n = cuts_.start[at.chain + 1] - cuts_.start[at.chain];
  while (end < n && in_bin_[bin_start_[at.chain] + end] == 0) ++end;
  const std::uint32_t start = cuts_.start[at.chain];
  const auto leaf = [](std::int32_t sign, std::int32_t weight) {
    return Leaf{sign < 0 ? 0 : 1, (weight - std::abs(sign)) / 2, weight};
  };
  const std::int32_t sign = sign_upto_[block * walk_lanes + lane];
  const std::int32_t weight = weight_upto_[block * walk_lanes + lane];
  return {start + first,
          start + end,
          {costs_yes_[lane], split_yes_[lane], leaf(sign, weight)},
          {costs_no_[lane], split_no_[lane], leaf(sign_ - sign, weight_ - weight)}};
}

std::size_t GrowingSide::bytes() const {
  return known_.capacity() * 2 + sign_upto_.capacity() * 4 + in_bin_.capacity() * 4 +
         cuts_.n_items() * (3 + cuts_.n_chains() * 5);
}

bool walk_suffices(const Rows& part, const Costs& costs) {
  if (!part.cuts.used() || part.cuts.n_groups() == 0 || !signs_suffice(part)) return false;
  if (!is_light(part.cuts) || part.cuts.n_items() > 0xffffU) return false;
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() / 8;
  constexpr std::int64_t light = std::numeric_limits<std::int16_t>::max();
  return costs.leaf < most && costs.error < most / light;
}

SideCosts walk_sides(const Cuts& cuts, const Costs& costs, Meter& meter) {
  SideCosts out(2 * cuts.n_groups(), 0);
  GrowingSide side(cuts, costs, meter);
  Held held(meter);
  held.set(side.bytes());
  for (std::size_t chain = 0; chain < cuts.n_chains(); ++chain) {
    for (const bool rising : {true, false}) {
      side.clear();
      std::int64_t best = costs.of(0, 1);
      each_side(cuts, chain, rising, [&](std::size_t group, std::span<const std::uint32_t> items) {
        side.add(items);
        std::int64_t more = 0;
        for (const std::uint32_t item : items) more += cuts.weight[item];
        // The best tree of fewer rows errs on all that join at most.
        best = side.least(best, std::min(best + more * costs.error, side.leaf_cost()));
        out[2 * group + (rising ? 0 : 1)] = best;
      });
    }
  }
  return out;
}

}  // namespace orderless::rashomon
