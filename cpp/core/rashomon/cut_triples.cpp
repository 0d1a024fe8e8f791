#include "core/rashomon/cut_triples.hpp"

#include <algorithm>
#include <cstdlib>

#include "core/rashomon/signed.hpp"
#include "core/rashomon/sweep.hpp"
#include "core/rashomon/widths.hpp"

namespace orderless::rashomon {

namespace {

constexpr std::size_t most_columns = 4096;
constexpr std::size_t n_sides = 4;  // where the first cut is 1: second 1, 0; where it is 0: 1, 0
using Numbers16 = std::vector<std::int16_t>;

/// One block of columns of a table of two chains: rows hold what they have more than the row
/// before. Smallest and largest numbers over all rows, for four sides: of x, own - x, and of the
/// same of what the whole table has more.
struct BlockPass {
  const std::int16_t *more, *all_more;  // n_rows x stride
  const std::int16_t *own, *all_own;    // per row: its last number
  std::size_t n_rows, stride;
  std::int16_t* out;  // 8 x 32: smallest and largest, of each of the sides
};

ORDERLESS_INLINE void pass_block_loop(const BlockPass& t) {
  Shorts x, all, rest, other, own;
  Shorts low[n_sides], high[n_sides];
  fill_lanes(x, 0);
  fill_lanes(all, 0);
  for (std::size_t s = 0; s < n_sides; ++s) {
    fill_lanes(low[s], 0);
    fill_lanes(high[s], 0);
  }
  for (std::size_t i = 0; i < t.n_rows; ++i) {
    Shorts step;
    load_lanes(step, t.more + i * t.stride);
    add_lanes(x, step);
    load_lanes(step, t.all_more + i * t.stride);
    add_lanes(all, step);
    lower_lanes(low[0], x);
    raise_lanes(high[0], x);
    fill_lanes(own, t.own[i]);
    subtract_lanes(other, own, x);
    lower_lanes(low[1], other);
    raise_lanes(high[1], other);
    subtract_lanes(rest, all, x);
    lower_lanes(low[2], rest);
    raise_lanes(high[2], rest);
    fill_lanes(own, static_cast<std::int16_t>(t.all_own[i] - t.own[i]));
    subtract_lanes(other, own, rest);
    lower_lanes(low[3], other);
    raise_lanes(high[3], other);
  }
  for (std::size_t s = 0; s < n_sides; ++s) {
    store_lanes(low[s], t.out + (2 * s) * shorts_at_once);
    store_lanes(high[s], t.out + (2 * s + 1) * shorts_at_once);
  }
}

/// A block of columns below one cut: raises, of each side, `most` to the largest |x| + |whole - x|
/// of the smallest and the largest x, where `whole` is what the side has in all.
struct RaisedMost {
  const std::int16_t* extremes;  // as BlockPass::out
  const std::int16_t *on, *all;  // per column: where the cut is 1, and of all items
  std::int16_t sign, all_sign;   // of all items where the cut is 1, and of all
  std::int16_t* most;            // sides x stride
  std::size_t stride;
};

ORDERLESS_INLINE void raise_most_loop(const RaisedMost& t) {
  for (std::size_t s = 0; s < n_sides; ++s) {
    const std::int16_t* extremes = t.extremes + 2 * s * shorts_at_once;
    std::int16_t* most = t.most + s * t.stride;
    for (std::size_t l = 0; l < shorts_at_once; ++l) {
      const int on = t.on[l], off = t.all[l] - on;
      const int whole = s == 0   ? on
                        : s == 1 ? t.sign - on
                        : s == 2 ? off
                                 : t.all_sign - t.sign - off;
      const int low = extremes[l], high = extremes[shorts_at_once + l];
      const int a = std::abs(low) + std::abs(whole - low);
      const int b = std::abs(high) + std::abs(whole - high);
      const int larger = a > b ? a : b;
      most[l] = static_cast<std::int16_t>(larger > most[l] ? larger : most[l]);
    }
  }
}

/// Items that are added to a table of two chains: to the columns from its bin on of the item's row.
struct TableItems {
  const std::uint32_t* items;
  std::size_t n_items;
  const std::uint16_t *row, *bin;  // of each item
  const std::int16_t* sign;
  const std::int16_t* steps;  // after 32 zeros: numbers of which all bits are 1
  std::size_t n_rows, stride;
  std::int16_t* more;
};

ORDERLESS_INLINE void add_to_table_loop(const TableItems& t) {
  for (std::size_t i = 0; i < t.n_items; ++i) {
    const std::uint32_t item = t.items[i];
    const std::size_t row = t.row[item], bin = t.bin[item];
    if (row >= t.n_rows) continue;
    Shorts number;
    fill_lanes(number, t.sign[item]);
    std::int16_t* to = t.more + row * t.stride;
    for (std::size_t k = bin / shorts_at_once * shorts_at_once; k < t.stride; k += shorts_at_once) {
      Shorts step, sum;
      load_lanes(step, t.steps + k - bin);
      load_lanes(sum, to + k);
      keep_lanes(step, number);
      add_lanes(sum, step);
      store_lanes(sum, to + k);
    }
  }
}

ORDERLESS_WIDTHS(pass_block, (const BlockPass& t), (t))
ORDERLESS_WIDTHS(add_to_table, (const TableItems& t), (t))
ORDERLESS_WIDTHS(raise_most, (const RaisedMost& t), (t))

class CutTriples {
 public:
  CutTriples(const Rows& part, const Costs& costs, Meter& meter)
      : cuts_(part.cuts), costs_(costs), meter_(meter), held_(meter), lane_(1, 0) {
    for (std::size_t chain = 0; chain < cuts_.n_chains(); ++chain) {
      const std::size_t n = cuts_.start[chain + 1] - cuts_.start[chain];
      lane_.push_back(lane_.back() + (n + shorts_at_once - 1) / shorts_at_once * shorts_at_once);
    }
    const std::size_t lanes = lane_.back(), n = cuts_.n_groups();
    bytes_ = n * lanes * (n_sides + 1) * 2 + lanes * 64;
    held_.set(bytes_);
    most_.assign(n * n_sides * lanes, 0);
    steps_.assign(lanes + 2 * shorts_at_once, -1);
    std::fill_n(steps_.begin(), shorts_at_once, std::int16_t{0});
    for (std::size_t i = 0; i < cuts_.n_items(); ++i) {
      const std::int64_t own = cuts_.weight[i];
      signs_.push_back(static_cast<std::int16_t>(cuts_.label[i] == 0 ? -own : own));
      all_sign_ += signs_.back();
    }
    add_pairs();
  }

