#include "core/rashomon_kernels.hpp"

#include <algorithm>
#include <bit>

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__) && \
    !defined(__SANITIZE_ADDRESS__)
#define ORDERLESS_CLONES \
  __attribute__((target_clones("arch=icelake-server", "arch=haswell", "default")))
#else
#define ORDERLESS_CLONES
#endif

namespace orderless::rashomon {

__extension__ typedef unsigned __int128 u128;

ORDERLESS_CLONES
void and_counts(const std::uint64_t* mask, const std::uint64_t* columns, std::size_t n_words,
                std::size_t n_columns, std::span<const Segment> segments, std::size_t n_classes,
                std::int64_t* out, std::size_t stride) {
  const Segment* first = segments.data();
  const std::size_t n_segments = segments.size();
  for (std::size_t c = 0; c < n_classes; ++c) {
    for (std::size_t j = 0; j < n_columns; ++j) out[c * stride + j] = 0;
  }
  for (std::size_t j = 0; j < n_columns; ++j) {
    const std::uint64_t* column = columns + j * n_words;
    for (std::size_t s = 0; s < n_segments; ++s) {
      std::int64_t n = 0;
      for (std::size_t w = first[s].begin; w < first[s].end; ++w) {
        n += __builtin_popcountll(mask[w] & column[w]);
      }
      out[static_cast<std::size_t>(first[s].label) * stride + j] += n << first[s].shift;
    }
  }
}

namespace {

using Pack = std::uint64_t (*)(std::uint64_t from, std::uint64_t mask);

std::uint64_t pack_word(std::uint64_t from, std::uint64_t mask) {
  std::uint64_t packed = 0;
  for (std::size_t i = 0; mask != 0; ++i, mask &= mask - 1) {
    packed |= (from >> std::countr_zero(mask) & 1U) << i;
  }
  return packed;
}

#if defined(__GNUC__) && defined(__x86_64__)
__attribute__((target("bmi2"))) std::uint64_t pack_word_bmi2(std::uint64_t from,
                                                             std::uint64_t mask) {
  return __builtin_ia32_pext_di(from, mask);
}
const Pack pack_one = __builtin_cpu_supports("bmi2") ? pack_word_bmi2 : pack_word;
#else
const Pack pack_one = pack_word;
#endif

}  // namespace

bool pack_bits(const std::uint64_t* mask, const std::uint64_t* from, std::size_t n_words,
               std::uint64_t* to) {
  std::size_t at = 0;
  for (std::size_t w = 0; w < n_words; ++w) {
    if (mask[w] == 0) continue;
    const auto n = static_cast<std::size_t>(std::popcount(mask[w]));
    const std::uint64_t packed = pack_one(from[w], mask[w]);
    to[at / 64] |= packed << (at % 64);
    if (at % 64 + n > 64) to[at / 64 + 1] |= packed >> (64 - at % 64);
    at += n;
  }
  return at != 0;
}

Key universal_hash(const std::uint64_t* words, std::size_t n_words, const std::uint64_t* keys) {
  const std::uint64_t* more = keys + n_words + 2;
  u128 a = 0, b = 0;
  std::size_t w = 0;
  for (; w + 1 < n_words; w += 2) {
    a += static_cast<u128>(words[w] + keys[w]) * (words[w + 1] + keys[w + 1]);
    b += static_cast<u128>(words[w] + more[w]) * (words[w + 1] + more[w + 1]);
  }
  if (w < n_words) {
    a += static_cast<u128>(words[w] + keys[w]) * keys[w + 1];
    b += static_cast<u128>(words[w] + more[w]) * more[w + 1];
  }
  const auto fold = [](u128 sum) {
    std::uint64_t z = static_cast<std::uint64_t>(sum >> 64) * 0x9e3779b97f4a7c15U +
                      static_cast<std::uint64_t>(sum);
    return z ^ (z >> 29);
  };
  return {fold(a), fold(b)};
}

namespace {

/// Counts of one class in the eight cells of three columns, for one k.
struct Eight {
  std::int64_t cell[8];
};

inline __attribute__((always_inline)) Eight eight(std::int64_t t, std::int64_t ik, std::int64_t jk,
                                                  std::int64_t k, std::int64_t ij, std::int64_t i,
                                                  std::int64_t j, std::int64_t n) {
  return {{t, ij - t, ik - t, i - ij - ik + t, jk - t, j - ij - jk + t, k - ik - jk + t,
           n - i - j - k + ij + ik + jk - t}};
}

/// cell[4 si + 2 sj + sk], errors.
inline __attribute__((always_inline)) void lower(const std::int64_t* e, std::size_t k,
                                                 std::size_t stride, std::int64_t* ij,
                                                 std::int64_t* ik, std::int64_t* jk) {
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

}  // namespace

ORDERLESS_CLONES
void lower_triples(const Triples& t) {
  std::int64_t ij[4] = {t.ij[0], t.ij[1], t.ij[2], t.ij[3]};
  std::int64_t* __restrict ik = t.ik;
  std::int64_t* __restrict jk = t.jk;
  const std::size_t stride = t.stride;
  if (t.n_classes == 2) {
    for (std::size_t k = t.begin; k < t.end; ++k) {
      const Eight a = eight(t.n3[k], t.n2i[k], t.n2j[k], t.n1[k], t.nij[0], t.ni[0], t.nj[0], t.n[0]);
      const Eight b = eight(t.n3[stride + k], t.n2i[stride + k], t.n2j[stride + k],
                            t.n1[stride + k], t.nij[1], t.ni[1], t.nj[1], t.n[1]);
      std::int64_t e[8];
      for (std::size_t s = 0; s < 8; ++s) e[s] = a.cell[s] < b.cell[s] ? a.cell[s] : b.cell[s];
      lower(e, k, stride, ij, ik, jk);
    }
  } else {
    std::int64_t* sum = t.room;
    std::int64_t* most = t.room + 8 * stride;
    for (std::size_t c = 0; c < t.n_classes; ++c) {
      const std::size_t row = c * stride;
      for (std::size_t k = t.begin; k < t.end; ++k) {
        const Eight a = eight(t.n3[row + k], t.n2i[row + k], t.n2j[row + k], t.n1[row + k],
                              t.nij[c], t.ni[c], t.nj[c], t.n[c]);
        for (std::size_t s = 0; s < 8; ++s) {
          const std::int64_t before = c == 0 ? 0 : sum[s * stride + k];
          const std::int64_t top = c == 0 ? 0 : most[s * stride + k];
          sum[s * stride + k] = before + a.cell[s];
          most[s * stride + k] = a.cell[s] > top ? a.cell[s] : top;
        }
      }
    }
    for (std::size_t k = t.begin; k < t.end; ++k) {
      std::int64_t e[8];
      for (std::size_t s = 0; s < 8; ++s) e[s] = sum[s * stride + k] - most[s * stride + k];
      lower(e, k, stride, ij, ik, jk);
    }
  }
  std::copy(ij, ij + 4, t.ij);
}

}  // namespace orderless::rashomon
