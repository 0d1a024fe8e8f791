#include "core/rashomon/kernels.hpp"

#include <algorithm>
#include <bit>

#include "core/rashomon/widths.hpp"
#if defined(ORDERLESS_X86)
#include <immintrin.h>
#endif

namespace orderless::rashomon {

namespace {

ORDERLESS_INLINE void weigh_loop(const std::uint64_t* a, const std::uint64_t* b,
                                 std::span<const Segment> segments, std::size_t n_classes,
                                 std::int64_t* out) {
  for (std::size_t c = 0; c < n_classes; ++c) out[c] = 0;
  const Segment* segment = segments.data();
  for (std::size_t s = 0; s < segments.size(); ++s, ++segment) {
    std::int64_t n = 0;
    for (std::size_t w = segment->begin; w < segment->end; ++w) {
      n += std::popcount(a[w] & b[w]);
    }
    out[segment->label] += n << segment->shift;
  }
}

ORDERLESS_INLINE void block_counts_loop(const std::uint64_t* mask, const Rows& part,
                                        std::size_t first, std::int64_t* out) {
  const std::size_t stride = part.stride();
  const Segment* segments = part.segments.data();
  const std::size_t n_segments = part.segments.size();
  for (std::size_t begin = first / 8 * 8; begin < part.n_columns; begin += 8) {
    const std::uint64_t* block = part.blocks.data() + begin * part.n_words;
    for (std::size_t c = 0; c < part.n_classes; ++c) {
      for (std::size_t l = 0; l < 8; ++l) out[c * stride + begin + l] = 0;
    }
    for (std::size_t s = 0; s < n_segments; ++s) {
      std::int64_t n[8] = {0, 0, 0, 0, 0, 0, 0, 0};
      for (std::size_t w = segments[s].begin; w < segments[s].end; ++w) {
        for (std::size_t l = 0; l < 8; ++l) {
          n[l] += std::popcount(mask[w] & block[8 * w + l]);
        }
      }
      std::int64_t* to = out + static_cast<std::size_t>(segments[s].label) * stride + begin;
      for (std::size_t l = 0; l < 8; ++l) to[l] += n[l] << segments[s].shift;
    }
  }
}

}  // namespace

ORDERLESS_WIDTHS(weigh,
                 (const std::uint64_t* a, const std::uint64_t* b, std::span<const Segment> segments,
                  std::size_t n_classes, std::int64_t* out),
                 (a, b, segments, n_classes, out))
// Eight columns at once have to be said: compilers take eight words of one column instead.
#if defined(ORDERLESS_X86)
namespace {

/// The bits that a word shares with each of eight.
ORDERLESS_FOR("avx512f,avx512vpopcntdq")
ORDERLESS_INLINE __m512i shared_bits(std::uint64_t word, const std::uint64_t* eight) {
  const __m512i own = _mm512_set1_epi64(static_cast<long long>(word));
  return _mm512_popcnt_epi64(_mm512_and_si512(own, _mm512_loadu_si512(eight)));
}

ORDERLESS_FOR("avx512f,avx512vpopcntdq")
void block_counts_512(const std::uint64_t* mask, const Rows& part, std::size_t first,
                      std::int64_t* out) {
  const std::size_t stride = part.stride();
  for (std::size_t begin = first / 8 * 8; begin < part.n_columns; begin += 8) {
    const std::uint64_t* block = part.blocks.data() + begin * part.n_words;
    for (std::size_t c = 0; c < part.n_classes; ++c) {
      _mm512_storeu_si512(out + c * stride + begin, _mm512_setzero_si512());
    }
    for (const Segment& segment : part.segments) {
      __m512i even = _mm512_setzero_si512(), odd = even;
      std::size_t w = segment.begin;
      for (; w + 1 < segment.end; w += 2) {
        even = _mm512_add_epi64(even, shared_bits(mask[w], block + 8 * w));
        odd = _mm512_add_epi64(odd, shared_bits(mask[w + 1], block + 8 * w + 8));
      }
      if (w < segment.end) {
        even = _mm512_add_epi64(even, shared_bits(mask[w], block + 8 * w));
      }
      std::int64_t* to = out + static_cast<std::size_t>(segment.label) * stride + begin;
      const __m512i n = _mm512_maskz_sll_epi64(0xff, _mm512_add_epi64(even, odd),
                                               _mm_cvtsi32_si128(segment.shift));
      _mm512_storeu_si512(to, _mm512_add_epi64(_mm512_loadu_si512(to), n));
    }
  }
}

/// Four columns in a register: bits by half bytes from a table, bytes summed while they hold.
ORDERLESS_FOR("avx2")
void block_counts_256(const std::uint64_t* mask, const Rows& part, std::size_t first,
                      std::int64_t* out) {
  constexpr std::size_t at_once = 31;  // words of 8 bits in each byte
  const std::size_t stride = part.stride();
  const __m256i half = _mm256_set1_epi8(15), zero = _mm256_setzero_si256();
  const __m256i bits = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  //
                                        0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  for (std::size_t begin = first / 8 * 8; begin < part.n_columns; begin += 8) {
    const std::uint64_t* block = part.blocks.data() + begin * part.n_words;
    for (std::size_t c = 0; c < part.n_classes; ++c) {
      std::fill_n(out + c * stride + begin, 8, 0);
    }
    for (const Segment& segment : part.segments) {
      __m256i n[2] = {zero, zero};
      for (std::size_t w = segment.begin; w < segment.end;) {
        const std::size_t end = std::min<std::size_t>(w + at_once, segment.end);
        __m256i bytes[2] = {zero, zero};
        for (; w < end; ++w) {
          const __m256i own = _mm256_set1_epi64x(static_cast<long long>(mask[w]));
          for (std::size_t h = 0; h < 2; ++h) {
            const auto* from = reinterpret_cast<const __m256i*>(block + 8 * w + 4 * h);
            const __m256i both = _mm256_and_si256(own, _mm256_loadu_si256(from));
            const __m256i low = _mm256_and_si256(both, half);
            const __m256i high = _mm256_and_si256(_mm256_srli_epi16(both, 4), half);
            bytes[h] = _mm256_add_epi8(bytes[h], _mm256_add_epi8(_mm256_shuffle_epi8(bits, low),
                                                                 _mm256_shuffle_epi8(bits, high)));
          }
        }
        for (std::size_t h = 0; h < 2; ++h) {
          n[h] = _mm256_add_epi64(n[h], _mm256_sad_epu8(bytes[h], zero));
        }
      }
      std::int64_t* to = out + static_cast<std::size_t>(segment.label) * stride + begin;
      for (std::size_t h = 0; h < 2; ++h) {
        auto* here = reinterpret_cast<__m256i*>(to + 4 * h);
        const __m256i more = _mm256_sll_epi64(n[h], _mm_cvtsi32_si128(segment.shift));
        _mm256_storeu_si256(here, _mm256_add_epi64(_mm256_loadu_si256(here), more));
      }
    }
  }
}

ORDERLESS_FOR("popcnt")
void block_counts_64(const std::uint64_t* mask, const Rows& part, std::size_t first,
                     std::int64_t* out) {
  block_counts_loop(mask, part, first, out);
}

void block_counts_any(const std::uint64_t* mask, const Rows& part, std::size_t first,
                      std::int64_t* out) {
  block_counts_loop(mask, part, first, out);
}

decltype(&block_counts_any) const block_counts_best = processor().avx512   ? block_counts_512
                                                      : processor().avx2   ? block_counts_256
                                                      : processor().popcnt ? block_counts_64
                                                                           : block_counts_any;

}  // namespace

void block_counts(const std::uint64_t* mask, const Rows& part, std::size_t first,
                  std::int64_t* out) {
  block_counts_best(mask, part, first, out);
}
#else
void block_counts(const std::uint64_t* mask, const Rows& part, std::size_t first,
                  std::int64_t* out) {
  block_counts_loop(mask, part, first, out);
}
#endif

namespace {

/// Column after column: each is a mask for those after it.
void pair_counts_any(const std::uint64_t* mask, const Rows& part, std::size_t first,
                     std::int64_t* out) {
  Words both(part.n_words);
  for (std::size_t k = first; k + 1 < part.n_columns; ++k) {
    const std::uint64_t* column = part.blocks.data() + k / 8 * 8 * part.n_words + k % 8;
    for (std::size_t w = 0; w < part.n_words; ++w) both[w] = mask[w] & column[8 * w];
    block_counts(both.data(), part, k + 1, out + k * part.n_classes * part.stride());
  }
}

#if defined(ORDERLESS_X86)
/// Eight columns against eight: every word is looked at once for 64 counts.
ORDERLESS_FOR("avx512f,avx512vpopcntdq")
void pair_counts_512(const std::uint64_t* mask, const Rows& part, std::size_t first,
                     std::int64_t* out) {
  const std::size_t stride = part.stride();
  for (std::size_t ends = first / 8 * 8; ends < part.n_columns; ends += 8) {
    const std::uint64_t* there = part.blocks.data() + ends * part.n_words;
    for (std::size_t begin = first / 8 * 8; begin <= ends; begin += 8) {
      const std::uint64_t* here = part.blocks.data() + begin * part.n_words;
      for (std::size_t row = begin * part.n_classes; row < (begin + 8) * part.n_classes; ++row) {
        _mm512_storeu_si512(out + row * stride + ends, _mm512_setzero_si512());
      }
      for (const Segment& segment : part.segments) {
        __m512i n[8];
        for (auto& each : n) each = _mm512_setzero_si512();
        for (std::size_t w = segment.begin; w < segment.end; ++w) {
          const __m512i own = _mm512_and_si512(_mm512_set1_epi64(static_cast<long long>(mask[w])),
                                               _mm512_loadu_si512(there + 8 * w));
          for (std::size_t q = 0; q < 8; ++q) {
            const __m512i other = _mm512_set1_epi64(static_cast<long long>(here[8 * w + q]));
            n[q] = _mm512_add_epi64(n[q], _mm512_popcnt_epi64(_mm512_and_si512(own, other)));
          }
        }
        const __m128i shift = _mm_cvtsi32_si128(segment.shift);
        for (std::size_t q = 0; q < 8; ++q) {
          const std::size_t row =
              (begin + q) * part.n_classes + static_cast<std::size_t>(segment.label);
          std::int64_t* to = out + row * stride + ends;
          const __m512i more = _mm512_maskz_sll_epi64(0xff, n[q], shift);
          _mm512_storeu_si512(to, _mm512_add_epi64(_mm512_loadu_si512(to), more));
        }
      }
    }
  }
}
decltype(&pair_counts_any) const pair_counts_best =
    processor().avx512 ? pair_counts_512 : pair_counts_any;
#else
decltype(&pair_counts_any) const pair_counts_best = pair_counts_any;
#endif

}  // namespace

void pair_counts(const std::uint64_t* mask, const Rows& part, std::size_t first,
                 std::int64_t* out) {
  pair_counts_best(mask, part, first, out);
}

namespace {

ORDERLESS_INLINE std::uint64_t pack_word(std::uint64_t from, std::uint64_t mask) {
  std::uint64_t packed = 0;
  for (std::size_t i = 0; mask != 0; ++i, mask &= mask - 1) {
    packed |= (from >> std::countr_zero(mask) & 1U) << i;
  }
  return packed;
}

ORDERLESS_INLINE void put(const Move& move, const std::uint64_t* packed, std::uint64_t* to) {
  std::uint64_t* here = to + 8 * std::size_t{move.to};
  for (std::size_t l = 0; l < 8; ++l) here[l] |= packed[l] << move.shift;
  if (move.shift + move.n <= 64) return;
  for (std::size_t l = 0; l < 8; ++l) here[8 + l] |= packed[l] >> (64 - move.shift);
}

void move_bits_any(std::span<const Move> moves, const std::uint64_t* from, std::uint64_t* to) {
  for (const Move& move : moves) {
    std::uint64_t packed[8];
    for (std::size_t l = 0; l < 8; ++l) packed[l] = pack_word(from[8 * move.from + l], move.mask);
    put(move, packed, to);
  }
}

#if defined(ORDERLESS_X86)
ORDERLESS_FOR("avx2,bmi2")
void move_bits_bmi2(std::span<const Move> moves, const std::uint64_t* from, std::uint64_t* to) {
  const Move* end = moves.data() + moves.size();
  for (const Move* move = moves.data(); move != end; ++move) {
    std::uint64_t packed[8];
    for (std::size_t l = 0; l < 8; ++l) {
      packed[l] = _pext_u64(from[8 * move->from + l], move->mask);
    }
    put(*move, packed, to);
  }
}
decltype(&move_bits_any) const move_bits_best =
    processor().bmi2 && processor().avx2 ? move_bits_bmi2 : move_bits_any;
#else
decltype(&move_bits_any) const move_bits_best = move_bits_any;
#endif

}  // namespace

void move_bits(std::span<const Move> moves, const std::uint64_t* from, std::uint64_t* to) {
  move_bits_best(moves, from, to);
}

namespace {

/// A sum of products modulo 2^128.
struct NhSum {
  std::uint64_t high = 0, low = 0;

  ORDERLESS_INLINE void add_product(std::uint64_t a, std::uint64_t b) {
    const FullProduct product = full_product(a, b);
    low += product.low;
    high += product.high + (low < product.low ? 1U : 0U);
  }
  [[nodiscard]] std::uint64_t folded() const {
    const std::uint64_t z = high * 0x9e3779b97f4a7c15U + low;
    return z ^ (z >> 29);
  }
};

}  // namespace

Key universal_hash(const std::uint64_t* words, std::size_t n_words, const std::uint64_t* keys) {
  const std::uint64_t* more = keys + n_words + 2;
  NhSum a, b;
  std::size_t w = 0;
  for (; w + 1 < n_words; w += 2) {
    a.add_product(words[w] + keys[w], words[w + 1] + keys[w + 1]);
    b.add_product(words[w] + more[w], words[w + 1] + more[w + 1]);
  }
  if (w < n_words) {
    a.add_product(words[w] + keys[w], keys[w + 1]);
    b.add_product(words[w] + more[w], more[w + 1]);
  }
  return {a.folded(), b.folded()};
}

}  // namespace orderless::rashomon
