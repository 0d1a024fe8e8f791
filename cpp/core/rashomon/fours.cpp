#include <algorithm>
#include <cstdlib>
#include <utility>

#include "core/rashomon/kernels.hpp"
#include "core/rashomon/signed.hpp"
#include "core/rashomon/threads.hpp"
#include "core/rashomon/widths.hpp"

// All sets of four columns, in the same way as sets of three in signed.cpp: their signed weights
// give those of the sixteen cells, and each raises what a split of the cells of three is worth.
namespace orderless::rashomon {

namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 28U;  // of tables of sets of three
constexpr std::size_t least_words = 4096;                  // of all columns
constexpr std::size_t n_cells = 8;                         // signs of three columns

/// For columns i < j < k all columns l from `begin` on: signed weights where l is 1 and others are,
/// and `cell`, those of i, j and k by their signs. Raises the largest |s| + |s'| of a split: on l
/// of the cells of i, j, k (`most`); on k, j and i of the cells of the other two and l.
struct SignedFours {
  std::size_t stride, begin, end;
  const std::int64_t* four;  // of class 0; of class 1 a stride later
  const std::int32_t *ij, *ik, *jk, *i, *j, *k, *one;
  const std::int32_t* cell;
  std::int32_t* most;
  std::int32_t *with_ij, *with_ik, *with_jk;  // signs x stride
  std::int32_t* room;                         // 16 x stride
};

/// |weights| of the sixteen cells: those where l is 1 first.
ORDERLESS_INLINE void set_cells(const SignedFours& t) {
  std::int32_t* ORDERLESS_ALONE room = t.room;
  const std::size_t stride = t.stride;
  for (std::size_t l = t.begin; l < t.end; ++l) {
    const auto four = static_cast<std::int32_t>(t.four[stride + l] - t.four[l]);
    const std::int32_t ij = t.ij[l] - four, ik = t.ik[l] - four, jk = t.jk[l] - four;
    const std::int32_t i = t.i[l] - t.ij[l] - ik, j = t.j[l] - t.ij[l] - jk;
    const std::int32_t k = t.k[l] - t.ik[l] - jk;
    const std::int32_t none = t.one[l] - t.i[l] - j - jk - k;
    const std::int32_t on[n_cells] = {four, ij, ik, i, jk, j, k, none};
    for (std::size_t s = 0; s < n_cells; ++s) {
      room[s * stride + l] = std::abs(on[s]);
      room[(n_cells + s) * stride + l] = std::abs(t.cell[s] - on[s]);
    }
  }
}

ORDERLESS_INLINE void raise_by(std::int32_t* ORDERLESS_ALONE out, const std::int32_t* a,
                               const std::int32_t* b, std::size_t begin, std::size_t end) {
  for (std::size_t l = begin; l < end; ++l) {
    const std::int32_t sum = a[l] + b[l];
    out[l] = sum > out[l] ? sum : out[l];
  }
}

ORDERLESS_INLINE void raise_fours_loop(const SignedFours& t) {
  const std::size_t stride = t.stride;
  set_cells(t);
  for (std::size_t s = 0; s < n_cells; ++s) {
    std::int32_t most = t.most[s];
    const std::int32_t* on = t.room + s * stride;
    const std::int32_t* off = t.room + (n_cells + s) * stride;
    for (std::size_t l = t.begin; l < t.end; ++l) {
      const std::int32_t sum = on[l] + off[l];
      most = sum > most ? sum : most;
    }
    t.most[s] = most;
  }
  for (std::size_t off = 0; off < 2; ++off) {
    const std::int32_t* cell = t.room + off * n_cells * stride;
    for (std::size_t s = 0; s < n_signs; ++s) {
      const std::size_t high = s / 2, low = s % 2, at = (2 * s + off) * stride;
      const auto raise = [&](std::int32_t* out, std::size_t first, std::size_t step) {
        raise_by(out + at, cell + first * stride, cell + (first + step) * stride, t.begin, t.end);
      };
      raise(t.with_ij, 4 * high + 2 * low, 1);
      raise(t.with_ik, 4 * high + low, 2);
      raise(t.with_jk, 2 * high + low, 4);
    }
  }
}

ORDERLESS_WIDTHS(raise_fours, (const SignedFours& fours), (fours))

/// Signed weights of sets of one, two and three columns that are 1.
struct SmallSets {
  std::size_t n, stride;
  Ones ones;
  std::vector<std::int32_t> twos;    // by i < j
  std::vector<std::int32_t> threes;  // by i < j < k

