#include "core/rashomon/rows.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <map>
#include <tuple>

#include "core/base/hash.hpp"
#include "core/rashomon/kernels.hpp"

namespace orderless::rashomon {

namespace {

Leaf heaviest(const std::int64_t* weights, std::size_t n_classes) {
  Leaf leaf;
  std::int64_t most = -1;
  for (std::size_t c = 0; c < n_classes; ++c) {
    leaf.weight += weights[c];
    if (weights[c] < most) continue;
    most = weights[c];
    leaf.label = static_cast<std::int32_t>(c);
  }
  leaf.errors = leaf.weight - std::max<std::int64_t>(most, 0);
  return leaf;
}

Leaf mean(const Target& target, std::int64_t weight, std::int64_t sum) {
  Leaf leaf;
  leaf.weight = weight;
  if (weight == 0) return leaf;
  leaf.label = static_cast<std::int32_t>((2 * target.fine * sum + weight) / (2 * weight));
  leaf.errors = SquaredErrors(target).of(weight, sum);
  return leaf;
}

/// Between two neighbouring numbers lie as many distances as rows on the lighter side.
Leaf median(const Target& target, const std::int64_t* weights, std::size_t n_classes) {
  Leaf leaf;
  for (std::size_t c = 0; c < n_classes; ++c) leaf.weight += weights[c];
  std::int64_t up_to = 0;
  for (std::size_t c = 0; c < n_classes; ++c) {
    if (2 * up_to < leaf.weight) leaf.label = static_cast<std::int32_t>(c);
    up_to += weights[c];
    leaf.errors += target.gaps[c] * std::min(up_to, leaf.weight - up_to);
  }
  return leaf;
}

}  // namespace

Target Target::squared(std::int64_t fine, std::int64_t largest) {
  Target target;
  target.loss = Loss::squared;
  target.fine = fine;
  target.middle = fine * largest / 2;
  const std::int64_t far = fine * largest - target.middle;
  target.most = far * far;
  return target;
}

Target Target::absolute(std::span<const std::int64_t> numbers) {
  Target target;
  target.loss = Loss::absolute;
  for (std::size_t c = 0; c + 1 < numbers.size(); ++c) {
    target.gaps.push_back(numbers[c + 1] - numbers[c]);
  }
  target.gaps.push_back(0);
  return target;
}

Leaf Target::leaf(const std::int64_t* weights, std::size_t n_classes) const {
  switch (loss) {
    case Loss::squared:
      return mean(*this, weights[0], weights[1]);
    case Loss::absolute:
      return median(*this, weights, n_classes);
    case Loss::classes:
      break;
  }
  return heaviest(weights, n_classes);
}

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

namespace {

bool same(const Key& a, const Key& b) { return a[0] == b[0] && a[1] == b[1]; }

/// The distinct rows of a table, in the order of their bits.
struct Distinct {
  std::size_t n_columns, row_words;
  std::size_t n = 0;
  Words packed;
  std::vector<std::int64_t> row;  // of each row of the table its place here, -1 without weight
};

/// Eight bytes of 0 or 1 as eight bits: the product moves byte j to bit 56 + j, and all else below
/// or out of the word.
std::uint64_t eight_bits(const std::uint8_t* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, 8);
  return word * 0x0102040810204080U >> 56U;
}

void pack_row(const std::uint8_t* bits, std::size_t n_columns, Words& out) {
  for (std::uint64_t& word : out) {
    const std::size_t n = std::min<std::size_t>(64, n_columns);
    word = 0;
    std::size_t j = 0;
    for (; j + 8 <= n; j += 8) word |= eight_bits(bits + j) << j;
    for (; j < n; ++j) word |= static_cast<std::uint64_t>(bits[j] != 0) << j;
    bits += n;
    n_columns -= n;
  }
}

/// Without weights, every row weighs 1.
Distinct distinct_rows(std::span<const std::uint8_t> table, std::size_t n_columns,
                       std::size_t n_rows, std::span<const std::int64_t> weights) {
  const std::size_t row_words = (n_columns + 63) / 64;
  Distinct out{n_columns, row_words, 0, {}, std::vector<std::int64_t>(n_rows, -1)};
  const Namer namer(row_words);
  Numbers numbers;
  Words row(row_words), packed;
  for (std::size_t r = 0; r < n_rows; ++r) {
    if (!weights.empty() && weights[r] <= 0) continue;
    pack_row(table.data() + r * n_columns, n_columns, row);
    // One word is a name by itself.
    const Key key = row_words == 1 ? Key{mix(row[0]), row[0]} : namer.name(row.data());
    const auto [number, is_new] = numbers.add(key);
    if (is_new) packed.insert(packed.end(), row.begin(), row.end());
    out.row[r] = number;
  }
  out.n = numbers.size();
  std::vector<std::uint32_t> order(out.n), place(out.n);
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const std::uint64_t* x = packed.data() + a * row_words;
    const std::uint64_t* z = packed.data() + b * row_words;
    return std::lexicographical_compare(x, x + row_words, z, z + row_words);
  });
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    const auto from = packed.begin() + static_cast<std::ptrdiff_t>(order[i] * row_words);
    out.packed.insert(out.packed.end(), from, from + static_cast<std::ptrdiff_t>(row_words));
  }
  for (std::int64_t& each : out.row) {
    if (each >= 0) each = place[static_cast<std::size_t>(each)];
  }
  return out;
}

