#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/ensembles/sum.hpp"
#include "core/ensembles/watch.hpp"

namespace orderless::ensembles {

/// Adds up what the leaves of a cell say as the library does, in its order and precision; `sums`
/// has room for every score. Gives the class, -1 where the library's own rounding decides, or where
/// there are no classes.
[[nodiscard]] std::int32_t replay(const Sum& sum, std::span<const std::int32_t> cell,
                                  std::span<double> sums);

/// Likewise for the leaves, one of each tree.
[[nodiscard]] std::int32_t replay_leaves(const Sum& sum, std::span<const std::int32_t> leaves,
                                         std::span<double> sums);

/// The first of the largest sums, after the library's own division; -1 if another one is so close
/// that the library may put that one first.
[[nodiscard]] std::int32_t largest(const Sum& sum, std::span<const double> sums);

enum class Status : std::uint8_t { certain, open, out_of_time, rounding, out_of_room };

/// Whether all completions of a box get one class.
struct Decision {
  Status status = Status::certain;
  std::int32_t label = -1;  // where it is certain; -1 there: facts exclude all cells
  Cell first, second;       // where it is open: completions of different classes
};

/// Which classes completions of a box get.
struct Possibility {
  std::vector<std::uint8_t> possible;  // by class: 0 no, 1 yes, 2 not known
  std::vector<Cell> cells;             // by class: a completion
};

/// Between which values an objective lies in a box. Proven: none is below `low` or above `high`;
/// the cells have what was found.
struct Extent {
  std::int64_t low = 0, high = 0, found_low = 0, found_high = 0;
  Cell low_cell, high_cell;
};

/// `box`: the bins of all features, nonzero where it has them. Exact: a class is certain where the
/// library's own sums, replayed where they are close, give it to every completion.
[[nodiscard]] Decision decide(const Sum& sum, std::span<const std::uint8_t> box, Watch& watch);
[[nodiscard]] Possibility possible(const Sum& sum, std::span<const std::uint8_t> box, Watch& watch);
[[nodiscard]] Extent extent(const Sum& sum, std::span<const std::uint8_t> box,
                            const Weights& weights, Watch& watch);

/// Adds up many complete cells as the library does: tree after tree for some cells at a time, which
/// walk side by side, each condition one comparison of small numbers.
/// Cost: the depth of each tree.
class Complete {
 public:
  explicit Complete(const Sum& sum);
  /// The same for a sum with facts, which complete cells do not ask.
  Complete(const Complete& other, const Sum& sum) : Complete(other) { sum_ = &sum; }

  /// `cells`: n x features; `sums`: n x scores. Gives the classes as `replay` does.
  void run(std::span<const std::int32_t> cells, std::size_t n, std::span<double> sums,
           std::span<std::int32_t> label) const;

 private:
  /// The condition holds for codes up to `cut`; then the next step follows. A leaf asks about a
  /// code that is above all cuts, and stays where it is.
  struct Step {
    std::uint16_t feature, cut;
    std::int32_t no;
  };

  int write(std::int32_t node);  // gives the depth
  void walk(std::size_t tree, const std::uint16_t* codes, std::int32_t* out) const;
  template <class T>
  void add(std::span<const std::uint16_t> codes, std::size_t n, std::span<T> sums) const;
  void add_all(std::span<const std::uint16_t> codes, std::size_t n, std::vector<float>& floats,
               std::span<double> sums) const;
  [[nodiscard]] std::int32_t label_of(std::span<const std::int32_t> cell,
                                      std::span<const double> sums) const;

  const Sum* sum_;
  bool quick_;        // no unordered feature, nor too many
  bool nan_ = false;  // NaN is a value of some feature
  std::size_t width_ = 0;
  std::vector<Step> steps_;
  std::vector<std::int32_t> leaf_;  // by step: of a leaf its place in the values
  std::vector<double> value_;       // by step: of a leaf what it adds to the first score
  std::vector<std::int32_t> roots_;
  std::vector<int> depth_;
};

/// How many seconds some work may take: all of it, and each piece.
struct Seconds {
  double all = Watch::endless, one = Watch::endless;
};

/// Calls `work(i, watch)` for 0 .. n - 1 on several threads, each with its own watch; the calling
/// one polls. What a call throws ends all.
///
/// `work` says whether it is done; where it is not because its time has passed, it is tried again
/// with more time, as long as there is some. So what is easy leaves its time to what is hard, and
/// nothing hard takes that of others.
void each(std::size_t n, std::size_t n_threads, Seconds limit, std::size_t room, Poll poll,
          const std::function<bool(std::size_t i, Watch& watch)>& work);

/// The same for work that is done at once, however long it takes.
void each(std::size_t n, std::size_t n_threads, Poll poll,
          const std::function<void(std::size_t i, Watch& watch)>& work);

}  // namespace orderless::ensembles