  explicit SmallSets(const Rows& part)
      : n(part.n_columns),
        stride(part.stride()),
        ones(part),
        twos(n * stride),
        threes(n_pairs() * stride) {}

  [[nodiscard]] std::size_t n_pairs() const { return n * (n - 1) / 2; }
  /// The number of a pair i < j.
  [[nodiscard]] std::size_t pair(std::size_t i, std::size_t j) const {
    return i * (2 * n - i - 1) / 2 + j - i - 1;
  }
  [[nodiscard]] const std::int32_t* two(std::size_t i) const { return twos.data() + i * stride; }
  [[nodiscard]] const std::int32_t* three(std::size_t i, std::size_t j) const {
    return threes.data() + pair(i, j) * stride;
  }
  /// Of the four cells of columns i < j.
  void cells(std::size_t i, std::size_t j, std::int32_t* out) const {
    out[0] = two(i)[j];
    out[1] = ones.signs[i] - out[0];
    out[2] = ones.signs[j] - out[0];
    out[3] = ones.sign - ones.signs[i] - out[2];
  }
  /// Of the eight cells of columns i < j < k.
  void cells(std::size_t i, std::size_t j, std::size_t k, std::int32_t* out) const {
    std::int32_t pairs[n_signs];
    cells(i, j, pairs);
    out[0] = three(i, j)[k];
    out[2] = two(i)[k] - out[0];
    out[4] = two(j)[k] - out[0];
    out[6] = ones.signs[k] - two(i)[k] - out[4];
    for (std::size_t s = 0; s < n_signs; ++s) out[2 * s + 1] = pairs[s] - out[2 * s];
  }
};

void take_signs(const std::vector<std::int64_t>& counts, std::size_t row, const SmallSets& sets,
                std::int32_t* out) {
  const std::int64_t* from = counts.data() + row * 2 * sets.stride;
  for (std::size_t k = row + 1; k < sets.n; ++k) {
    out[k] = static_cast<std::int32_t>(from[sets.stride + k] - from[k]);
  }
}

/// What one thread finds of all sets of four columns.
class Fours {
 public:
  Fours(const Rows& part, SmallSets& sets, Meter& meter)
      : part_(part),
        sets_(sets),
        meter_(meter),
        most_(sets.n_pairs() * n_cells * sets.stride, 0),
        room_(16 * sets.stride),
        counts_(2 * sets.stride * sets.stride) {}

  /// The weights of all sets of three whose first column is i.
  void count_threes(std::size_t i) {
    if (i + 2 >= sets_.n) return;
    first_.narrow(part_, part_.all.data(), i);
    pair_counts(first_.mask(), first_.rows(), i + 1, counts_.data());
    for (std::size_t j = i + 1; j + 1 < sets_.n; ++j) {
      take_signs(counts_, j, sets_, sets_.threes.data() + sets_.pair(i, j) * sets_.stride);
    }
    meter_.step((sets_.n - i) * (sets_.n - i) * (part_.n_words / 8 + 1));
  }

