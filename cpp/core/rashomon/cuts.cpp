#include "core/rashomon/cuts.hpp"

#include <algorithm>
#include <limits>

#include "core/rashomon/rows.hpp"

namespace orderless::rashomon {

namespace {

// With fewer, words of bits are quicker than bins.
constexpr std::size_t fewest_columns = 256, fewest_in_chain = 20;
constexpr std::size_t most_in_chain = std::numeric_limits<std::uint16_t>::max() - 1;

bool follows(const Rows& rows, std::size_t j) {
  const std::uint64_t *before = rows.column(j - 1), *own = rows.column(j);
  for (std::size_t w = 0; w < rows.n_words; ++w) {
    if ((before[w] & ~own[w]) != 0) return false;
  }
  return true;
}

}  // namespace

std::size_t Cuts::bytes() const {
  return 4 * (start.capacity() + column.capacity() + end.capacity() + n_upto.capacity() +
              sorted.capacity() + label.capacity()) +
         2 * bin.capacity() + 8 * weight.capacity();
}

std::size_t Cuts::chain_of(std::size_t group) const {
  const auto after = std::upper_bound(start.begin(), start.end(), group);
  return static_cast<std::size_t>(after - start.begin()) - 1;
}

void Cuts::weigh(std::int64_t* out, std::size_t n_classes) const {
  std::fill_n(out, n_classes, 0);
  for (std::size_t i = 0; i < n_items(); ++i) out[at(label[i])] += weight[i];
}

void find_chains(Rows& rows) { find_chains(rows, fewest_columns, fewest_in_chain); }

void find_chains(Rows& rows, std::size_t n_columns, std::size_t in_chain) {
  const std::size_t n = rows.n_columns, n_bits = rows.n_words * 64;
  rows.cuts = {};
  if (n == 0 || n < n_columns) return;
  Cuts cuts;
  for (std::size_t j = 0; j < n; ++j) {
    const bool more = j > 0 && j - cuts.start.back() < most_in_chain && follows(rows, j);
    if (!more) cuts.start.push_back(static_cast<std::uint32_t>(j));
    if (cuts.start.size() * in_chain > n) return;
  }
  cuts.start.push_back(static_cast<std::uint32_t>(n));
  for (std::uint32_t j = 0; j < n; ++j) {
    cuts.column.push_back(j);
    cuts.end.push_back(j + 1);
  }
  cuts.label.assign(n_bits, 0);
  cuts.weight.assign(n_bits, 0);
  for (const Segment& segment : rows.segments) {
    for (std::size_t bit = segment.begin * 64; bit < std::size_t{segment.end} * 64; ++bit) {
      cuts.label[bit] = segment.label;
      cuts.weight[bit] = std::int64_t{1} << segment.shift;
    }
  }
  cuts.bin.assign(cuts.n_chains() * n_bits, 0);
  for (std::size_t chain = 0; chain < cuts.n_chains(); ++chain) {
    std::uint16_t* bins = cuts.bin.data() + chain * n_bits;
    for (std::size_t j = cuts.start[chain]; j < cuts.start[chain + 1]; ++j) {
      const std::uint64_t* column = rows.column(j);
      for (std::size_t bit = 0; bit < n_bits; ++bit) {
        bins[bit] = static_cast<std::uint16_t>(bins[bit] + (has_bit(column, bit) ? 0 : 1));
      }
    }
  }
  rows.cuts = std::move(cuts);
}

void Restriction::take_cuts(const std::uint64_t* support) {
  items_.clear();
  each_bit({support, rows_.n_words},
           [&](std::size_t bit) { items_.push_back(static_cast<std::uint32_t>(bit)); });
  const Cuts& cuts = part_.rows.cuts;
  taker_.take(rows_.cuts, items_, part_.rows.cuts);
  part_.rows.n_classes = rows_.n_classes;
  part_.rows.n_columns = cuts.n_groups();
  part_.flip.assign(rows_.n_columns, 0);
  part_.group.assign(rows_.n_columns, -1);
  part_.column.clear();
  for (std::size_t group = 0; group < cuts.n_groups(); ++group) {
    part_.column.push_back(static_cast<std::int32_t>(cuts.column[group]));
    std::fill(part_.group.begin() + cuts.column[group], part_.group.begin() + cuts.end[group],
              static_cast<std::int32_t>(group));
  }
}

void CutTaker::take(const Cuts& from, std::span<const std::uint32_t> items, Cuts& out) {
  const std::size_t n = items.size(), n_chains = from.n_chains();
  out.start.assign(1, 0);
  out.column.clear();
  out.end.clear();
  out.n_upto.clear();
  out.bin.resize(n * n_chains);
  out.sorted.resize(n * n_chains);
  out.label.resize(n);
  out.weight.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    out.label[i] = from.label[items[i]];
    out.weight[i] = from.weight[items[i]];
  }
  for (std::size_t chain = 0; chain < n_chains; ++chain) take_chain(from, items, chain, out);
}

void CutTaker::take_chain(const Cuts& from, std::span<const std::uint32_t> items, std::size_t chain,
                          Cuts& out) {
  const std::size_t n = items.size();
  const std::uint32_t first = from.start[chain], n_bins = from.start[chain + 1] - first + 1;
  const std::uint16_t* before = from.bins(chain);
  std::uint16_t* bins = out.bin.data() + chain * n;
  count_.assign(n_bins, 0);
  rank_.resize(n_bins);
  for (std::size_t i = 0; i < n; ++i) ++count_[bins[i] = before[items[i]]];
  // Of the bins that there are, all but the last end in a group.
  std::uint32_t rank = 0, below = 0, last = 0;
  for (std::uint32_t b = 0; b < n_bins; ++b) {
    if (count_[b] == 0) continue;
    if (rank > 0) {
      out.column.push_back(from.column[first + last]);
      out.end.push_back(from.end[first + b - 1]);
      out.n_upto.push_back(below);
    }
    rank_[b] = rank++;
    const std::uint32_t own = count_[b];
    count_[b] = below;
    below += own;
    last = b;
  }
  std::uint32_t* sorted = out.sorted.data() + chain * n;
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint16_t b = bins[i];
    sorted[count_[b]++] = i;
    bins[i] = static_cast<std::uint16_t>(rank_[b]);
  }
  out.start.push_back(static_cast<std::uint32_t>(out.column.size()));
}

}  // namespace orderless::rashomon
