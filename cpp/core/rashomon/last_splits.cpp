#include "core/rashomon/last_splits.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/rashomon/widths.hpp"

namespace orderless::rashomon {

namespace {

/// Rows where a column is 1, or not 1, among others.
struct Narrowed {
  const std::uint64_t *from, *own;
  std::uint64_t flip;
  std::uint64_t* to;
  std::size_t n;
};
ORDERLESS_INLINE void narrow_words_loop(const Narrowed& t) {
  for (std::size_t w = 0; w < t.n; ++w) t.to[w] = t.from[w] & (t.own[w] ^ t.flip);
}
ORDERLESS_WIDTHS(narrow_words, (const Narrowed& t), (t))

/// Adds what the items of each word weigh, by class: 2^shift each, those of `some`.
struct Counted {
  const std::uint64_t *words, *some, *ones;
  int shift;
  std::uint64_t *zero, *one;
  std::size_t n;
};
ORDERLESS_INLINE void count_words_loop(const Counted& t) {
  for (std::size_t w = 0; w < t.n; ++w) {
    const std::uint64_t own = t.words[w] & t.some[w];
    t.one[w] += static_cast<std::uint64_t>(std::popcount(own & t.ones[w])) << t.shift;
    t.zero[w] += static_cast<std::uint64_t>(std::popcount(own & ~t.ones[w])) << t.shift;
  }
}
ORDERLESS_WIDTHS(count_words, (const Counted& t), (t))

}  // namespace

/// Some rows: words of chain after chain, and what each word weighs.
struct LastSplits::Found {
  Words words, zero, one;
  std::int64_t all[2] = {0, 0};
};

std::size_t LastSplits::bytes_of(const Cuts& cuts) {
  const std::size_t words = cuts.n_chains() * words_for(cuts.n_items());
  return words * (cuts.n_groups() + 20) * 8 + cuts.n_chains() * cuts.n_items() * 6 + cuts.bytes();
}

LastSplits::LastSplits(const Rows& rows, Meter& meter) : group_(rows.n_columns, 0) {
  Restriction restriction(rows);
  cuts_ = restriction.of(rows.all.data()).rows.cuts;
  const std::size_t n = cuts_.n_items(), n_chains = cuts_.n_chains(), n_groups = cuts_.n_groups();
  n_words_ = words_for(n);
  Held held(meter);
  held.set(bytes_of(cuts_));
  for (std::uint32_t group = 0; group < n_groups; ++group) {
    std::fill(group_.begin() + cuts_.column[group], group_.begin() + cuts_.end[group], group);
  }
  const std::size_t stride = n_chains * n_words_;
  bits_.assign(n_groups * stride, 0);
  all_.assign(stride, 0);
  ones_.assign(stride, 0);
  const bool unit =
      std::all_of(cuts_.weight.begin(), cuts_.weight.end(), [](auto w) { return w == 1; });
  const auto of_weight = [&](std::int64_t weight) {
    const int shift = std::countr_zero(static_cast<std::uint64_t>(weight));
    for (auto& [known, words] : heavy_) {
      if (known == shift) return words.data();
    }
    heavy_.emplace_back(shift, Words(stride, 0));
    return heavy_.back().second.data();
  };
  for (std::size_t chain = 0; chain < n_chains; ++chain) {
    const std::uint32_t* items = cuts_.items(chain);
    std::vector<std::uint32_t> place(n);
    for (std::uint32_t i = 0; i < n; ++i) {
      place[items[i]] = i;
      set_bit(all_.data() + chain * n_words_, i);
      if (cuts_.label[items[i]] != 0) set_bit(ones_.data() + chain * n_words_, i);
      bins_.push_back(cuts_.bins(chain)[items[i]]);
      if (!unit) weights_.push_back(static_cast<std::int32_t>(cuts_.weight[items[i]]));
      set_bit(of_weight(cuts_.weight[items[i]]) + chain * n_words_, i);
    }
    for (std::size_t other = 0; other < n_chains; ++other) {
      std::uint32_t done = 0;
      for (std::size_t group = cuts_.start[other]; group < cuts_.start[other + 1]; ++group) {
        std::uint64_t* own = bits_.data() + group * stride + chain * n_words_;
        if (group != cuts_.start[other]) std::copy_n(own - stride, n_words_, own);
        for (; done < cuts_.n_upto[group]; ++done) set_bit(own, place[cuts_.items(other)[done]]);
      }
    }
    meter.step(n_groups * n_words_);
  }
}

std::size_t LastSplits::bytes() const { return bytes_of(cuts_) + group_.size() * 4; }

LastSplits::Found LastSplits::find(std::span<const std::int32_t> path) const {
  const std::size_t stride = cuts_.n_chains() * n_words_;
  Found out{Words(stride), Words(stride), Words(stride)};
  const std::uint64_t* from = all_.data();
  if (path.empty()) out.words = all_;
  for (const std::int32_t literal : path) {
    const std::size_t group = group_[at(literal / 2)];
    narrow_words({from, bits_.data() + group * stride, literal % 2 == 0 ? 0 : ~std::uint64_t{0},
                  out.words.data(), stride});
    from = out.words.data();
  }
  for (const auto& [shift, some] : heavy_) {
    count_words({out.words.data(), some.data(), ones_.data(), shift, out.zero.data(),
                 out.one.data(), stride});
  }
  for (std::size_t w = 0; w < n_words_; ++w) {
    out.all[0] += static_cast<std::int64_t>(out.zero[w]);
    out.all[1] += static_cast<std::int64_t>(out.one[w]);
  }
  return out;
}

template <class Use>
void LastSplits::each(const Found& found, std::int64_t most, Use&& use) const {
  const std::int64_t all0 = found.all[0], all1 = found.all[1];
  for (std::size_t chain = 0; chain < cuts_.n_chains(); ++chain) {
    const std::uint16_t* bins = bins_.data() + chain * cuts_.n_items();
    const std::uint64_t* ones = ones_.data() + chain * n_words_;
    const std::size_t first = chain * n_words_;
    const std::int32_t* weights =
        weights_.empty() ? nullptr : weights_.data() + chain * cuts_.n_items();
    std::int64_t sum0 = 0, sum1 = 0;
    std::size_t last = n_words_;  // the last word with items
    for (std::size_t w = 0; w < n_words_; ++w) {
      const auto zero = static_cast<std::int64_t>(found.zero[first + w]);
      const auto one = static_cast<std::int64_t>(found.one[first + w]);
      const std::uint64_t word = found.words[first + w];
      // No cut before an item of this word misses less.
      const std::int64_t least =
          std::min(sum0, sum1) + std::min(all0 - sum0 - zero, all1 - sum1 - one);
      if (least > most || word == 0) {
        sum0 += zero;
        sum1 += one;
        if (word != 0) last = w;
        continue;
      }
      std::int64_t on[2] = {sum0, sum1};
      std::uint16_t before = 0;
      if (last < w) {
        const auto top = static_cast<std::size_t>(std::countl_zero(found.words[first + last]));
        before = bins[last * 64 + 63 - top];
      }
      for (std::uint64_t rest = word; rest != 0; rest &= rest - 1) {
        const auto bit = static_cast<std::size_t>(std::countr_zero(rest));
        const std::size_t i = w * 64 + bit;
        const std::int64_t errors = std::min(on[0], on[1]) + std::min(all0 - on[0], all1 - on[1]);
        if (errors <= most && bins[i] != before && on[0] + on[1] != 0) {
          use(chain, before, bins[i], on, errors);
        }
        before = bins[i];
        on[ones[w] >> bit & 1U] += weights == nullptr ? 1 : weights[i];
      }
      sum0 += zero;
      sum1 += one;
      last = w;
    }
  }
}

void LastSplits::list(std::span<const std::int32_t> path, std::int64_t most, std::int64_t* all,
                      std::vector<LastSplit>& out) const {
  out.clear();
  const Found found = find(path);
  std::copy_n(found.all, 2, all);
  each(found, most,
       [&](std::size_t chain, std::size_t bin, std::size_t next, const std::int64_t* on,
           std::int64_t /*errors*/) {
         const std::size_t first = cuts_.start[chain];
         out.push_back({cuts_.column[first + bin], cuts_.end[first + next - 1], {on[0], on[1]}});
       });
}

std::vector<std::uint32_t> LastSplits::upto(std::span<const std::uint8_t> allowed) const {
  std::vector<std::uint32_t> out;
  for (std::size_t chain = 0; chain < cuts_.n_chains(); ++chain) {
    out.push_back(0);
    for (std::size_t group = cuts_.start[chain]; group < cuts_.start[chain + 1]; ++group) {
      std::uint32_t n = out.back();
      for (std::uint32_t j = cuts_.column[group]; j < cuts_.end[group]; ++j) n += allowed[j];
      out.push_back(n);
    }
  }
  return out;
}

void LastSplits::tally(std::span<const std::int32_t> path, std::int64_t most,
                       std::span<const std::uint32_t> upto, std::vector<SplitTally>& out) const {
  out.assign(static_cast<std::size_t>(most + 1), {});
  const Found found = find(path);
  each(found, most,
       [&](std::size_t chain, std::size_t bin, std::size_t next, const std::int64_t* on,
           std::int64_t errors) {
         const std::size_t first = cuts_.start[chain] + chain;
         const std::uint64_t n = upto[first + next] - upto[first + bin];
         SplitTally& to = out[static_cast<std::size_t>(errors)];
         to.splits += n;
         // The last of two classes that weigh the same is said.
         const bool yes = on[1] >= on[0], no = found.all[1] - on[1] >= found.all[0] - on[0];
         if (yes != no) to.differ += n;
       });
}

}  // namespace orderless::rashomon
