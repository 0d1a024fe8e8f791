#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace orderless {

/// A number that is known not to be negative, as an index.
[[nodiscard]] constexpr std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

/// A set of small numbers, 64 to a word.
using Words = std::vector<std::uint64_t>;

/// How many words hold `n` bits.
[[nodiscard]] constexpr std::size_t words_for(std::size_t n) { return (n + 63) / 64; }

[[nodiscard]] inline bool has_bit(const std::uint64_t* words, std::size_t i) {
  return (words[i / 64] >> (i % 64) & 1U) != 0;
}
[[nodiscard]] inline bool has_bit(const Words& words, std::size_t i) {
  return has_bit(words.data(), i);
}

inline void set_bit(std::uint64_t* words, std::size_t i) {
  words[i / 64] |= std::uint64_t{1} << (i % 64);
}
inline void set_bit(Words& words, std::size_t i) { set_bit(words.data(), i); }

/// The numbers 0 .. n - 1.
[[nodiscard]] inline Words first_bits(std::size_t n) {
  Words words(words_for(n), ~std::uint64_t{0});
  if (n % 64 != 0) words.back() = (std::uint64_t{1} << (n % 64)) - 1;
  return words;
}

[[nodiscard]] inline bool no_bits(std::span<const std::uint64_t> words) {
  for (const std::uint64_t word : words) {
    if (word != 0) return false;
  }
  return true;
}

/// Whether two sets of the same width meet.
[[nodiscard]] inline bool share_bits(std::span<const std::uint64_t> a,
                                     std::span<const std::uint64_t> b) {
  for (std::size_t w = 0; w < a.size(); ++w) {
    if ((a[w] & b[w]) != 0) return true;
  }
  return false;
}

/// Calls `use(i)` for the numbers of a set, in order.
template <class Use>
void each_bit(std::span<const std::uint64_t> words, Use&& use) {
  for (std::size_t w = 0; w < words.size(); ++w) {
    for (std::uint64_t bits = words[w]; bits != 0; bits &= bits - 1) {
      use(w * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
    }
  }
}

}  // namespace orderless
