#pragma once

// All near-optimal trees, shared in one graph: counts, positions, functions, decisions.
//
// Promises: every tree within the bound is in the graph, and no other; counts are exact up to
// 2^128.
//
// Invariants: a graph, and all that is made of it, is never changed; a Meter knows every byte that
// is held, and throws before it is too much.
//
// Cost: nodes x columns^2 x words for the graph; functions are multiplied place by place.

#include "core/rashomon/counts.hpp"        // IWYU pragma: export
#include "core/rashomon/decide.hpp"        // IWYU pragma: export
#include "core/rashomon/functions.hpp"     // IWYU pragma: export
#include "core/rashomon/goals.hpp"         // IWYU pragma: export
#include "core/rashomon/graph.hpp"         // IWYU pragma: export
#include "core/rashomon/measure.hpp"       // IWYU pragma: export
#include "core/rashomon/narrow.hpp"        // IWYU pragma: export
#include "core/rashomon/one_function.hpp"  // IWYU pragma: export
