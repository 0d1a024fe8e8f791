#pragma once

// Which features matter: over all trees for a function, and by permuting rows.
//
// Promises: counts of trees are exact; permuted errors are exact for whole weights.
//
// Invariants: a question is counted only where it makes a difference.
//
// Cost: states x questions for all orders; distinct boxes x distinct rows / 64 for permuting.

#include "core/importance/orders.hpp"    // IWYU pragma: export
#include "core/importance/permuted.hpp"  // IWYU pragma: export
