#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/ensembles/sum.hpp"
#include "core/ensembles/watch.hpp"

namespace orderless::ensembles {

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

}  // namespace orderless::ensembles
