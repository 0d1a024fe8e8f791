#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/ensembles/sum.hpp"
#include "core/ensembles/watch.hpp"

namespace orderless::ensembles {

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

}  // namespace orderless::ensembles
