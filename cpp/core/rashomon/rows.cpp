#include "core/rashomon/rows.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>

#include "core/base/hash.hpp"
#include "core/rashomon/kernels.hpp"

namespace orderless::rashomon {

namespace {

bool same(const Key& a, const Key& b) { return a[0] == b[0] && a[1] == b[1]; }

/// The distinct rows of a table: their bits and their weight per class.
struct Distinct {
  std::size_t row_words;
  Words packed;
  std::vector<std::int64_t> by_class;
  std::vector<std::uint32_t> order;  // by their bits
};

Distinct distinct_rows(std::span<const std::uint8_t> table, std::size_t n_columns,
                       std::span<const std::int32_t> y, std::span<const std::int64_t> weights,
                       std::size_t n_classes) {
  const std::size_t row_words = (n_columns + 63) / 64;
  Distinct out{row_words, {}, {}, {}};
  const Namer namer(row_words);
  Numbers numbers;
  Words row(row_words);
  for (std::size_t r = 0; r < y.size(); ++r) {
    if (weights[r] <= 0) continue;
    const std::uint8_t* bits = table.data() + r * n_columns;
    for (std::size_t w = 0; w < row_words; ++w) {
      std::uint64_t word = 0;
      const std::size_t n = std::min<std::size_t>(64, n_columns - w * 64);
      for (std::size_t j = 0; j < n; ++j) {
        word |= static_cast<std::uint64_t>(bits[w * 64 + j] != 0) << j;
      }
      row[w] = word;
    }
    const auto [number, is_new] = numbers.add(namer.name(row.data()));
    if (is_new) {
      out.packed.insert(out.packed.end(), row.begin(), row.end());
      out.by_class.resize(out.by_class.size() + n_classes, 0);
    }
    out.by_class[number * n_classes + static_cast<std::size_t>(y[r])] += weights[r];
  }
  out.order.resize(numbers.size());
  for (std::uint32_t i = 0; i < out.order.size(); ++i) out.order[i] = i;
  std::sort(out.order.begin(), out.order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const std::uint64_t* x = out.packed.data() + a * row_words;
    const std::uint64_t* z = out.packed.data() + b * row_words;
    return std::lexicographical_compare(x, x + row_words, z, z + row_words);
  });
  return out;
}

}  // namespace

Rows read_rows(std::span<const std::uint8_t> table, std::size_t n_columns,
               std::span<const std::int32_t> y, std::span<const std::int64_t> weights,
               std::size_t n_classes) {
  // Equal rows become one, in the order of their bits.
  const auto [row_words, packed, by_class, first] =
      distinct_rows(table, n_columns, y, weights, n_classes);

  // Segments: (class, bit of the weight) -> the distinct rows that have it.
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<std::uint32_t>> members;
  for (std::size_t d = 0; d < first.size(); ++d) {
    for (std::size_t c = 0; c < n_classes; ++c) {
      auto weight = static_cast<std::uint64_t>(by_class[first[d] * n_classes + c]);
      for (; weight != 0; weight &= weight - 1) {
        members[{static_cast<std::int32_t>(c), std::countr_zero(weight)}].push_back(
            static_cast<std::uint32_t>(d));
      }
    }
  }
  Rows rows;
  rows.n_columns = n_columns;
  rows.n_classes = n_classes;
  rows.n_rows = first.size();
  for (const auto& [what, list] : members) {
    Segment segment;
    segment.begin = static_cast<std::uint32_t>(rows.n_words);
    rows.n_words += (list.size() + 63) / 64;
    segment.end = static_cast<std::uint32_t>(rows.n_words);
    segment.label = what.first;
    segment.shift = what.second;
    rows.segments.push_back(segment);
  }
  rows.all.assign(rows.n_words, 0);
  rows.minority.assign(rows.n_words, 0);
  rows.bits.assign(rows.n_words * n_columns, 0);
  rows.row_of_bit.assign(rows.n_words * 64, 0);
  std::size_t at = 0;
  for (const auto& [what, list] : members) {
    const std::size_t begin = std::size_t{rows.segments[at++].begin} * 64;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::size_t d = list[i];
      rows.row_of_bit[begin + i] = list[i];
      set_bit(rows.all.data(), begin + i);
      if (leaf_of(&by_class[first[d] * n_classes], n_classes).label != what.first) {
        set_bit(rows.minority.data(), begin + i);
      }
      const std::uint64_t* own = packed.data() + first[d] * row_words;
      for (std::size_t w = 0; w < row_words; ++w) {
        for (std::uint64_t rest = own[w]; rest != 0; rest &= rest - 1) {
          const std::size_t j = w * 64 + static_cast<std::size_t>(std::countr_zero(rest));
          set_bit(&rows.bits[j * rows.n_words], begin + i);
        }
      }
    }
  }
  set_blocks(rows);
  return rows;
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

Leaf leaf_of(const std::int64_t* weights, std::size_t n_classes) {
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

/// Fills segments, `all` and packed_: the bits of the support one after the other, in blocks.
void Restriction::pack(const std::uint64_t* support) {
  Rows& out = part_.rows;
  out.n_classes = rows_.n_classes;
  out.n_words = 0;
  out.segments.clear();
  out.all.clear();
  moves_.clear();
  for (const Segment& segment : rows_.segments) {
    std::size_t n = 0;
    for (std::size_t w = segment.begin; w < segment.end; ++w) {
      if (support[w] == 0) continue;
      const auto more = static_cast<std::size_t>(std::popcount(support[w]));
      moves_.push_back({support[w], static_cast<std::uint32_t>(w),
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
  packed_.assign(rows_.stride() * out.n_words, 0);
  for (std::size_t begin = 0; begin < rows_.n_columns; begin += 8) {
    move_bits(moves_, rows_.blocks.data() + begin * rows_.n_words,
              packed_.data() + begin * out.n_words);
  }
}

const Part& Restriction::of(const std::uint64_t* support) {
  pack(support);
  Rows& out = part_.rows;
  part_.group.assign(rows_.n_columns, -1);
  part_.flip.assign(rows_.n_columns, 0);
  part_.column.clear();
  out.bits.clear();
  column_.resize(out.n_words);
  const Namer namer(out.n_words);
  groups_.clear();
  for (std::size_t j = 0; j < rows_.n_columns; ++j) {
    const std::uint64_t* from = packed_.data() + j / 8 * 8 * out.n_words + j % 8;
    // A column and its opposite get one form: that in which the first row is 0.
    const bool flip = out.n_words != 0 && (from[0] & 1U) != 0;
    std::uint64_t any = 0;
    for (std::size_t w = 0; w < out.n_words; ++w) {
      column_[w] = from[8 * w] ^ (flip ? out.all[w] : 0);
      any |= column_[w];
    }
    if (any == 0) continue;
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

Namer::Namer(std::size_t n_words) : n_words_(n_words), keys_(2 * n_words + 4) {
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    keys_[i] = mix((i + 1) * 0x9e3779b97f4a7c15U);
  }
}

Key Namer::name(const std::uint64_t* support) const {
  return universal_hash(support, n_words_, keys_.data());
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
