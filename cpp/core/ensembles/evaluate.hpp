#pragma once

#include <span>

#include "core/ensembles/sum.hpp"

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

}  // namespace orderless::ensembles
