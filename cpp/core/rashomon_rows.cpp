#include "core/rashomon_rows.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>

#include "core/rashomon_kernels.hpp"

namespace orderless::rashomon {

namespace {

std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

bool same(const Key& a, const Key& b) { return a[0] == b[0] && a[1] == b[1]; }

void set_bit(std::uint64_t* words, std::size_t bit) {
  words[bit / 64] |= std::uint64_t{1} << (bit % 64);
}

}  // namespace

Rows read_rows(std::span<const std::uint8_t> table, std::size_t n_columns,
               std::span<const std::int32_t> y, std::span<const std::int64_t> weights,
               std::size_t n_classes) {
  // Equal rows become one, in the order of their bits.
  const std::size_t row_words = (n_columns + 63) / 64;
  const Namer namer(row_words);
  Numbers numbers;
  Words packed;                        // of each distinct row
  std::vector<std::int64_t> by_class;  // its weight per class
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
      packed.insert(packed.end(), row.begin(), row.end());
      by_class.resize(by_class.size() + n_classes, 0);
    }
    by_class[number * n_classes + static_cast<std::size_t>(y[r])] += weights[r];
  }
  std::vector<std::uint32_t> first(numbers.size());
  for (std::uint32_t i = 0; i < first.size(); ++i) first[i] = i;
  std::sort(first.begin(), first.end(), [&](std::uint32_t a, std::uint32_t b) {
    const std::uint64_t* x = packed.data() + a * row_words;
    const std::uint64_t* z = packed.data() + b * row_words;
    return std::lexicographical_compare(x, x + row_words, z, z + row_words);
  });

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
  return rows;
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

Part restrict(const Rows& rows, const std::uint64_t* support) {
  Part part;
  Rows& out = part.rows;
  out.n_classes = rows.n_classes;
  for (const Segment& segment : rows.segments) {
    std::size_t n = 0;
    for (std::size_t w = segment.begin; w < segment.end; ++w) {
      n += static_cast<std::size_t>(std::popcount(support[w]));
    }
    if (n == 0) continue;
    Segment packed = segment;
    packed.begin = static_cast<std::uint32_t>(out.n_words);
    out.n_words += (n + 63) / 64;
    packed.end = static_cast<std::uint32_t>(out.n_words);
    out.segments.push_back(packed);
  }
  out.all.assign(out.n_words, 0);
  out.minority.assign(out.n_words, 0);
  const auto pack = [&](const std::uint64_t* from, std::uint64_t* to) {
    std::size_t kept = 0;
    for (const Segment& segment : rows.segments) {
      const bool some =
          pack_bits(support + segment.begin, from + segment.begin, segment.end - segment.begin,
                    to + (kept < out.segments.size() ? out.segments[kept].begin : 0));
      kept += some ? 1U : 0U;
    }
  };
  pack(support, out.all.data());
  pack(rows.minority.data(), out.minority.data());

  part.group.assign(rows.n_columns, -1);
  part.flip.assign(rows.n_columns, 0);
  Words column(out.n_words);
  const Namer namer(out.n_words);
  Numbers groups;
  for (std::size_t j = 0; j < rows.n_columns; ++j) {
    std::fill(column.begin(), column.end(), 0);
    pack(rows.column(j), column.data());
    // A column and its opposite get one form: that in which the first row is 0.
    const bool flip = out.n_words != 0 && (column[0] & 1U) != 0;
    bool constant = true;
    for (std::size_t w = 0; w < out.n_words; ++w) {
      if (flip) column[w] ^= out.all[w];
      constant = constant && column[w] == 0;
    }
    if (constant) continue;
    const auto [number, is_new] = groups.add(namer.name(column.data()));
    part.group[j] = static_cast<std::int32_t>(number);
    part.flip[j] = flip ? 1 : 0;
    if (!is_new) continue;
    part.column.push_back(static_cast<std::int32_t>(j));
    out.bits.insert(out.bits.end(), column.begin(), column.end());
  }
  out.n_columns = part.column.size();
  out.blocks.assign(out.stride() * out.n_words, 0);
  for (std::size_t j = 0; j < out.n_columns; ++j) {
    const std::uint64_t* from = out.column(j);
    std::uint64_t* to = out.blocks.data() + j / 8 * 8 * out.n_words + j % 8;
    for (std::size_t w = 0; w < out.n_words; ++w) to[8 * w] = from[w];
  }
  return part;
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
