#include "core/rashomon/best.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <numeric>

#include "core/base/machine.hpp"
#include "core/rashomon/cut_search.hpp"
#include "core/rashomon/kernels.hpp"
#include "core/rashomon/meter.hpp"

namespace orderless::rashomon {

namespace {

constexpr std::size_t most_sides = std::size_t{1} << 24U;  // bytes of sides that are remembered

/// Counts of all pairs of columns i < j of a part.
struct Pairs {
  std::size_t n_classes, stride;
  std::vector<std::int64_t> all;   // per class
  std::vector<std::int64_t> one;   // per class and column
  std::vector<std::int64_t> both;  // per column, class and column

  explicit Pairs(const Rows& part)
      : n_classes(part.n_classes),
        stride(part.stride()),
        all(n_classes),
        one(n_classes * stride),
        both(part.n_columns * n_classes * stride) {
    class_weights(part, part.all.data(), all.data());
    block_counts(part.all.data(), part, 0, one.data());
    for (std::size_t i = 0; i < part.n_columns; ++i) {
      block_counts(part.column(i), part, i, both.data() + i * n_classes * stride);
    }
  }

  [[nodiscard]] const std::int64_t* row(std::size_t i) const {
    return both.data() + i * n_classes * stride;
  }
};

}  // namespace

void SplitErrors::start(const Rows& part) {
  part_ = &part;
  stride_ = part.stride();
  chain_ = 0;
  done_ = 0;
  all_.assign(part.n_classes, 0);
  own_.assign(part.n_classes, 0);
  one_.assign(part.n_classes * stride_, 0);
  both_.assign(part.n_classes * stride_, 0);
  cells_.assign(n_signs * stride_, 0);
  room_.assign(12 * stride_, 0);
  if (part.cuts.used()) {
    count_chains();
    return;
  }
  class_weights(part, part.all.data(), all_.data());
  block_counts(part.all.data(), part, 0, one_.data());
}

void SplitErrors::side(std::size_t i, bool yes, std::int64_t* out) const {
  for (std::size_t c = 0; c < all_.size(); ++c) {
    const std::int64_t on = one_[c * stride_ + i];
    out[c] = yes ? on : all_[c] - on;
  }
}

void SplitErrors::look(std::size_t i) {
  side(i, true, own_.data());
  least_[0] = least_[1] = unreachable;
  if (part_->cuts.used()) {
    look_in_chain(i);
  } else {
    block_counts(part_->column(i), *part_, 0, both_.data());
  }
  split_errors({part_->target, all_.size(), stride_, part_->n_columns, both_.data(), one_.data(),
                own_.data(), all_.data(), cells_.data(), least_, room_.data()});
}

void SplitErrors::cell(bool yes, std::size_t k, bool also, std::int64_t* out) const {
  for (std::size_t c = 0; c < all_.size(); ++c) {
    const std::int64_t t = both_[c * stride_ + k], a = own_[c], b = one_[c * stride_ + k];
    out[c] = yes ? (also ? t : a - t) : (also ? b - t : all_[c] - a - b + t);
  }
}

SideCosts sides_of_depth_1(const Rows& part, const Costs& costs) {
  if (!part.cuts.used() && signs_suffice(part)) return signed_sides_of_depth_1(part, costs);
  std::vector<std::int64_t> weights(part.n_classes);
  SplitErrors errors(part);
  SideCosts sides;
  for (std::size_t i = 0; i < part.n_columns; ++i) {
    errors.look(i);
    for (const bool yes : {true, false}) {
      errors.side(i, yes, weights.data());
      const std::int64_t alone = part.leaf(weights.data()).errors;
      sides.push_back(leaf_or_split(costs, alone, errors.least(yes)));
    }
  }
  return sides;
}

SideCosts sides_of_depth_2(const Rows& part, const Costs& costs, Meter& meter) {
  if (part.cuts.used()) return cut_sides_of_depth_2(part, costs, unreachable, meter);
  if (signs_suffice(part)) return signed_sides_of_depth_2(part, costs, meter);
  const std::size_t n = part.n_columns;
  const std::size_t n_classes = part.n_classes;
  const std::size_t stride = part.stride();
  Held held(meter);
  held.set(n * stride * 8 * (n_classes + n_signs) + (40 + n_classes) * stride * 8);
  const Pairs pairs(part);
  SplitErrors alone(part);
  // errors[i][signs][j], i < j: two leaves below both columns.
  std::vector<std::int64_t> errors(n * n_signs * stride, unreachable);
  std::vector<std::int64_t> three(n_classes * stride), room(24 * stride);
  std::vector<std::int64_t> ni(n_classes), nj(n_classes), nij(n_classes);
  Words mask(part.n_words);
  for (std::size_t i = 0; i < n; ++i) {
    alone.side(i, true, ni.data());
    for (std::size_t j = i + 1; j + 1 < n; ++j) {
      const std::uint64_t* a = part.column(i);
      const std::uint64_t* b = part.column(j);
      for (std::size_t w = 0; w < part.n_words; ++w) mask[w] = a[w] & b[w];
      block_counts(mask.data(), part, j + 1, three.data());
      alone.side(j, true, nj.data());
      for (std::size_t c = 0; c < n_classes; ++c) nij[c] = pairs.row(i)[c * stride + j];
      std::int64_t ij[n_signs] = {unreachable, unreachable, unreachable, unreachable};
      for (std::size_t s = 0; s < n_signs; ++s) ij[s] = errors[(i * n_signs + s) * stride + j];
      lower_triples({part.target, n_classes, stride, j + 1, n, three.data(), pairs.row(i),
                     pairs.row(j), pairs.one.data(), nij.data(), ni.data(), nj.data(),
                     pairs.all.data(), ij, errors.data() + i * n_signs * stride,
                     errors.data() + j * n_signs * stride, room.data()});
      for (std::size_t s = 0; s < n_signs; ++s) errors[(i * n_signs + s) * stride + j] = ij[s];
      meter.step((n - j) * (part.n_words / 4 + 8));
    }
  }
  SideCosts best(2 * n, unreachable);
  std::vector<std::int64_t> weights(n_classes);
  for (std::size_t i = 0; i < n; ++i) {
    alone.look(i);
    for (std::size_t j = i + 1; j < n; ++j) {
      std::int64_t cost[n_signs];
      for (std::size_t s = 0; s < n_signs; ++s) {
        cost[s] = leaf_or_split(costs, alone.of(s < 2, j, s % 2 == 0),
                                errors[(i * n_signs + s) * stride + j]);
      }
      best[2 * i] = std::min(best[2 * i], cost[0] + cost[1]);
      best[2 * i + 1] = std::min(best[2 * i + 1], cost[2] + cost[3]);
      best[2 * j] = std::min(best[2 * j], cost[0] + cost[2]);
      best[2 * j + 1] = std::min(best[2 * j + 1], cost[1] + cost[3]);
    }
  }
  for (std::size_t i = 0; i < 2 * n; ++i) {
    alone.side(i / 2, i % 2 == 0, weights.data());
    best[i] = std::min(best[i], costs.of(part.leaf(weights.data()).errors, 1));
  }
  return best;
}

Leaf Best::leaf(const std::uint64_t* support) {
  class_weights(rows_, support, weights_.data());
  return rows_.leaf(weights_.data());
}

std::int64_t Best::lower_bound(const std::uint64_t* support) {
  if (rows_.target.has_numbers()) {
    return std::min(costs_.of(leaf(support).errors, 1), costs_.of(unavoidable(support), 2));
  }
  weigh(support, rows_.minority.data(), rows_.segments, rows_.n_classes, weights_.data());
  const std::int64_t least = std::accumulate(weights_.begin(), weights_.end(), std::int64_t{0});
  return std::min(costs_.of(leaf(support).errors, 1), costs_.of(least, 2));
}

std::int64_t Best::unavoidable(const std::uint64_t* support) const {
  std::int64_t sum = 0;
  for (std::size_t w = 0; w < rows_.n_words; ++w) {
    for (std::uint64_t rest = support[w] & rows_.once[w]; rest != 0; rest &= rest - 1) {
      const auto bit = w * 64 + static_cast<std::size_t>(std::countr_zero(rest));
      sum += rows_.least[rows_.row_of_bit[bit]];
    }
  }
  return sum;
}

void Memory::hold(std::size_t bytes) {
  meter_.change(0, bytes);
  bytes_ += bytes;
}

std::optional<Memory::Known> Memory::best(const Key& key, int depth) {
  Shelf& shelf = this->shelf(key);
  const std::scoped_lock lock(shelf.mutex);
  const auto at = static_cast<std::size_t>(depth);
  if (at >= shelf.best.size()) return std::nullopt;
  const auto found = shelf.best[at].find(key);
  if (found == shelf.best[at].end()) return std::nullopt;
  return found->second;
}

void Memory::add_best(const Key& key, int depth, const Known& known) {
  Shelf& shelf = this->shelf(key);
  const std::scoped_lock lock(shelf.mutex);
  const auto at = static_cast<std::size_t>(depth);
  if (at >= shelf.best.size()) shelf.best.resize(at + 1);
  const auto [place, is_new] = shelf.best[at].try_emplace(key, known);
  if (is_new) {
    hold(64);
  } else if (!place->second.exact) {
    place->second = known;
  }
}

std::optional<SideCosts> Memory::sides(const Key& key) {
  Shelf& shelf = this->shelf(key);
  const std::scoped_lock lock(shelf.mutex);
  const auto match = shelf.sides.find(key);
  if (match == shelf.sides.end()) return std::nullopt;
  return match->second;
}

void Memory::add_sides(const Key& key, const SideCosts& sides) {
  const std::size_t bytes = sides.size() * 8 + 96;
  if (sides_bytes_ + bytes >= most_sides) return;
  Shelf& shelf = this->shelf(key);
  const std::scoped_lock lock(shelf.mutex);
  if (!shelf.sides.try_emplace(key, sides).second) return;
  sides_bytes_ += bytes;
  hold(bytes);
}

SideCosts Best::sides(const std::uint64_t* support, const Part& part) {
  const Key key = namer_.name(support);
  if (std::optional<SideCosts> known = memory_->sides(key)) return *std::move(known);
  SideCosts sides = sides_of_depth_2(part.rows, costs_, meter_);
  memory_->add_sides(key, sides);
  return sides;
}

std::int64_t Best::of(const std::uint64_t* support, int depth, std::int64_t upper) {
  if (depth <= 0) return costs_.of(leaf(support).errors, 1);
  const std::int64_t bound = lower_bound(support);
  if (bound >= upper || bound == costs_.of(leaf(support).errors, 1)) return bound;
  const Key key = namer_.name(support);
  const std::optional<Memory::Known> known = memory_->best(key, depth);
  if (known && (known->exact || known->value >= upper)) return known->value;
  meter_.step(1024);
  const std::int64_t value = search(support, depth, upper);
  memory_->add_best(key, depth, {value, value < upper || depth <= 3});
  return value;
}

std::int64_t Best::search(const std::uint64_t* support, int depth, std::int64_t upper) {
  const Part& part = restriction_.of(support);
  if (depth > 3) return by_column(support, part, depth, upper);
  std::int64_t best = costs_.of(leaf(support).errors, 1);
  if (part.rows.cuts.used() && depth > 1) {
    return depth == 3 ? cut_least_of_depth_3(part.rows, costs_, best, meter_)
                      : cut_least_of_depth_2(part.rows, costs_, best, meter_);
  }
  const std::size_t n = part.rows.n_columns;
  SideCosts sides;
  if (depth == 3) {
    sides = this->sides(support, part);
  } else if (depth == 2) {
    sides = sides_of_depth_1(part.rows, costs_);
  } else {
    const SplitErrors errors(part.rows);
    for (std::size_t i = 0; i < 2 * n; ++i) {
      errors.side(i / 2, i % 2 == 0, weights_.data());
      sides.push_back(costs_.of(rows_.leaf(weights_.data()).errors, 1));
    }
  }
  for (std::size_t i = 0; i < n; ++i) best = std::min(best, sides[2 * i] + sides[2 * i + 1]);
  return best;
}

std::int64_t Best::by_column(const std::uint64_t* support, const Part& part, int depth,
                             std::int64_t upper) {
  // Columns in the order of what one split on them costs.
  std::vector<std::pair<std::int64_t, std::size_t>> order;
  const SplitErrors errors(part.rows);
  for (std::size_t i = 0; i < part.rows.n_columns; ++i) {
    std::int64_t wrong = 0;
    for (const bool yes : {true, false}) {
      errors.side(i, yes, weights_.data());
      wrong += rows_.leaf(weights_.data()).errors;
    }
    order.emplace_back(wrong, part.column[i]);
  }
  std::sort(order.begin(), order.end());
  const std::int64_t first = std::min(costs_.of(leaf(support).errors, 1), upper);
  const std::size_t n = order.size(), steps = n * n * n * n * (rows_.n_words / 8 + 8);
  const std::size_t n_workers = workers(n, steps, meter_);
  if (n_workers == 1) {
    std::int64_t best = first;
    for (const auto& [wrong, column] : order) {
      best = std::min(best, asking(support, column, depth, best));
    }
    return best;
  }
  std::vector<Best> helpers(n_workers, *this);
  std::atomic<std::int64_t> best = first;
  each(n, steps, meter_, [&](std::size_t i, std::size_t worker) {
    const std::int64_t own = helpers[worker].asking(support, order[i].second, depth, best);
    std::int64_t before = best;
    while (own < before && !best.compare_exchange_weak(before, own)) {
    }
  });
  return best;
}

std::int64_t Best::asking(const std::uint64_t* support, std::size_t column, int depth,
                          std::int64_t upper) {
  Words yes(rows_.n_words), no(rows_.n_words);
  const std::uint64_t* bits = rows_.column(column);
  for (std::size_t w = 0; w < rows_.n_words; ++w) {
    yes[w] = support[w] & bits[w];
    no[w] = support[w] & ~bits[w];
  }
  const std::int64_t bound_no = lower_bound(no.data());
  const std::int64_t bound_yes = lower_bound(yes.data());
  if (bound_yes + bound_no >= upper) return bound_yes + bound_no;
  const std::int64_t on_yes = of(yes.data(), depth - 1, upper - bound_no);
  if (on_yes + bound_no >= upper) return on_yes + bound_no;
  return on_yes + of(no.data(), depth - 1, upper - on_yes);
}

namespace {

constexpr std::int64_t most_weight = std::int64_t{1} << 28U;

using Table = std::vector<std::int32_t>;

ORDERLESS_INLINE std::int32_t larger(std::int32_t a, std::int32_t b) { return a > b ? a : b; }

/// Signed and plain weights from weights of two classes.
ORDERLESS_INLINE void sign_loop(const std::int64_t* weights, std::size_t stride, std::size_t begin,
                                std::size_t end, std::int32_t* signs, std::int32_t* sums) {
  for (std::size_t k = begin; k < end; ++k) {
    const auto zero = static_cast<std::int32_t>(weights[k]);
    const auto one = static_cast<std::int32_t>(weights[stride + k]);
    signs[k] = one - zero;
    sums[k] = one + zero;
  }
}

/// For a column i all columns k from `begin` on: signed weights of i & k, k, i and of all.
/// Raises the largest |s| + |s'| of a split of both sides of i, and of both sides of each k.
struct SignedPairs {
  std::size_t stride, begin, end;
  const std::int64_t* both;  // of class 0; of class 1 a stride later
  const std::int32_t* one;
  std::int32_t own, all;
  std::int32_t* most;  // of i: two
  std::int32_t* on;    // of each k
  std::int32_t* off;
};

ORDERLESS_INLINE void raise_pairs_loop(const SignedPairs& t) {
  std::int32_t yes = t.most[0], no = t.most[1];
  std::int32_t* ORDERLESS_ALONE on = t.on;
  std::int32_t* ORDERLESS_ALONE off = t.off;
  for (std::size_t k = t.begin; k < t.end; ++k) {
    const auto both = static_cast<std::int32_t>(t.both[t.stride + k] - t.both[k]);
    const std::int32_t a = std::abs(both), b = std::abs(t.own - both);
    const std::int32_t c = std::abs(t.one[k] - both);
    const std::int32_t d = std::abs(t.all - t.own - t.one[k] + both);
    yes = larger(yes, a + b);
    no = larger(no, c + d);
    on[k] = larger(on[k], a + c);
    off[k] = larger(off[k], b + d);
  }
  t.most[0] = yes;
  t.most[1] = no;
}

/// For two columns i < j all columns k from `begin` on, as in Triples.
struct SignedTriples {
  std::size_t stride, begin, end;
  const std::int64_t* three;  // of class 0; of class 1 a stride later
  const std::int32_t *with_i, *with_j, *one;
  std::int32_t ij, i, j, all;
  std::int32_t* most;  // by signs of i and j
  std::int32_t* ik;    // signs x stride
  std::int32_t* jk;
};

ORDERLESS_INLINE void raise_triples_loop(const SignedTriples& t) {
  const std::size_t stride = t.stride;
  std::int32_t m0 = t.most[0], m1 = t.most[1], m2 = t.most[2], m3 = t.most[3];
  std::int32_t* ORDERLESS_ALONE ik = t.ik;
  std::int32_t* ORDERLESS_ALONE jk = t.jk;
  const std::int32_t i_only = t.i - t.ij, j_only = t.j - t.ij;
  const std::int32_t neither = t.all - t.i - j_only;
  for (std::size_t k = t.begin; k < t.end; ++k) {
    const auto three = static_cast<std::int32_t>(t.three[stride + k] - t.three[k]);
    const std::int32_t i_k = t.with_i[k] - three, j_k = t.with_j[k] - three;
    const std::int32_t k_only = t.one[k] - t.with_i[k] - j_k;
    const std::int32_t a0 = std::abs(three), a1 = std::abs(t.ij - three);
    const std::int32_t a2 = std::abs(i_k), a3 = std::abs(i_only - i_k);
    const std::int32_t a4 = std::abs(j_k), a5 = std::abs(j_only - j_k);
    const std::int32_t a6 = std::abs(k_only), a7 = std::abs(neither - k_only);
    m0 = larger(m0, a0 + a1);
    m1 = larger(m1, a2 + a3);
    m2 = larger(m2, a4 + a5);
    m3 = larger(m3, a6 + a7);
    ik[k] = larger(ik[k], a0 + a2);
    ik[stride + k] = larger(ik[stride + k], a1 + a3);
    ik[2 * stride + k] = larger(ik[2 * stride + k], a4 + a6);
    ik[3 * stride + k] = larger(ik[3 * stride + k], a5 + a7);
    jk[k] = larger(jk[k], a0 + a4);
    jk[stride + k] = larger(jk[stride + k], a1 + a5);
    jk[2 * stride + k] = larger(jk[2 * stride + k], a2 + a6);
    jk[3 * stride + k] = larger(jk[3 * stride + k], a3 + a7);
  }
  t.most[0] = m0;
  t.most[1] = m1;
  t.most[2] = m2;
  t.most[3] = m3;
}

ORDERLESS_WIDTHS(sign,
                 (const std::int64_t* weights, std::size_t stride, std::size_t begin,
                  std::size_t end, std::int32_t* signs, std::int32_t* sums),
                 (weights, stride, begin, end, signs, sums))
ORDERLESS_WIDTHS(raise_pairs, (const SignedPairs& pairs), (pairs))
ORDERLESS_WIDTHS(raise_triples, (const SignedTriples& triples), (triples))

/// The cheaper of a leaf on a signed weight and of a split with this |s| + |s'|.
std::int64_t cheaper(const Costs& costs, std::int32_t weight, std::int32_t sign,
                     std::int32_t most) {
  return leaf_or_split(costs, (weight - std::abs(sign)) / 2, (weight - most) / 2);
}

}  // namespace

Ones::Ones(const Rows& part) : signs(part.stride()), weights(part.stride()) {
  std::int64_t all[2];
  class_weights(part, part.all.data(), all);
  sign = static_cast<std::int32_t>(all[1] - all[0]);
  weight = static_cast<std::int32_t>(all[1] + all[0]);
  std::vector<std::int64_t> room(2 * part.stride());
  block_counts(part.all.data(), part, 0, room.data());
  rashomon::sign(room.data(), part.stride(), 0, part.n_columns, signs.data(), weights.data());
}

void Within::narrow(const Rows& rows, const std::uint64_t* mask, std::size_t column) {
  const std::uint64_t* own = rows.blocks.data() + column / 8 * 8 * rows.n_words + column % 8;
  mask_.resize(rows.n_words);
  std::size_t n_bits = 0;
  for (std::size_t w = 0; w < rows.n_words; ++w) {
    mask_[w] = mask[w] & own[8 * w];
    n_bits += static_cast<std::size_t>(std::popcount(mask_[w]));
  }
  rows_ = &rows;
  // A bit is moved in about the time in which it is compared with those of 32 columns.
  const std::size_t spared = rows.n_words - std::min(rows.n_words, n_bits / 64 + 8);
  if ((rows.n_columns - column) * spared < 32 * rows.n_words) return;
  packed_.n_columns = rows.n_columns;
  pack(rows, mask_.data(), column + 1, moves_, packed_, packed_.blocks);
  mask_ = packed_.all;
  rows_ = &packed_;
}

bool signs_suffice(const Rows& part) {
  if (part.target.has_numbers() || part.n_classes != 2) return false;
  std::int64_t all[2];
  if (part.cuts.used()) {
    part.cuts.weigh(all, 2);
  } else {
    class_weights(part, part.all.data(), all);
  }
  return all[0] + all[1] < most_weight;
}

SideCosts signed_sides_of_depth_1(const Rows& part, const Costs& costs) {
  const std::size_t n = part.n_columns, stride = part.stride();
  std::vector<std::int64_t> both(2 * stride);
  const Ones ones(part);
  Table on(stride, 0), off(stride, 0);
  for (std::size_t i = 0; i < n; ++i) {
    if (i + 1 < n) block_counts(part.column(i), part, i + 1, both.data());
    std::int32_t most[2] = {on[i], off[i]};
    raise_pairs({stride, i + 1, n, both.data(), ones.signs.data(), ones.signs[i], ones.sign, most,
                 on.data(), off.data()});
    on[i] = most[0];
    off[i] = most[1];
  }
  SideCosts sides(2 * n);
  for (std::size_t i = 0; i < n; ++i) {
    sides[2 * i] = cheaper(costs, ones.weights[i], ones.signs[i], on[i]);
    sides[2 * i + 1] =
        cheaper(costs, ones.weight - ones.weights[i], ones.sign - ones.signs[i], off[i]);
  }
  return sides;
}

namespace {

/// What one thread finds of all sets of three columns.
struct Threes {
  const Rows& part;
  Meter& meter;
  const Ones& ones;
  const Table& signs;  // of columns i < j where both are 1
  Table most;          // by i, signs and j
  std::vector<std::int64_t> counts;
  Within within;

