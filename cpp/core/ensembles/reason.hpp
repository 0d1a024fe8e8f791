#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/ensembles/sum.hpp"
#include "core/ensembles/watch.hpp"

namespace orderless::ensembles {

/// Where some class may beat another: weights, what they must reach at least, and what is enough.
struct Rival {
  Weights weights;
  std::int64_t target, enough;
};

/// All that may take a completion away from a class: one of these must hold.
[[nodiscard]] std::vector<Rival> rivals(const Sum& sum, std::int32_t label);
/// All that a completion of a class must reach.
[[nodiscard]] std::vector<Rival> needs(const Sum& sum, std::int32_t label);

using Box = std::vector<std::uint8_t>;

/// Some completions that were last found to get another class: where to begin to look for more.
class Adverse {
 public:
  void add(Cell cell) {
    if (cells_.size() < most) cells_.emplace_back();
    last_ = (last_ + 1) % cells_.size();
    cells_[last_] = std::move(cell);
  }
  [[nodiscard]] const std::vector<Cell>& cells() const { return cells_; }
  [[nodiscard]] const Cell& last() const { return cells_[last_]; }

 private:
  static constexpr std::size_t most = 8;
  std::vector<Cell> cells_;
  std::size_t last_ = 0;
};

/// A side of a certain box, as wide as it can be made while the class stays certain.
///
/// With the other sides as they are, a bin can be inside unless some completion in it gets another
/// class. So bins are left out as such completions are found, each with all other bins in which it
/// gets another class, too, until the rest is proven: one search, not one for each step. An
/// ordered side stays an interval (and NaN). Where the search ends early, what its first bounds
/// prove is kept.
/// `within`: a box, as far as the side may go. `adverse`: completions of other classes, to begin
/// with; what is found is put there. False if something was not found out. Where the watch allows
/// few nodes, most bins that the first bounds do not prove are given up; with one node all.
/// Cost: one search; exponential in the worst case, `watch` ends it.
bool grow(const Sum& sum, Box& box, std::size_t f, std::span<const std::uint8_t> within,
          std::int32_t label, Watch& watch, Adverse& adverse);

/// Why all completions of a box get one class: few of its sides, and those wide.
///
/// Exact but for time: where the watch ends a search, a side counts as needed, and a bin as not
/// proven. What comes out is certain all the same.
class Reasons {
 public:
  /// `box` is certain, of this class; it is not copied.
  Reasons(const Sum& sum, std::span<const std::uint8_t> box, std::int32_t label, Watch& watch);

  /// The features of which the box has not all bins, those first whose change alone matters least.
  /// Cost: for each the trees that ask about it, for each rival.
  [[nodiscard]] const std::vector<std::size_t>& order() const { return order_; }

  /// Leaves features out of `kept` (by feature: whether its side is), in order, as long as the
  /// class stays certain: what is left is minimal. Several are left out at once, more after each
  /// success; the first that cannot is found by halving. Cost: a search for each step.
  void shrink(std::vector<std::uint8_t>& kept);

  /// The box of the sides that are kept, each as wide as it can be, the one that matters most
  /// first. Cost: one search for each, of at most so many nodes; 0: as many as it takes.
  [[nodiscard]] Box widen(std::span<const std::uint8_t> kept, std::size_t most_nodes);

 private:
  void find_order();
  [[nodiscard]] Box keeping(std::span<const std::uint8_t> kept) const;
  [[nodiscard]] bool certain(const Box& box);
  [[nodiscard]] bool is_other(Cell cell);
  [[nodiscard]] bool has(std::size_t f, std::int32_t bin) const {
    return box_[sum_.first_bin(f) + at(bin)] != 0;
  }
  [[nodiscard]] std::size_t last_apart(std::span<const std::size_t> some);

  const Sum& sum_;
  std::span<const std::uint8_t> box_;
  std::int32_t label_;
  Watch& watch_;
  std::vector<Rival> rivals_;
  Cell row_;  // a cell of the box
  Adverse adverse_;
  bool found_ = false;  // by the last question
  std::vector<std::size_t> order_;
  std::vector<double> sums_;
};

}  // namespace orderless::ensembles
