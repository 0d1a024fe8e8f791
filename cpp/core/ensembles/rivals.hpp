#pragma once

#include <cstdint>
#include <vector>

#include "core/ensembles/sum.hpp"

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

}  // namespace orderless::ensembles
