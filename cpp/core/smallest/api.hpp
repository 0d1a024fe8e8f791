#pragma once

// The smallest tree that is the same function.
//
// Promises: proven smallest by leaves, depth or expected depth, or the best that was found with a
// proven bound; among the smallest, the first in a fixed order.
//
// Invariants: states are equal only where functions are proven equal; the bound never passes the
// value.
//
// Cost: states x questions; there can be exponentially many states, so there is a limit.

#include "core/smallest/search.hpp"  // IWYU pragma: export
