#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/rashomon/meter.hpp"
#include "core/rashomon/rows.hpp"

// Where columns come in many long chains, near-optimal trees can have thousands of millions of last
// splits. They are not written down then: of a node with one split left only the questions that
// lead to it are kept, and its splits are found again from the rows when they are looked at.
namespace orderless::rashomon {

/// How many splits into two leaves miss so many rows, and how many of these have leaves that
/// differ.
struct SplitTally {
  std::uint64_t splits = 0, differ = 0;
};

/// Columns of a chain that part some rows alike, and the weights of the classes where they are 1.
struct LastSplit {
  std::uint32_t column = 0, end = 0;
  std::int64_t on[2] = {0, 0};
};

/// A cut that misses few enough rows: the bins before and after it that have rows, and the weights
/// of the classes where it is 1.
struct PassedCut {
  std::uint32_t before = 0, next = 0;
  std::int64_t on[2] = {0, 0};
};

/// The splits of any part of the rows into two leaves. Precondition: two classes, chains.
class LastSplits {
 public:
  /// Where it works: some rows, as words of chain after chain, what each word weighs, and the cuts
  /// of a chain. Used again from call to call.
  struct Room {
    Words words, zero, one;
    std::vector<PassedCut> passed;
    std::int64_t all[2] = {0, 0};
  };

  LastSplits(const Rows& rows, Meter& meter);

  /// The splits of the rows at the end of a path (literals, as in Level) that miss at most `most`,
  /// by ascending column; gives the weights of all rows. Cost: chains x words, and what is found.
  void list(std::span<const std::int32_t> path, std::int64_t most, std::int64_t* all,
            std::vector<LastSplit>& out, Room& room) const;

  /// How many of some columns stand before each cut; for tally.
  [[nodiscard]] std::vector<std::uint32_t> upto(std::span<const std::uint8_t> allowed) const;
  /// Counts these splits, of allowed columns, by what they miss: out has most + 1 places.
  void tally(std::span<const std::int32_t> path, std::int64_t most,
             std::span<const std::uint32_t> upto, std::vector<SplitTally>& out, Room& room) const;

  [[nodiscard]] std::size_t bytes() const;
  /// What it would hold.
  [[nodiscard]] static std::size_t bytes_of(const Cuts& cuts);

 private:
  void find(std::span<const std::int32_t> path, Room& room) const;
  /// Calls use(chain, cut).
  template <class Use>
  void each(Room& room, std::int64_t most, Use&& use) const;

  Cuts cuts_;  // of all rows
  std::size_t n_words_ = 0;
  std::vector<std::uint32_t> group_;  // of each column
  // Chain after chain, with the items in the order of their bins:
  Words bits_;                                // which of them are 1, group after group
  Words all_, ones_;                          // which there are, and which are of class 1
  Words firsts_;                              // which are the first of their bin
  std::vector<std::uint16_t> bins_;           // their bins
  std::vector<std::pair<int, Words>> heavy_;  // those that weigh 2^shift
};

}  // namespace orderless::rashomon
