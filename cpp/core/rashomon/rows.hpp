#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/bits.hpp"
#include "core/base/machine.hpp"

namespace orderless::rashomon {

/// What a leaf says of rows and misses of them.
struct Leaf {
  std::int32_t label = 0;
  std::int64_t errors = 0;
  std::int64_t weight = 0;
};

/// What makes a leaf wrong: another class, the square of the distance, or the distance.
enum class Loss : std::uint8_t { classes, squared, absolute };

/// What leaves say, and what that costs, from a few weights that add up over rows.
///
/// Classes: the weight of each class. A leaf says the heaviest, of several the largest number.
///
/// Squared: the weight n and the sum s of the rows' numbers, which are whole and from 0 on. A leaf
/// says the multiple of 1 / fine that is nearest to the mean, upwards where two are: its label is
/// that number in 1 / fine-ths. Its errors are the sum of squares, in 1 / fine^2-ths, around that
/// number, plus n x `most` less the sum of the squares of the rows around `middle`: so a tree's
/// errors are its loss plus what is the same for every tree, and n and s are enough. No row is
/// farther than the root of `most` from `middle`, so errors are never negative.
/// Invariant: weight x `most` <= 2^51, and 4 x weight x (the largest label) <= 2^52, so that
/// doubles compute all of it exactly.
///
/// Absolute: the weight of each of the rows' numbers. A leaf says the lower median, by its position
/// among the numbers.
struct Target {
  Loss loss = Loss::classes;
  std::int64_t fine = 1, middle = 0, most = 0;  // squared; the latter in 1 / fine-ths
  std::vector<std::int64_t> gaps;               // absolute: to the next number; 0 after the last

  [[nodiscard]] static Target squared(std::int64_t fine, std::int64_t largest);
  [[nodiscard]] static Target absolute(std::span<const std::int64_t> numbers);
  [[nodiscard]] bool has_numbers() const { return loss != Loss::classes; }
  [[nodiscard]] Leaf leaf(const std::int64_t* weights, std::size_t n_classes) const;
};

/// The errors of a leaf on numbers of weight n and sum s; 0 where there are none.
struct SquaredErrors {
  double fine, middle, most;
  explicit SquaredErrors(const Target& target)
      : fine(static_cast<double>(target.fine)),
        middle(static_cast<double>(target.middle)),
        most(static_cast<double>(target.most)) {}

  ORDERLESS_INLINE std::int64_t of(std::int64_t n, std::int64_t s) const {
    const auto weight = static_cast<double>(n);
    const double sum = fine * static_cast<double>(s);
    const double said = std::floor(sum / (weight < 1 ? 1 : weight) + 0.5) - middle;
    const double rest = sum - weight * middle;
    return static_cast<std::int64_t>(weight * most - said * (2 * rest - weight * said));
  }
};

struct Rows;

/// Columns in chains, x <= 1, x <= 2, ...: where one is 1, so are all after it. One number per item
/// and chain says all of them, its bin: how many of the chain's columns are 0. An item is a bit of
/// a support, 2^shift rows of one class. Columns that part the items alike stand together, as one
/// group; columns that do not part them are left out.
struct Cuts {
  std::vector<std::uint32_t> start;   // first group of each chain, and the number of groups
  std::vector<std::uint32_t> column;  // of each group: its first column in the whole table
  std::vector<std::uint32_t> end;     // and one after its last
  std::vector<std::uint32_t> n_upto;  // of each group: how many items are 1
  std::vector<std::uint16_t> bin;     // chain after chain: of each item
  std::vector<std::uint32_t> sorted;  // chain after chain: items by bin
  std::vector<std::int32_t> label;    // of each item: its class
  std::vector<std::int64_t> weight;   // and what it weighs

  [[nodiscard]] bool used() const { return !start.empty(); }
  [[nodiscard]] std::size_t n_items() const { return label.size(); }
  [[nodiscard]] std::size_t n_chains() const { return start.empty() ? 0 : start.size() - 1; }
  [[nodiscard]] std::size_t n_groups() const { return start.empty() ? 0 : start.back(); }
  [[nodiscard]] std::size_t bytes() const;
  [[nodiscard]] std::size_t chain_of(std::size_t group) const;
  [[nodiscard]] const std::uint16_t* bins(std::size_t chain) const {
    return bin.data() + chain * n_items();
  }
  [[nodiscard]] const std::uint32_t* items(std::size_t chain) const {
    return sorted.data() + chain * n_items();
  }
  /// Where a group's own items, of the bin that is 1 from it on, begin among those of its chain.
  [[nodiscard]] std::uint32_t first_item(std::size_t chain, std::size_t group) const {
    return group == start[chain] ? 0 : n_upto[group - 1];
  }
  /// Weight of each class.
  void weigh(std::int64_t* out, std::size_t n_classes) const;
};

/// Finds the chains of a table that has long ones; else leaves rows.cuts unused.
void find_chains(Rows& rows);
/// The same where there are so many columns, and so many in a chain on average.
void find_chains(Rows& rows, std::size_t n_columns, std::size_t in_chain);

/// Takes some items of others alone; what it works in is used again.
class CutTaker {
 public:
  /// Cost: chains x items. `out` is not `from`.
  void take(const Cuts& from, std::span<const std::uint32_t> items, Cuts& out);

 private:
  void take_chain(const Cuts& from, std::span<const std::uint32_t> items, std::size_t chain,
                  Cuts& out);

  std::vector<std::uint32_t> count_, rank_;
};

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
