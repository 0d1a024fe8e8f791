#include "core/rashomon/cut_walk.hpp"

#include <cstdlib>

#include "core/rashomon/signed.hpp"
#include "core/rashomon/sweep.hpp"
#include "core/rashomon/widths.hpp"

namespace orderless::rashomon {

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