  NearCuts find(std::int64_t leaf, const std::function<std::int64_t(std::int64_t)>& bound_of) {
    for (std::size_t q = 0; q < cuts_.n_chains(); ++q) {
      for (std::size_t p = 0; p < cuts_.n_chains(); ++p) table(p, q);
    }
    NearCuts near;
    near.sides.assign(2 * cuts_.n_groups(), 0);
    near.splits.resize(2 * cuts_.n_groups());
    read([&](std::size_t side, const Half& half) { near.sides[side] = least(side, half); });
    near.optimum = leaf;
    for (std::size_t i = 0; i < near.sides.size(); i += 2) {
      near.optimum = std::min(near.optimum, near.sides[i] + near.sides[i + 1]);
    }
    near.bound = bound_of(near.optimum);
    read([&](std::size_t side, const Half& half) { keep(side, half, near); });
    return near;
  }

 private:
  /// Signed weights of all pairs of groups, and of all groups.
  void add_pairs() {
    const std::size_t lanes = lane_.back();
    pairs_.assign((cuts_.n_groups() + 1) * lanes, 0);
    const std::vector<std::uint16_t> one_row(cuts_.n_items(), 0);
    const auto add = [&](std::size_t r, std::uint32_t first, std::uint32_t end, std::int16_t* to) {
      for (std::size_t q = 0; q < cuts_.n_chains(); ++q) {
        add_to_table({cuts_.items(r) + first, end - first, one_row.data(), cuts_.bins(q),
                      signs_.data(), steps_.data() + shorts_at_once, 1, lane_[q + 1] - lane_[q],
                      to + lane_[q]});
      }
    };
    add(0, 0, static_cast<std::uint32_t>(cuts_.n_items()), pairs(cuts_.n_groups()));
    for (std::size_t r = 0; r < cuts_.n_chains(); ++r) {
      for (std::size_t group = cuts_.start[r]; group < cuts_.start[r + 1]; ++group) {
        if (group != cuts_.start[r]) std::copy_n(pairs(group - 1), lanes, pairs(group));
        add(r, cuts_.first_item(r, group), cuts_.n_upto[group], pairs(group));
      }
      meter_.step(cuts_.n_items() * lanes / 16);
    }
  }

