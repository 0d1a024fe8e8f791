#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/rashomon/best.hpp"

// Three cuts at once, for two classes and light weights: for every two chains a table of signed
// weights, to which the items of one group after the other of a third chain are added. What the
// best splits below two cuts miss is read off it, for all pairs of cuts.
namespace orderless::rashomon {

/// A split on one side of a cut whose own sides, as trees of depth <= 1, are cheap enough.
struct SecondSplit {
  std::uint32_t group = 0, end = 0;              // groups of the part that part the side alike
  std::int64_t on_true = 0, on_false = 0;        // the cheapest trees of both sides
  std::int64_t split_true = 0, split_false = 0;  // the cheapest splits of them into two leaves
};

/// All cuts of a part with trees of depth <= 3 within a bound.
struct NearCuts {
  SideCosts sides;
  std::int64_t optimum = 0, bound = 0;
  std::vector<std::vector<SecondSplit>> splits;  // as the sides: of 2 i where group i is 1
};

/// Whether a part is such, and three cuts at once are quicker than one after the other.
[[nodiscard]] bool triples_suffice(const Rows& part);

/// Finds them; `leaf` is what a leaf costs, and `bound_of` gives the bound of an optimum.
/// Cost: columns^3 / 32 + items x chains^3; memory: 8 x columns^2, and the splits.
[[nodiscard]] NearCuts near_cuts(const Rows& part, const Costs& costs, std::int64_t leaf,
                                 const std::function<std::int64_t(std::int64_t)>& bound_of,
                                 Meter& meter);

}  // namespace orderless::rashomon
