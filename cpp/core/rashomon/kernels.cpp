#include "core/rashomon/kernels.hpp"

#include <algorithm>
#include <bit>

#include "core/base/machine.hpp"

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

// The errors of leaves in the cells of two and of three columns, for all last columns at once.

namespace {

/// Counts of one class in the eight cells of three columns, for one k.
struct Eight {
  std::int64_t cell[8];
};

ORDERLESS_INLINE Eight eight(std::int64_t t, std::int64_t ik, std::int64_t jk, std::int64_t k,
                             std::int64_t ij, std::int64_t i, std::int64_t j, std::int64_t n) {
  return {{t, ij - t, ik - t, i - ij - ik + t, jk - t, j - ij - jk + t, k - ik - jk + t,
           n - i - j - k + ij + ik + jk - t}};
}

ORDERLESS_INLINE Eight eight(const Triples& t, std::size_t c, std::size_t k) {
  const std::size_t at = c * t.stride + k;
  return eight(t.n3[at], t.n2i[at], t.n2j[at], t.n1[at], t.nij[c], t.ni[c], t.nj[c], t.n[c]);
}

/// Counts of one class in the four cells of two columns, for one k.
struct Four {
  std::int64_t cell[4];
};

ORDERLESS_INLINE Four four(const Splits& t, std::size_t c, std::size_t k) {
  const std::int64_t a = t.n2[c * t.stride + k], b = t.n1[c * t.stride + k] - a;
  return {{a, t.ni[c] - a, b, t.n[c] - t.ni[c] - b}};
}

/// cell[4 si + 2 sj + sk], errors.
ORDERLESS_INLINE void lower(const std::int64_t* e, std::size_t k, std::size_t stride,
                            std::int64_t* ij, std::int64_t* ik, std::int64_t* jk) {
  for (std::size_t s = 0; s < 4; ++s) {
    const std::int64_t over_k = e[2 * s] + e[2 * s + 1];
    ij[s] = over_k < ij[s] ? over_k : ij[s];
    const std::size_t si = s / 2, sk = s % 2;
    const std::int64_t over_j = e[4 * si + sk] + e[4 * si + 2 + sk];
    std::int64_t& at_ik = ik[s * stride + k];
    at_ik = over_j < at_ik ? over_j : at_ik;
    const std::int64_t over_i = e[s] + e[4 + s];
    std::int64_t& at_jk = jk[s * stride + k];
    at_jk = over_i < at_jk ? over_i : at_jk;
  }
}

/// Errors in n cells where they do not follow from two weights, for the columns begin .. end: all
/// weight but that of the heaviest class. `room` holds sums, and the heaviest after them.
template <std::size_t n, class Cells>
ORDERLESS_INLINE void count_classes(const Cells& cells, std::size_t n_classes, std::size_t stride,
                                    std::size_t begin, std::size_t end, std::int64_t* room) {
  std::int64_t* sum = room;
  std::int64_t* most = room + n * stride;
  for (std::size_t c = 0; c < n_classes; ++c) {
    for (std::size_t k = begin; k < end; ++k) {
      const auto a = cells(c, k);
      for (std::size_t s = 0; s < n; ++s) {
        const std::int64_t before = c == 0 ? 0 : sum[s * stride + k];
        const std::int64_t top = c == 0 ? 0 : most[s * stride + k];
        sum[s * stride + k] = before + a.cell[s];
        most[s * stride + k] = a.cell[s] > top ? a.cell[s] : top;
      }
    }
  }
  for (std::size_t s = 0; s < n; ++s) {
    for (std::size_t k = begin; k < end; ++k) sum[s * stride + k] -= most[s * stride + k];
  }
}

/// The same for distances from a median: between two numbers, as many as rows on the lighter side.
/// `room` holds the errors, the weight up to the number at hand, and all weight.
template <std::size_t n, class Cells>
ORDERLESS_INLINE void count_distances(const Cells& cells, const std::int64_t* gaps,
                                      std::size_t n_classes, std::size_t stride, std::size_t begin,
                                      std::size_t end, std::int64_t* room) {
  std::int64_t* sum = room;
  std::int64_t* up_to = room + n * stride;
  std::int64_t* all = room + 2 * n * stride;
  std::fill(room, room + 3 * n * stride, 0);
  for (std::size_t c = 0; c < n_classes; ++c) {
    for (std::size_t k = begin; k < end; ++k) {
      const auto a = cells(c, k);
      for (std::size_t s = 0; s < n; ++s) all[s * stride + k] += a.cell[s];
    }
  }
  for (std::size_t c = 0; c + 1 < n_classes; ++c) {
    for (std::size_t k = begin; k < end; ++k) {
      const auto a = cells(c, k);
      for (std::size_t s = 0; s < n; ++s) {
        const std::int64_t below = up_to[s * stride + k] + a.cell[s];
        const std::int64_t above = all[s * stride + k] - below;
        up_to[s * stride + k] = below;
        sum[s * stride + k] += gaps[c] * (below < above ? below : above);
      }
    }
  }
}

template <std::size_t n, class Cells>
ORDERLESS_INLINE void count_errors(const Cells& cells, const Target& target, std::size_t n_classes,
                                   std::size_t stride, std::size_t begin, std::size_t end,
                                   std::int64_t* room) {
  if (target.loss == Loss::absolute) {
    count_distances<n>(cells, target.gaps.data(), n_classes, stride, begin, end, room);
  } else {
    count_classes<n>(cells, n_classes, stride, begin, end, room);
  }
}

ORDERLESS_INLINE void lower_triples_loop(const Triples& t) {
  std::int64_t ij[4] = {t.ij[0], t.ij[1], t.ij[2], t.ij[3]};
  std::int64_t* ORDERLESS_ALONE ik = t.ik;
  std::int64_t* ORDERLESS_ALONE jk = t.jk;
  const std::size_t stride = t.stride;
  if (t.target.loss == Loss::squared) {
    const SquaredErrors errors(t.target);
    for (std::size_t k = t.begin; k < t.end; ++k) {
      const Eight weight = eight(t, 0, k), total = eight(t, 1, k);
      for (std::size_t s = 0; s < 8; ++s) {
        t.room[s * stride + k] = errors.of(weight.cell[s], total.cell[s]);
      }
    }
  } else if (t.target.loss == Loss::classes && t.n_classes == 2) {
    for (std::size_t k = t.begin; k < t.end; ++k) {
      const Eight a = eight(t, 0, k), b = eight(t, 1, k);
      std::int64_t e[8];
      for (std::size_t s = 0; s < 8; ++s) e[s] = a.cell[s] < b.cell[s] ? a.cell[s] : b.cell[s];
      lower(e, k, stride, ij, ik, jk);
    }
    std::copy(ij, ij + 4, t.ij);
    return;
  } else {
    const auto cells = [&](std::size_t c, std::size_t k) { return eight(t, c, k); };
    count_errors<8>(cells, t.target, t.n_classes, stride, t.begin, t.end, t.room);
  }
  for (std::size_t k = t.begin; k < t.end; ++k) {
    std::int64_t e[8];
    for (std::size_t s = 0; s < 8; ++s) e[s] = t.room[s * stride + k];
    lower(e, k, stride, ij, ik, jk);
  }
  std::copy(ij, ij + 4, t.ij);
}

}  // namespace

