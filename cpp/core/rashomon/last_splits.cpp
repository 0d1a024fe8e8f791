#include "core/rashomon/last_splits.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/base/machine.hpp"

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

/// The cuts of a chain that miss at most `most` of some rows.
struct Scanned {
  const std::uint64_t *words, *zero, *one;  // the rows, and what each word weighs
  const std::uint64_t *ones, *firsts;       // of all rows: those of class 1, and the first of bins
  const std::uint16_t* bins;
  std::size_t first, n_words;  // the chain's words among those of all chains
  std::span<const std::pair<int, Words>> heavy;
  std::int64_t all[2], most;
  bool row_by_row;  // bins have few rows, and all rows weigh the same
  PassedCut* out;
  std::size_t* n_out;
};
ORDERLESS_INLINE void scan_chain_loop(const Scanned& t) {
  const std::int64_t all0 = t.all[0], all1 = t.all[1], most = t.most;
  std::int64_t sum0 = 0, sum1 = 0;
  std::size_t last = t.n_words;  // the last word with items
  PassedCut* out = t.out;
  for (std::size_t w = 0; w < t.n_words; ++w) {
    const auto zero = static_cast<std::int64_t>(t.zero[w]);
    const auto one = static_cast<std::int64_t>(t.one[w]);
    // No cut before an item of this word misses less.
    const std::int64_t least =
        std::min(sum0, sum1) + std::min(all0 - sum0 - zero, all1 - sum1 - one);
    if (least > most || t.words[w] == 0) {
      sum0 += zero;
      sum1 += one;
      if (t.words[w] != 0) last = w;
      continue;
    }
    std::int64_t on0 = sum0, on1 = sum1;
    std::uint16_t before = 0;
    if (last < w) {
      before = t.bins[last * 64 + 63 - static_cast<std::size_t>(std::countl_zero(t.words[last]))];
    }
    for (std::uint64_t rest = t.words[w]; rest != 0;) {
      const auto bit = static_cast<unsigned>(std::countr_zero(rest));
      const std::uint16_t bin = t.bins[w * 64 + bit];
      const std::int64_t errors = std::min(on0, on1) + std::min(all0 - on0, all1 - on1);
      if (errors <= most && bin != before && on0 + on1 != 0) *out++ = {before, bin, {on0, on1}};
      before = bin;
      if (t.row_by_row) {
        const std::uint64_t one_more = t.ones[w] >> bit & 1U;
        on1 += static_cast<std::int64_t>(one_more << t.heavy[0].first);
        on0 += static_cast<std::int64_t>((one_more ^ 1U) << t.heavy[0].first);
        rest &= rest - 1;
        continue;
      }
      // All up to the first item of the next bin, or to the end of the word.
      const std::uint64_t above = t.firsts[w] & (~std::uint64_t{1} << bit);
      const std::uint64_t upto = (above & (~above + 1)) - 1;
      const std::uint64_t own = rest & upto;
      for (const auto& [shift, some] : t.heavy) {
        const std::uint64_t these = own & some[t.first + w];
        on1 += std::int64_t{std::popcount(these & t.ones[w])} << shift;
        on0 += std::int64_t{std::popcount(these & ~t.ones[w])} << shift;
      }
      rest &= ~upto;
    }
    sum0 += zero;
    sum1 += one;
    last = w;
  }
  *t.n_out = static_cast<std::size_t>(out - t.out);
}
ORDERLESS_WIDTHS(scan_chain, (const Scanned& t), (t))

}  // namespace

std::size_t LastSplits::bytes_of(const Cuts& cuts) {
  const std::size_t words = cuts.n_chains() * words_for(cuts.n_items());
  return words * (cuts.n_groups() + 21) * 8 + cuts.n_chains() * cuts.n_items() * 6 + cuts.bytes();
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
  firsts_.assign(stride, 0);
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
      if (i == 0 || cuts_.bins(chain)[items[i]] != cuts_.bins(chain)[items[i - 1]]) {
        set_bit(firsts_.data() + chain * n_words_, i);
      }
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

void LastSplits::find(std::span<const std::int32_t> path, Room& room) const {
  const std::size_t stride = cuts_.n_chains() * n_words_;
  room.words.resize(stride);
  room.zero.assign(stride, 0);
  room.one.assign(stride, 0);
  const std::uint64_t* from = all_.data();
  if (path.empty()) room.words = all_;
  for (const std::int32_t literal : path) {
    const std::size_t group = group_[at(literal / 2)];
    narrow_words({from, bits_.data() + group * stride, literal % 2 == 0 ? 0 : ~std::uint64_t{0},
                  room.words.data(), stride});
    from = room.words.data();
  }
  for (const auto& [shift, some] : heavy_) {
    count_words({room.words.data(), some.data(), ones_.data(), shift, room.zero.data(),
                 room.one.data(), stride});
  }
  std::fill_n(room.all, 2, 0);
  for (std::size_t w = 0; w < n_words_; ++w) {
    room.all[0] += static_cast<std::int64_t>(room.zero[w]);
    room.all[1] += static_cast<std::int64_t>(room.one[w]);
  }
}

template <class Use>
void LastSplits::each(Room& room, std::int64_t most, Use&& use) const {
  for (std::size_t chain = 0; chain < cuts_.n_chains(); ++chain) {
    const std::size_t first = chain * n_words_;
    room.passed.resize(cuts_.start[chain + 1] - cuts_.start[chain] + 1);
    std::size_t n = 0;
    scan_chain({room.words.data() + first,
                room.zero.data() + first,
                room.one.data() + first,
                ones_.data() + first,
                firsts_.data() + first,
                bins_.data() + chain * cuts_.n_items(),
                first,
                n_words_,
                heavy_,
                {room.all[0], room.all[1]},
                most,
                heavy_.size() == 1 && 2 * room.passed.size() > cuts_.n_items(),
                room.passed.data(),
                &n});
    for (std::size_t i = 0; i < n; ++i) use(chain, room.passed[i]);
  }
}

void LastSplits::list(std::span<const std::int32_t> path, std::int64_t most, std::int64_t* all,
                      std::vector<LastSplit>& out, Room& room) const {
  out.clear();
  find(path, room);
  std::copy_n(room.all, 2, all);
  each(room, most, [&](std::size_t chain, const PassedCut& cut) {
    const std::size_t first = cuts_.start[chain];
    out.push_back({cuts_.column[first + cut.before],
                   cuts_.end[first + cut.next - 1],
                   {cut.on[0], cut.on[1]}});
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
                       std::span<const std::uint32_t> upto, std::vector<SplitTally>& out,
                       Room& room) const {
  out.assign(static_cast<std::size_t>(most + 1), {});
  find(path, room);
  each(room, most, [&](std::size_t chain, const PassedCut& cut) {
    const std::size_t first = cuts_.start[chain] + chain;
    const std::uint64_t n = upto[first + cut.next] - upto[first + cut.before];
    const std::int64_t off[2] = {room.all[0] - cut.on[0], room.all[1] - cut.on[1]};
    const std::int64_t errors = std::min(cut.on[0], cut.on[1]) + std::min(off[0], off[1]);
    SplitTally& to = out[static_cast<std::size_t>(errors)];
    to.splits += n;
    // The last of two classes that weigh the same is said.
    if ((cut.on[1] >= cut.on[0]) != (off[1] >= off[0])) to.differ += n;
  });
}

}  // namespace orderless::rashomon
