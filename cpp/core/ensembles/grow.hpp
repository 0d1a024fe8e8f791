#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/ensembles/sum.hpp"
#include "core/ensembles/watch.hpp"

namespace orderless::ensembles {

using Box = std::vector<std::uint8_t>;

/// A side of a certain box, as wide as it can be made while the class stays certain.
///
/// With the other sides as they are, a bin can be inside unless some completion in it gets another
/// class. So bins are left out as such completions are found, each with all other bins in which it
/// gets another class, too, until the rest is proven: one search, not one for each step. An
/// ordered side stays an interval (and NaN). Where the search ends early, what its first bounds
/// prove is kept.
/// `within`: a box, as far as the side may go. `adverse`: completions of other classes, to begin
/// with; what is found is put behind.
/// Cost: one search; exponential in the worst case, `watch` ends it.
void grow(const Sum& sum, Box& box, std::size_t f, std::span<const std::uint8_t> within,
          std::int32_t label, Watch& watch, Cell& adverse);

}  // namespace orderless::ensembles