ORDERLESS_WIDTHS(lower_triples, (const Triples& triples), (triples))

namespace {

ORDERLESS_INLINE void split_errors_loop(const Splits& t) {
  const std::size_t stride = t.stride;
  std::int64_t* ORDERLESS_ALONE cells = t.cells;
  if (t.target.loss == Loss::squared) {
    const SquaredErrors errors(t.target);
    for (std::size_t k = 0; k < t.end; ++k) {
      const Four weight = four(t, 0, k), total = four(t, 1, k);
      for (std::size_t s = 0; s < 4; ++s) {
        cells[s * stride + k] = errors.of(weight.cell[s], total.cell[s]);
      }
    }
  } else if (t.target.loss == Loss::classes && t.n_classes == 2) {
    for (std::size_t k = 0; k < t.end; ++k) {
      const Four a = four(t, 0, k), b = four(t, 1, k);
      for (std::size_t s = 0; s < 4; ++s) {
        cells[s * stride + k] = a.cell[s] < b.cell[s] ? a.cell[s] : b.cell[s];
      }
    }
  } else {
    const auto of = [&](std::size_t c, std::size_t k) { return four(t, c, k); };
    count_errors<4>(of, t.target, t.n_classes, stride, 0, t.end, t.room);
    for (std::size_t s = 0; s < 4; ++s) {
      std::copy_n(t.room + s * stride, t.end, cells + s * stride);
    }
  }
  std::int64_t on = t.least[0], off = t.least[1];
  for (std::size_t k = 0; k < t.end; ++k) {
    const std::int64_t yes = cells[k] + cells[stride + k];
    const std::int64_t no = cells[2 * stride + k] + cells[3 * stride + k];
    on = yes < on ? yes : on;
    off = no < off ? no : off;
  }
  t.least[0] = on;
  t.least[1] = off;
}

}  // namespace

ORDERLESS_WIDTHS(split_errors, (const Splits& splits), (splits))

}  // namespace orderless::rashomon
