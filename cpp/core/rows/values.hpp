#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace orderless::rows {

/// Copies the values of S that a tree asks for, as T, row by row: those of `n` rows from `first`
/// on, which are `stride` bytes apart from `base` on, and `offsets` from their beginning. Copies
/// are `width` apart.
template <class S, class T>
void copy_values(const std::byte* base, std::ptrdiff_t stride,
                 const std::vector<std::ptrdiff_t>& offsets, std::size_t first, std::size_t n,
                 std::size_t width, T* to) {
  const auto value = [](const std::byte* at) {
    S x;
    std::memcpy(&x, at, sizeof(S));
    return static_cast<T>(x);
  };
  base += stride * static_cast<std::ptrdiff_t>(first);
  const std::size_t n_columns = offsets.size();
  if (stride == static_cast<std::ptrdiff_t>(sizeof(S))) {  // some columns at a time, as they lie
    constexpr std::size_t rows = 64, columns = 4;
    for (std::size_t from = 0; from < n; from += rows) {
      const std::size_t end = std::min(from + rows, n);
      std::size_t f = 0;
      for (; f + columns <= n_columns; f += columns) {
        const std::byte* const a = base + offsets[f];
        const std::byte* const b = base + offsets[f + 1];
        const std::byte* const c = base + offsets[f + 2];
        const std::byte* const d = base + offsets[f + 3];
        for (std::size_t r = from; r < end; ++r) {
          T* const row = to + r * width + f;
          row[0] = value(a + r * sizeof(S));
          row[1] = value(b + r * sizeof(S));
          row[2] = value(c + r * sizeof(S));
          row[3] = value(d + r * sizeof(S));
        }
      }
      for (; f < n_columns; ++f) {
        const std::byte* const a = base + offsets[f];
        for (std::size_t r = from; r < end; ++r) to[r * width + f] = value(a + r * sizeof(S));
      }
    }
    return;
  }
  bool side_by_side = true;
  for (std::size_t f = 0; f < n_columns; ++f) {
    side_by_side &= offsets[f] == offsets[0] + static_cast<std::ptrdiff_t>(f * sizeof(S));
  }
  for (std::size_t r = 0; r < n; ++r) {
    const std::byte* const at = base + stride * static_cast<std::ptrdiff_t>(r);
    if (side_by_side) {
      const std::byte* const from = at + offsets[0];
      for (std::size_t f = 0; f < n_columns; ++f) to[r * width + f] = value(from + f * sizeof(S));
    } else {
      for (std::size_t f = 0; f < n_columns; ++f) to[r * width + f] = value(at + offsets[f]);
    }
  }
}

/// Copies numbers, and puts NaN where a bit of `known` is not set; the first number's is bit
/// `first`, counted from the lowest of the first byte on, as in Arrow's columns.
template <class T, class Word>
void copy_known(std::span<const T> from, std::span<const std::uint8_t> known, std::size_t first,
                T* to) {
  static_assert(sizeof(T) == sizeof(Word));
  for (std::size_t i = 0; i < from.size(); ++i) {
    const std::size_t bit = first + i;
    const Word there = known[bit / 8] >> (bit % 8) & 1U;
    const Word word = std::bit_cast<Word>(from[i]) | (there - Word{1});  // all bits set: NaN
    to[i] = std::bit_cast<T>(word);
  }
}

}  // namespace orderless::rows