  [[nodiscard]] std::int16_t* pairs(std::size_t group) {
    return pairs_.data() + group * lane_.back();
  }

  /// Two chains: rows of p, columns of q; and all groups of all chains one after the other.
  void table(std::size_t p, std::size_t q) {
    const std::size_t n_rows = cuts_.start[p + 1] - cuts_.start[p];
    const std::size_t stride = lane_[q + 1] - lane_[q];
    if (n_rows == 0 || stride == 0) return;
    all_.assign(n_rows * stride, 0);
    add(p, q, 0, 0, static_cast<std::uint32_t>(cuts_.n_items()), all_);
    for (std::size_t r = 0; r < cuts_.n_chains(); ++r) {
      own_.assign(n_rows * stride, 0);
      std::int16_t sign = 0;
      for (std::size_t group = cuts_.start[r]; group < cuts_.start[r + 1]; ++group) {
        const std::uint32_t first = cuts_.first_item(r, group), end = cuts_.n_upto[group];
        add(p, q, r, first, end, own_);
        for (std::uint32_t i = first; i < end; ++i) {
          sign = static_cast<std::int16_t>(sign + signs_[cuts_.items(r)[i]]);
        }
        pass(p, q, group, sign);
      }
      meter_.step((cuts_.start[r + 1] - cuts_.start[r]) * n_rows * stride / 16 + n_rows);
    }
  }

  /// Adds some items of chain r to a table of chains p and q.
  void add(std::size_t p, std::size_t q, std::size_t r, std::uint32_t first, std::uint32_t end,
           Numbers16& to) const {
    add_to_table({cuts_.items(r) + first, end - first, cuts_.bins(p), cuts_.bins(q), signs_.data(),
                  steps_.data() + shorts_at_once, cuts_.start[p + 1] - cuts_.start[p],
                  lane_[q + 1] - lane_[q], to.data()});
  }

  void pass(std::size_t p, std::size_t q, std::size_t group, std::int16_t sign) {
    const std::size_t lanes = lane_.back(), stride = lane_[q + 1] - lane_[q];
    const std::int16_t *own = pairs(group), *all = pairs(cuts_.n_groups());
    std::int16_t extremes[2 * n_sides * shorts_at_once];
    for (std::size_t k = 0; k < stride; k += shorts_at_once) {
      pass_block({own_.data() + k, all_.data() + k, own + lane_[p], all + lane_[p],
                  cuts_.start[p + 1] - cuts_.start[p], stride, extremes});
      raise_most({extremes, own + lane_[q] + k, all + lane_[q] + k, sign,
                  static_cast<std::int16_t>(all_sign_),
                  most_.data() + group * n_sides * lanes + lane_[q] + k, lanes});
    }
  }

  /// Signed weight and weight of the items on one side of a cut, where each group is 1, and of all.
  struct Half {
    std::vector<std::int32_t> sign, weight;
    std::int32_t whole_sign = 0, whole_weight = 0;
    explicit Half(std::size_t n) : sign(n), weight(n) {}
  };

  void add(std::uint32_t item, Half& half) const {
    const auto own = static_cast<std::int32_t>(cuts_.weight[item]);
    half.whole_sign += signs_[item];
    half.whole_weight += own;
    for (std::size_t q = 0; q < cuts_.n_chains(); ++q) {
      const std::size_t first = cuts_.start[q] + cuts_.bins(q)[item];
      for (std::size_t k = first; k < cuts_.start[q + 1]; ++k) {
        half.sign[k] += signs_[item];
        half.weight[k] += own;
      }
    }
  }