  Threes(const Rows& rows, Meter& limits, const Ones& one, const Table& two)
      : part(rows),
        meter(limits),
        ones(one),
        signs(two),
        most(rows.n_columns * n_signs * rows.stride(), 0),
        counts(2 * rows.stride() * rows.stride()) {}

  /// Looks at all sets whose first column is i.
  void raise(std::size_t i) {
    const std::size_t n = part.n_columns, stride = part.stride();
    if (i + 2 >= n) return;
    within.narrow(part, part.all.data(), i);
    pair_counts(within.mask(), within.rows(), i + 1, counts.data());
    std::int32_t* of_i = most.data() + i * n_signs * stride;
    for (std::size_t j = i + 1; j + 1 < n; ++j) {
      std::int32_t of_ij[n_signs] = {of_i[j], of_i[stride + j], of_i[2 * stride + j],
                                     of_i[3 * stride + j]};
      raise_triples({stride, j + 1, n, counts.data() + j * 2 * stride, signs.data() + i * stride,
                     signs.data() + j * stride, ones.signs.data(), signs[i * stride + j],
                     ones.signs[i], ones.signs[j], ones.sign, of_ij, of_i,
                     most.data() + j * n_signs * stride});
      for (std::size_t s = 0; s < n_signs; ++s) of_i[s * stride + j] = of_ij[s];
      meter.step((n - j) * (within.rows().n_words / 4 + 4));
    }
  }
};

}  // namespace

SideCosts signed_sides_of_depth_2(const Rows& part, const Costs& costs, Meter& meter) {
  const std::size_t n = part.n_columns, stride = part.stride();
  const std::size_t steps = n * n * n / 6 * (part.n_words / 4 + 4);
  const std::size_t n_workers = workers(n, steps, meter);
  Held held(meter);
  held.set(n * stride * 4 * (2 + n_signs * n_workers) + n_workers * stride * (16 * stride + 64));
  const Ones ones(part);
  // Of columns i < j: signed weight and weight where both are 1, and by signs the largest
  // |s| + |s'| of a split there, as each thread finds it.
  Table signs(n * stride), weights(n * stride);
  std::vector<std::int64_t> pairs(2 * stride * stride);
  pair_counts(part.all.data(), part, 0, pairs.data());
  for (std::size_t i = 0; i + 1 < n; ++i) {
    sign(pairs.data() + i * 2 * stride, stride, i + 1, n, signs.data() + i * stride,
         weights.data() + i * stride);
  }
  std::vector<Threes> workers_of;
  workers_of.reserve(n_workers);
  for (std::size_t i = 0; i < n_workers; ++i) workers_of.emplace_back(part, meter, ones, signs);
  each(n, steps, meter, [&](std::size_t i, std::size_t worker) { workers_of[worker].raise(i); });
  Table& most = workers_of[0].most;
  for (std::size_t worker = 1; worker < n_workers; ++worker) {
    for (std::size_t at = 0; at < most.size(); ++at) {
      most[at] = larger(most[at], workers_of[worker].most[at]);
    }
  }
  SideCosts best(2 * n);
  for (std::size_t i = 0; i < n; ++i) {
    best[2 * i] = cheaper(costs, ones.weights[i], ones.signs[i], 0);
    best[2 * i + 1] = cheaper(costs, ones.weight - ones.weights[i], ones.sign - ones.signs[i], 0);
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      const auto cells = [&](const Table& two, const Table& one, std::int32_t all,
                             std::int32_t* out) {
        out[0] = two[i * stride + j];
        out[1] = one[i] - out[0];
        out[2] = one[j] - out[0];
        out[3] = all - one[i] - out[2];
      };
      std::int32_t s[n_signs], w[n_signs];
      cells(signs, ones.signs, ones.sign, s);
      cells(weights, ones.weights, ones.weight, w);
      std::int64_t cost[n_signs];
      for (std::size_t c = 0; c < n_signs; ++c) {
        cost[c] = cheaper(costs, w[c], s[c], most[(i * n_signs + c) * stride + j]);
      }
      best[2 * i] = std::min(best[2 * i], cost[0] + cost[1]);
      best[2 * i + 1] = std::min(best[2 * i + 1], cost[2] + cost[3]);
      best[2 * j] = std::min(best[2 * j], cost[0] + cost[2]);
      best[2 * j + 1] = std::min(best[2 * j + 1], cost[1] + cost[3]);
    }
  }
  return best;
}

}  // namespace orderless::rashomon
