#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/rashomon/rows.hpp"

namespace orderless::rashomon {

// The inner loops over words and columns, for the widest registers that the machine has.

/// out[c] = weight of class c in a & b.
void weigh(const std::uint64_t* a, const std::uint64_t* b, std::span<const Segment> segments,
           std::size_t n_classes, std::int64_t* out);

/// out[c x stride + j] = weight of class c in mask & column j, for the columns of the blocks that
/// have columns from `first` on; also for those before it in the same block.
void block_counts(const std::uint64_t* mask, const Rows& part, std::size_t first,
                  std::int64_t* out);

/// out[(k x n_classes + c) x stride + l] = weight of class c in mask & column k & column l, for all
/// columns first <= k < l; also for some others, but for none before the block of `first`. `out`
/// has n_classes x stride^2. Cost: columns^2 / 2 x words.
void pair_counts(const std::uint64_t* mask, const Rows& part, std::size_t first, std::int64_t* out);

/// Moves bits of eight columns, given as a block, into another block.
void move_bits(std::span<const Move> moves, const std::uint64_t* from, std::uint64_t* to);

/// Two NH hashes of the words; keys: 2 x n_words + 4.
[[nodiscard]] Key universal_hash(const std::uint64_t* words, std::size_t n_words,
                                 const std::uint64_t* keys);

/// Signs of two columns as a number: 0 both 1, 1 second 0, 2 first 0, 3 both 0.
inline constexpr std::size_t n_signs = 4;

/// For two columns i < j all columns k > j at once. Counts per class (rows of a table with stride
/// `stride`): n3 of i & j & k, n2i of i & k, n2j of j & k, n1 of k; nij, ni, nj, n of the rest.
/// Lowers to the errors of two leaves: ij[signs] over all splits on k; ik[signs][k] over a split on
/// j; jk[signs][k] over a split on i. `room` has at least 24 x stride.
struct Triples {
  const Target& target;
  std::size_t n_classes, stride, begin, end;
  const std::int64_t *n3, *n2i, *n2j, *n1;
  const std::int64_t *nij, *ni, *nj, *n;
  std::int64_t* ij;
  std::int64_t* ik;  // signs x stride
  std::int64_t* jk;
  std::int64_t* room;
};
void lower_triples(const Triples& triples);

/// For one column i all columns k at once: the errors of leaves in the four cells, cells[signs][k],
/// and the least errors of a split of each side of i. Counts as above.
struct Splits {
  const Target& target;
  std::size_t n_classes, stride, end;
  const std::int64_t *n2, *n1, *ni, *n;
  std::int64_t* cells;
  std::int64_t* least;  // of two sides
  std::int64_t* room;   // 12 x stride
};
void split_errors(const Splits& splits);

}  // namespace orderless::rashomon