/// What a distinct row weighs in a class.
struct Amount {
  std::uint32_t row = 0;
  std::int32_t label = 0;
  std::int64_t weight = 0;
};

/// Lays the rows out as segments: (class, bit of the weight) -> the distinct rows that have it.
/// `amounts`: by row.
Rows lay_out(const Distinct& distinct, std::size_t n_classes, std::span<const Amount> amounts) {
  struct Member {
    std::int32_t label, shift;
    std::uint32_t row;
  };
  std::vector<Member> members;
  members.reserve(2 * amounts.size());
  for (const Amount& amount : amounts) {
    for (auto weight = static_cast<std::uint64_t>(amount.weight); weight != 0;
         weight &= weight - 1) {
      members.push_back({amount.label, std::countr_zero(weight), amount.row});
    }
  }
  std::sort(members.begin(), members.end(), [](const Member& a, const Member& b) {
    return std::tie(a.label, a.shift, a.row) < std::tie(b.label, b.shift, b.row);
  });
  Rows rows;
  rows.n_columns = distinct.n_columns;
  rows.n_classes = n_classes;
  rows.n_rows = distinct.n;
  for (std::size_t i = 0, end = 0; i < members.size(); i = end) {
    const auto [label, shift, row] = members[i];
    while (end < members.size() && members[end].label == label && members[end].shift == shift) {
      ++end;
    }
    const auto begin = static_cast<std::uint32_t>(rows.n_words);
    rows.n_words += (end - i + 63) / 64;
    rows.segments.push_back({begin, static_cast<std::uint32_t>(rows.n_words), label, shift});
  }
  rows.all.assign(rows.n_words, 0);
  rows.bits.assign(rows.n_words * rows.n_columns, 0);
  rows.row_of_bit.assign(rows.n_words * 64, 0);
  std::size_t bit = 0;
  auto segment = rows.segments.begin();
  for (const auto& [label, shift, row] : members) {
    if (segment->label != label || segment->shift != shift)
      bit = std::size_t{(++segment)->begin} * 64;
    rows.row_of_bit[bit] = row;
    set_bit(rows.all.data(), bit);
    const std::uint64_t* own = distinct.packed.data() + row * distinct.row_words;
    each_bit({own, distinct.row_words},
             [&](std::size_t j) { set_bit(&rows.bits[j * rows.n_words], bit); });
    ++bit;
  }
  set_blocks(rows);
  find_chains(rows);
  return rows;
}

/// The weights of each distinct row, class after class; n_classes of them.
std::vector<Amount> amounts_of(std::span<const std::int64_t> by_class, std::size_t n_classes) {
  std::vector<Amount> out;
  for (std::size_t i = 0; i < by_class.size(); ++i) {
    if (by_class[i] == 0) continue;
    out.push_back({static_cast<std::uint32_t>(i / n_classes),
                   static_cast<std::int32_t>(i % n_classes), by_class[i]});
  }
  return out;
}

}  // namespace

Rows read_rows(std::span<const std::uint8_t> table, std::size_t n_columns,
               std::span<const std::int32_t> y, std::span<const std::int64_t> weights,
               std::size_t n_classes) {
  const Distinct distinct = distinct_rows(table, n_columns, y.size(), weights);
  std::vector<std::int64_t> by_class(distinct.n * n_classes, 0);
  for (std::size_t r = 0; r < y.size(); ++r) {
    if (distinct.row[r] < 0) continue;
    by_class[static_cast<std::size_t>(distinct.row[r]) * n_classes +
             static_cast<std::size_t>(y[r])] += weights.empty() ? 1 : weights[r];
  }
  Rows rows = lay_out(distinct, n_classes, amounts_of(by_class, n_classes));
  rows.minority.assign(rows.n_words, 0);
  std::vector<std::int32_t> heaviest;
  heaviest.reserve(distinct.n);
  for (std::size_t d = 0; d < distinct.n; ++d) {
    heaviest.push_back(rows.leaf(&by_class[d * n_classes]).label);
  }
  for (const Segment& segment : rows.segments) {
    for (std::size_t w = segment.begin; w < segment.end; ++w) {
      for (std::uint64_t rest = rows.all[w]; rest != 0; rest &= rest - 1) {
        const auto bit = w * 64 + static_cast<std::size_t>(std::countr_zero(rest));
        if (heaviest[rows.row_of_bit[bit]] != segment.label) set_bit(rows.minority, bit);
      }
    }
  }
  return rows;
}