  /// Goes through all pairs of groups; use(side, half) for both sides of every group.
  template <class Use>
  void read(const Use& use) {
    const std::size_t n = cuts_.n_groups();
    Half all(n), off(n);
    for (std::uint32_t i = 0; i < cuts_.n_items(); ++i) add(i, all);
    for (std::size_t r = 0; r < cuts_.n_chains(); ++r) {
      Half on(n);
      std::uint32_t item = 0;
      for (std::size_t group = cuts_.start[r]; group < cuts_.start[r + 1]; ++group) {
        for (; item < cuts_.n_upto[group]; ++item) add(cuts_.items(r)[item], on);
        for (std::size_t k = 0; k < n; ++k) {
          off.sign[k] = all.sign[k] - on.sign[k];
          off.weight[k] = all.weight[k] - on.weight[k];
        }
        off.whole_sign = all.whole_sign - on.whole_sign;
        off.whole_weight = all.whole_weight - on.whole_weight;
        use(2 * group, on);
        use(2 * group + 1, off);
        meter_.step(8 * n);
      }
    }
  }

  /// Calls use(split) for all splits of one side of a cut.
  template <class Use>
  void each_split(std::size_t side, const Half& half, const Use& use) const {
    const std::int16_t* on = most_.data() + 2 * side * lane_.back();
    const std::int16_t* off = on + lane_.back();
    const auto leaf = [&](std::int32_t s, std::int32_t w) { return (w - std::abs(s)) / 2; };
    for (std::size_t q = 0; q < cuts_.n_chains(); ++q) {
      for (std::size_t k = cuts_.start[q], end = k; k < cuts_.start[q + 1]; k = end) {
        const std::size_t lane = lane_[q] + k - cuts_.start[q];
        const std::int32_t s = half.sign[k], w = half.weight[k];
        const std::int32_t other = half.whole_weight - w;
        // Groups between which no item of the side lies are one split.
        for (end = k + 1; end < cuts_.start[q + 1] && half.weight[end] == w;) ++end;
        if (w == 0 || other == 0) continue;
        const std::int32_t yes = (w - on[lane]) / 2, no = (other - off[lane]) / 2;
        use(SecondSplit{static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(end),
                        leaf_or_split(costs_, leaf(s, w), yes),
                        leaf_or_split(costs_, leaf(half.whole_sign - s, other), no),
                        costs_.of(yes, 2), costs_.of(no, 2)});
      }
    }
  }

  /// The least that a tree of depth <= 2 costs on one side of a cut.
  [[nodiscard]] std::int64_t least(std::size_t side, const Half& half) const {
    std::int64_t best = costs_.of((half.whole_weight - std::abs(half.whole_sign)) / 2, 1);
    each_split(side, half, [&](const SecondSplit& split) {
      best = std::min(best, split.on_true + split.on_false);
    });
    return best;
  }

  /// Keeps the splits that leave room for the other side.
  void keep(std::size_t side, const Half& half, NearCuts& near) {
    const std::int64_t budget = near.bound - near.sides[side ^ 1U];
    if (near.sides[side] > budget) return;
    std::vector<SecondSplit>& kept = near.splits[side];
    each_split(side, half, [&](const SecondSplit& split) {
      if (split.on_true + split.on_false <= budget) kept.push_back(split);
    });
    kept.shrink_to_fit();
    n_kept_ += kept.size();
    held_.set(bytes_ + n_kept_ * sizeof(SecondSplit));
  }

  const Cuts& cuts_;
  Costs costs_;
  Meter& meter_;
  Held held_;
  std::vector<std::size_t> lane_;  // of each chain: where its columns begin, and the end
  Numbers16 signs_;                // of each item
  Numbers16 most_;                 // per group, side and lane: the largest |s| + |s'| of a split
  Numbers16 steps_;
  Numbers16 pairs_;  // per group and lane: where both are 1; and of all items
  // Rows x columns of two chains, what a row has more than the row before: of the items up to the
  // group at hand, and of all.
  Numbers16 own_, all_;
  std::int32_t all_sign_ = 0;
  std::size_t bytes_ = 0, n_kept_ = 0;
};

}  // namespace

bool triples_suffice(const Rows& part) {
  return part.cuts.used() && part.cuts.n_groups() <= most_columns && signs_suffice(part) &&
         is_light(part.cuts);
}

NearCuts near_cuts(const Rows& part, const Costs& costs, std::int64_t leaf,
                   const std::function<std::int64_t(std::int64_t)>& bound_of, Meter& meter) {
  return CutTriples(part, costs, meter).find(leaf, bound_of);
}

}  // namespace orderless::rashomon
