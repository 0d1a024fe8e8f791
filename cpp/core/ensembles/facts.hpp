#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/ensembles/local.hpp"

namespace orderless::ensembles {

/// What a leaf that facts exclude is worth: whatever else a cell has, it is below all that are
/// possible. `values`: what nodes of the local trees add at most, without facts.
[[nodiscard]] std::int64_t out_of_reach(const Local& local, std::span<const std::int64_t> values);

/// A local cell that is possible; without facts the middle one. Empty if there is none: no two
/// trees of facts ask about one feature, so each can be looked at by itself.
[[nodiscard]] std::vector<std::int32_t> some_possible(const Local& local);

}  // namespace orderless::ensembles