Rows read_squared(std::span<const std::uint8_t> table, std::size_t n_columns,
                  std::span<const std::int64_t> y, std::span<const std::int64_t> weights,
                  std::int64_t fine, std::int64_t largest) {
  const Distinct distinct = distinct_rows(table, n_columns, y.size(), weights);
  std::vector<std::int64_t> sums(distinct.n * 2, 0);
  for (std::size_t r = 0; r < y.size(); ++r) {
    if (distinct.row[r] < 0) continue;
    const std::size_t at = static_cast<std::size_t>(distinct.row[r]) * 2;
    sums[at] += weights[r];
    sums[at + 1] += weights[r] * y[r];
  }
  Rows rows = lay_out(distinct, 2, amounts_of(sums, 2));
  rows.target = Target::squared(fine, largest);
  rows.once = one_bit_each(rows);
  for (std::size_t d = 0; d < distinct.n; ++d) {
    rows.least.push_back(rows.leaf(&sums[2 * d]).errors);
  }
  return rows;
}

Rows read_absolute(std::span<const std::uint8_t> table, std::size_t n_columns,
                   std::span<const std::int32_t> y, std::span<const std::int64_t> weights,
                   std::span<const std::int64_t> numbers) {
  const Distinct distinct = distinct_rows(table, n_columns, y.size(), weights);
  std::map<std::pair<std::uint32_t, std::int32_t>, std::int64_t> sums;
  for (std::size_t r = 0; r < y.size(); ++r) {
    if (distinct.row[r] < 0) continue;
    sums[{static_cast<std::uint32_t>(distinct.row[r]), y[r]}] += weights[r];
  }
  std::vector<Amount> amounts;
  amounts.reserve(sums.size());
  for (const auto& [what, weight] : sums) amounts.push_back({what.first, what.second, weight});
  Rows rows = lay_out(distinct, numbers.size(), amounts);
  rows.target = Target::absolute(numbers);
  rows.once = one_bit_each(rows);
  std::vector<std::int64_t> own(numbers.size(), 0);
  for (std::size_t i = 0; i < amounts.size();) {
    std::size_t end = i;
    for (; end < amounts.size() && amounts[end].row == amounts[i].row; ++end) {
      own[static_cast<std::size_t>(amounts[end].label)] = amounts[end].weight;
    }
    // Most rows have one number: nothing is missed, and nothing need be looked through.
    rows.least.push_back(end == i + 1 ? 0 : rows.leaf(own.data()).errors);
    for (; i < end; ++i) own[static_cast<std::size_t>(amounts[i].label)] = 0;
  }
  return rows;
}

Words one_bit_each(const Rows& rows) {
  Words once(rows.n_words, 0);
  std::vector<std::uint8_t> seen(rows.n_rows, 0);
  each_bit(rows.all, [&](std::size_t bit) {
    if (seen[rows.row_of_bit[bit]] != 0) return;
    seen[rows.row_of_bit[bit]] = 1;
    set_bit(once, bit);
  });
  return once;
}

void set_blocks(Rows& rows) {
  rows.blocks.assign(rows.stride() * rows.n_words, 0);
  for (std::size_t j = 0; j < rows.n_columns; ++j) {
    const std::uint64_t* from = rows.column(j);
    std::uint64_t* to = rows.blocks.data() + j / 8 * 8 * rows.n_words + j % 8;
    for (std::size_t w = 0; w < rows.n_words; ++w) to[8 * w] = from[w];
  }
}

void class_weights(const Rows& rows, const std::uint64_t* support, std::int64_t* out) {
  weigh(support, support, rows.segments, rows.n_classes, out);
}

void pack(const Rows& rows, const std::uint64_t* support, std::size_t first,
          std::vector<Move>& moves, Rows& out, Words& blocks) {
  out.n_classes = rows.n_classes;
  out.n_words = 0;
  out.segments.clear();
  out.all.clear();
  moves.clear();
  for (const Segment& segment : rows.segments) {
    std::size_t n = 0;
    for (std::size_t w = segment.begin; w < segment.end; ++w) {
      if (support[w] == 0) continue;
      const auto more = static_cast<std::size_t>(std::popcount(support[w]));
      moves.push_back({support[w], static_cast<std::uint32_t>(w),
                       static_cast<std::uint32_t>(out.n_words + n / 64),
                       static_cast<std::uint32_t>(n % 64), static_cast<std::uint32_t>(more)});
      n += more;
    }
    if (n == 0) continue;
    Segment packed = segment;
    packed.begin = static_cast<std::uint32_t>(out.n_words);
    out.n_words += (n + 63) / 64;
    packed.end = static_cast<std::uint32_t>(out.n_words);
    out.segments.push_back(packed);
    out.all.resize(out.n_words, ~std::uint64_t{0});
    if (n % 64 != 0) out.all.back() >>= 64 - n % 64;
  }
  blocks.assign(rows.stride() * out.n_words, 0);
  for (std::size_t begin = first / 8 * 8; begin < rows.n_columns; begin += 8) {
    move_bits(moves, rows.blocks.data() + begin * rows.n_words,
              blocks.data() + begin * out.n_words);
  }
}

