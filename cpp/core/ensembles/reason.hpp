#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/ensembles/grow.hpp"
#include "core/ensembles/rivals.hpp"
#include "core/ensembles/sum.hpp"
#include "core/ensembles/watch.hpp"

namespace orderless::ensembles {

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
