#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/bits.hpp"
#include "core/rashomon/cuts.hpp"
#include "core/rashomon/target.hpp"

namespace orderless::rashomon {

/// What a tree costs: error_cost x (weight of misclassified rows) + leaf_cost x leaves.
/// Invariant: error_cost > 0, leaf_cost >= 0, and no tree's cost leaves 62 bits.
struct Costs {
  std::int64_t error = 1;
  std::int64_t leaf = 0;

  [[nodiscard]] std::int64_t of(std::int64_t errors, std::int64_t leaves) const {
    return error * errors + leaf * leaves;
  }
};

/// Some words of a support in which every bit counts 2^shift rows of one class.
struct Segment {
  std::uint32_t begin = 0, end = 0;
  std::int32_t label = 0;
  std::int32_t shift = 0;
};

/// Rows of binary columns as bits. Equal rows are one, and a row that weighs 5 in a class has a bit
/// in that class's segments for 4 and for 1: so weighted counts are popcounts of few words. Any set
/// of rows ("support") is a bit set over these words; padding bits are 0 in `all`. What a "class"
/// is says the target: for squared loss there are two, the weight of a row and the sum of its
/// numbers.
struct Rows {
  std::size_t n_columns = 0;
  std::size_t n_classes = 0;
  std::size_t n_words = 0;
  std::size_t n_rows = 0;  // distinct ones
  std::vector<Segment> segments;
  Words bits;      // column after column
  Words blocks;    // the same, word after word of eight columns together
  Words all;       // every row
  Words minority;  // of each distinct row the classes but its heaviest: errors no tree avoids
  std::vector<std::uint32_t> row_of_bit;  // the distinct row that a bit belongs to
  Target target;
  Words once;                       // numbers: of each distinct row one bit
  std::vector<std::int64_t> least;  // numbers: errors of each distinct row that no tree avoids
  Cuts cuts;                        // where columns come in chains; a part then has no bits

  /// Columns rounded up to whole blocks: the stride of tables over columns.
  [[nodiscard]] std::size_t stride() const { return (n_columns + 7) / 8 * 8; }
  [[nodiscard]] const std::uint64_t* column(std::size_t j) const {
    return bits.data() + j * n_words;
  }
  /// What a leaf on rows of these weights says and misses.
  [[nodiscard]] Leaf leaf(const std::int64_t* weights) const {
    return target.leaf(weights, n_classes);
  }
};

/// Reads a table of 0/1, one class per row, weights >= 0. Rows of weight 0 are left out; without
/// weights, every row weighs 1.
[[nodiscard]] Rows read_rows(std::span<const std::uint8_t> table, std::size_t n_columns,
                             std::span<const std::int32_t> y, std::span<const std::int64_t> weights,
                             std::size_t n_classes);

/// Reads a table of 0/1, one number per row (whole, 0 .. largest), weights >= 0: for squared loss,
/// where leaves say multiples of 1 / fine.
[[nodiscard]] Rows read_squared(std::span<const std::uint8_t> table, std::size_t n_columns,
                                std::span<const std::int64_t> y,
                                std::span<const std::int64_t> weights, std::int64_t fine,
                                std::int64_t largest);

/// Likewise for absolute loss: y holds positions among `numbers`, which rise.
[[nodiscard]] Rows read_absolute(std::span<const std::uint8_t> table, std::size_t n_columns,
                                 std::span<const std::int32_t> y,
                                 std::span<const std::int64_t> weights,
                                 std::span<const std::int64_t> numbers);

/// Lays the columns also in blocks.
void set_blocks(Rows& rows);

/// Of each distinct row one bit.
[[nodiscard]] Words one_bit_each(const Rows& rows);

/// Weight of each class in a support.
void class_weights(const Rows& rows, const std::uint64_t* support, std::int64_t* out);

/// The rows of a support alone, packed, and of its columns those that differ there: columns that
/// are equal or opposite on the support are one. (In chains, those of one chain that are equal.)
struct Part {
  Rows rows;                         // columns: one per group
  std::vector<std::int32_t> group;   // of each column of the whole: its group, -1 if constant
  std::vector<std::uint8_t> flip;    // whether the column is the opposite of its group's
  std::vector<std::int32_t> column;  // of each group: its first column in the whole
};
/// 128 bits that name a support; two supports share them with probability about 2^-128.
using Key = std::array<std::uint64_t, 2>;

/// Names supports: a universal hash (NH) with fixed random keys.
class Namer {
 public:
  explicit Namer(std::size_t n_words);
  [[nodiscard]] Key name(const std::uint64_t* support) const;

 private:
  std::size_t n_words_;
  Words keys_;  // of wide supports; those of others are constants
};

/// From keys to numbers 0, 1, 2, ... in the order of their first appearance.
class Numbers {
 public:
  /// The number of a key, and whether it is new.
  std::pair<std::uint32_t, bool> add(const Key& key);
  void clear();
  /// The number of a key, or -1.
  [[nodiscard]] std::int64_t find(const Key& key) const;
  [[nodiscard]] std::size_t size() const { return keys_.size(); }
  [[nodiscard]] std::size_t bytes() const { return keys_.capacity() * 16 + slots_.capacity() * 4; }

 private:
  void grow();
  std::vector<Key> keys_;
  std::vector<std::uint32_t> slots_;  // number + 1, or 0
};

/// Some bits of a word that go to another place.
struct Move {
  std::uint64_t mask = 0;
  std::uint32_t from = 0, to = 0;  // words
  std::uint32_t shift = 0, n = 0;  // of the first of n bits in `to`; they may go on in the next
};

/// The rows of a support alone, its bits one after the other: segments and words of `out`, and in
/// `blocks` the columns from the block of `first` on; those before it are 0. Cost: columns x words.
void pack(const Rows& rows, const std::uint64_t* support, std::size_t first,
          std::vector<Move>& moves, Rows& out, Words& blocks);

/// Restricts rows to one support after the other, in room that is used again.
class Restriction {
 public:
  explicit Restriction(const Rows& rows) : rows_(rows) { part_.rows.target = rows.target; }
  /// Valid until the next call. Cost: columns x words; words, where it is the last support again.
  const Part& of(const std::uint64_t* support);

 private:
  void take_cuts(const std::uint64_t* support);

  const Rows& rows_;
  Words last_;
  Part part_;
  CutTaker taker_;
  std::vector<std::uint32_t> items_;
  std::vector<Move> moves_;
  Words packed_, column_;
  Numbers groups_;
};

}  // namespace orderless::rashomon