const Part& Restriction::of(const std::uint64_t* support) {
  if (!last_.empty() && std::equal(last_.begin(), last_.end(), support)) return part_;
  last_.assign(support, support + rows_.n_words);
  if (rows_.cuts.used()) {
    take_cuts(support);
    return part_;
  }
  Rows& out = part_.rows;
  pack(rows_, support, 0, moves_, out, packed_);
  std::size_t n_bits = 0;
  for (const std::uint64_t word : out.all) n_bits += static_cast<std::size_t>(std::popcount(word));
  part_.group.assign(rows_.n_columns, -1);
  part_.flip.assign(rows_.n_columns, 0);
  part_.column.clear();
  out.bits.clear();
  column_.resize(out.n_words);
  const Namer namer(out.n_words);
  groups_.clear();
  for (std::size_t j = 0; j < rows_.n_columns; ++j) {
    const std::uint64_t* from = packed_.data() + j / 8 * 8 * out.n_words + j % 8;
    std::size_t n_ones = 0;
    for (std::size_t w = 0; w < out.n_words; ++w) {
      n_ones += static_cast<std::size_t>(std::popcount(from[8 * w]));
    }
    if (n_ones == 0 || n_ones == n_bits) continue;
    // A column and its opposite get one form: that with fewer ones, or in which the first row is 0.
    const bool flip = 2 * n_ones == n_bits ? (from[0] & 1U) != 0 : 2 * n_ones > n_bits;
    for (std::size_t w = 0; w < out.n_words; ++w) {
      column_[w] = from[8 * w] ^ (flip ? out.all[w] : 0);
    }
    const auto [number, is_new] = groups_.add(namer.name(column_.data()));
    part_.group[j] = static_cast<std::int32_t>(number);
    part_.flip[j] = flip ? 1 : 0;
    if (!is_new) continue;
    part_.column.push_back(static_cast<std::int32_t>(j));
    out.bits.insert(out.bits.end(), column_.begin(), column_.end());
  }
  out.n_columns = part_.column.size();
  set_blocks(out);
  return part_;
}

namespace {

constexpr std::uint64_t name_key(std::size_t i) { return mix((i + 1) * 0x9e3779b97f4a7c15U); }

/// The first keys, which suffice for most.
constexpr auto first_keys = [] {
  std::array<std::uint64_t, 260> keys{};
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = name_key(i);
  return keys;
}();

}  // namespace

Namer::Namer(std::size_t n_words) : n_words_(n_words) {
  const std::size_t n = 2 * n_words + 4;
  if (n <= first_keys.size()) return;
  keys_.resize(n);
  for (std::size_t i = 0; i < n; ++i) keys_[i] = name_key(i);
}

Key Namer::name(const std::uint64_t* support) const {
  return universal_hash(support, n_words_, keys_.empty() ? first_keys.data() : keys_.data());
}

std::pair<std::uint32_t, bool> Numbers::add(const Key& key) {
  if (2 * (keys_.size() + 1) > slots_.size()) grow();
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = static_cast<std::size_t>(key[0]) & mask;; at = (at + 1) & mask) {
    if (slots_[at] == 0) {
      keys_.push_back(key);
      slots_[at] = static_cast<std::uint32_t>(keys_.size());
      return {slots_[at] - 1, true};
    }
    if (same(keys_[slots_[at] - 1], key)) return {slots_[at] - 1, false};
  }
}

void Numbers::clear() {
  keys_.clear();
  std::fill(slots_.begin(), slots_.end(), 0);
}

std::int64_t Numbers::find(const Key& key) const {
  if (slots_.empty()) return -1;
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = static_cast<std::size_t>(key[0]) & mask;; at = (at + 1) & mask) {
    if (slots_[at] == 0) return -1;
    if (same(keys_[slots_[at] - 1], key)) return slots_[at] - 1;
  }
}

void Numbers::grow() {
  slots_.assign(std::max<std::size_t>(64, slots_.size() * 2), 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    std::size_t at = static_cast<std::size_t>(keys_[i][0]) & mask;
    while (slots_[at] != 0) at = (at + 1) & mask;
    slots_[at] = static_cast<std::uint32_t>(i + 1);
  }
}

}  // namespace orderless::rashomon