  /// Looks at all sets of four whose first column is i.
  void raise(std::size_t i) {
    if (i + 3 >= sets_.n) return;
    first_.narrow(part_, part_.all.data(), i);
    for (std::size_t j = i + 1; j + 2 < sets_.n; ++j) {
      second_.narrow(first_.rows(), first_.mask(), j);
      pair_counts(second_.mask(), second_.rows(), j + 1, counts_.data());
      for (std::size_t k = j + 1; k + 1 < sets_.n; ++k) raise(i, j, k);
      meter_.step((sets_.n - j) * (sets_.n - j) * (second_.rows().n_words / 8 + 4));
    }
  }

  /// The largest |s| + |s'| of a split of each cell of i < j < k: by signs, n_cells x stride.
  [[nodiscard]] std::int32_t* most(std::size_t i, std::size_t j) {
    return most_.data() + sets_.pair(i, j) * n_cells * sets_.stride;
  }
  void join(const Fours& other) {
    for (std::size_t at = 0; at < most_.size(); ++at) {
      most_[at] = std::max(most_[at], other.most_[at]);
    }
  }

 private:
  void raise(std::size_t i, std::size_t j, std::size_t k) {
    const std::size_t stride = sets_.stride;
    std::int32_t cell[n_cells], own[n_cells];
    sets_.cells(i, j, k, cell);
    std::int32_t* with_ij = most(i, j);
    for (std::size_t s = 0; s < n_cells; ++s) own[s] = with_ij[s * stride + k];
    raise_fours({stride, k + 1, sets_.n, counts_.data() + k * 2 * stride, sets_.three(i, j),
                 sets_.three(i, k), sets_.three(j, k), sets_.two(i), sets_.two(j), sets_.two(k),
                 sets_.ones.signs.data(), cell, own, with_ij, most(i, k), most(j, k),
                 room_.data()});
    for (std::size_t s = 0; s < n_cells; ++s) with_ij[s * stride + k] = own[s];
  }

  const Rows& part_;
  SmallSets& sets_;
  Meter& meter_;
  std::vector<std::int32_t> most_, room_;
  std::vector<std::int64_t> counts_;
  Within first_, second_;
};

void raise(std::int64_t& to, std::int64_t by) { to = std::max(to, by); }

/// The largest gains of trees, from the cells upwards. A tree costs half of error x weight less the
/// sum of its leaves' gains, error x |s| - 2 leaf each; and all trees of a side have one weight.
class Gains {
 public:
  Gains(const SmallSets& sets, const Costs& costs)
      : sets_(sets), costs_(costs), two_(sets.n_pairs() * n_signs), one_(2 * sets.n) {
    for (std::size_t i = 0; i < sets.n; ++i) {
      one_[2 * i] = gain(sets.ones.signs[i], 1);
      one_[2 * i + 1] = gain(sets.ones.sign - sets.ones.signs[i], 1);
      for (std::size_t j = i + 1; j < sets.n; ++j) {
        std::int32_t cell[n_signs];
        sets.cells(i, j, cell);
        for (std::size_t s = 0; s < n_signs; ++s) of(i, j)[s] = gain(cell[s], 1);
      }
    }
  }

  /// Trees of depth <= 1 in the cells of i < j < k; `most`: |s| + |s'| of their best splits.
  void take(std::size_t i, std::size_t j, std::size_t k, const std::int32_t* most) {
    std::int32_t cell[n_cells];
    std::int64_t g[n_cells];
    sets_.cells(i, j, k, cell);
    for (std::size_t s = 0; s < n_cells; ++s) {
      g[s] = std::max(gain(cell[s], 1), gain(most[s * sets_.stride + k], 2));
    }
    for (std::size_t s = 0; s < n_signs; ++s) {
      raise(of(i, j)[s], g[2 * s] + g[2 * s + 1]);
      raise(of(i, k)[s], g[4 * (s / 2) + s % 2] + g[4 * (s / 2) + 2 + s % 2]);
      raise(of(j, k)[s], g[s] + g[4 + s]);
    }
  }

