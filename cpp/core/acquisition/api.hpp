#pragma once

// Which values to find out, in which order, at least cost.
//
// Promises: the cheapest policy over the given rows, proven, or the best that was found with a
// bound; never dearer than asking as the tree asks, or the cheapest first.
//
// Invariants: a state is its rows, its reachable leaves and what is left to spend; single rows are
// solved exactly.
//
// Cost: per state rows x purchases, and what certificates need; there can be exponentially many
// states, so there are limits.

#include "core/acquisition/problem.hpp"  // IWYU pragma: export