  /// What the sides of each column cost, once all cells are taken.
  [[nodiscard]] SideCosts sides() && {
    for (std::size_t i = 0; i < sets_.n; ++i) {
      for (std::size_t j = i + 1; j < sets_.n; ++j) {
        const std::int64_t* g = of(i, j);
        raise(one_[2 * i], g[0] + g[1]);
        raise(one_[2 * i + 1], g[2] + g[3]);
        raise(one_[2 * j], g[0] + g[2]);
        raise(one_[2 * j + 1], g[1] + g[3]);
      }
    }
    for (std::size_t side = 0; side < one_.size(); ++side) {
      const std::int64_t on = sets_.ones.weights[side / 2];
      const std::int64_t weight = side % 2 == 0 ? on : sets_.ones.weight - on;
      one_[side] = (costs_.error * weight - one_[side]) / 2;
    }
    return std::move(one_);
  }

 private:
  [[nodiscard]] std::int64_t gain(std::int32_t sign, std::int64_t leaves) const {
    return costs_.error * std::abs(sign) - 2 * leaves * costs_.leaf;
  }
  std::int64_t* of(std::size_t i, std::size_t j) {
    return two_.data() + sets_.pair(i, j) * n_signs;
  }

  const SmallSets& sets_;
  Costs costs_;
  std::vector<std::int64_t> two_;  // trees of depth <= 2 in the cells of i < j
  SideCosts one_;                  // of depth <= 3 on the sides
};

std::size_t bytes_of_fours(const Rows& part, std::size_t n_workers) {
  const std::size_t n = part.n_columns, stride = part.stride();
  return n * n / 2 * stride * 4 * (1 + n_cells * n_workers) + n * n * 16 +
         n_workers * (16 * stride * stride + 2 * part.blocks.size() * 8);
}

}  // namespace

bool fours_pay(const Rows& part, const Costs& costs, const Meter& meter) {
  constexpr std::int64_t large = std::int64_t{1} << 56U;  // sums of a few of these fit in 64 bits
  // Of few columns and words, a search by column finds most not worth a look, and is faster.
  if (part.cuts.used()) return false;
  if (part.n_columns < 4 || part.n_columns * part.n_words < least_words) return false;
  if (!signs_suffice(part)) return false;
  std::int64_t all[2];
  class_weights(part, part.all.data(), all);
  if (costs.leaf > large || costs.error > large / (all[0] + all[1])) return false;
  const std::size_t spare = meter.limit() - std::min(meter.limit(), meter.held());
  return bytes_of_fours(part, meter.n_threads()) < std::min(most_bytes, spare / 2);
}

SideCosts signed_sides_of_depth_3(const Rows& part, const Costs& costs, Meter& meter) {
  const std::size_t n = part.n_columns;
  const std::size_t steps = n * n * n / 6 * (n / 4) * (part.n_words / 8 + 4);
  const std::size_t n_workers = workers(n, steps, meter);
  Held held(meter);
  held.set(bytes_of_fours(part, n_workers));
  SmallSets sets(part);
  std::vector<std::int64_t> pairs(2 * sets.stride * sets.stride);
  pair_counts(part.all.data(), part, 0, pairs.data());
  for (std::size_t i = 0; i + 1 < n; ++i) {
    take_signs(pairs, i, sets, sets.twos.data() + i * sets.stride);
  }
  std::vector<Fours> fours;
  fours.reserve(n_workers);
  for (std::size_t worker = 0; worker < n_workers; ++worker) fours.emplace_back(part, sets, meter);
  each(n, steps, meter, [&](std::size_t i, std::size_t worker) { fours[worker].count_threes(i); });
  each(n, steps, meter, [&](std::size_t i, std::size_t worker) { fours[worker].raise(i); });
  for (std::size_t worker = 1; worker < n_workers; ++worker) fours[0].join(fours[worker]);
  Gains gains(sets, costs);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      for (std::size_t k = j + 1; k < n; ++k) gains.take(i, j, k, fours[0].most(i, j));
    }
  }
  return std::move(gains).sides();
}

}  // namespace orderless::rashomon
