#pragma once

// What rows with unknown values reach.
//
// Promises: exact. A row has a class iff every completion of it has that class. The same answer on
// every machine and for any number of threads.
//
// Invariants: results are written by row, and blocks of rows do not overlap.
//
// Cost: `reach`, the nodes that a row can reach; `decide`, features x leaves / 64 by masks, or a
// walk. Memory does not grow with the rows. `settling_sets` is a search, under a limit.

#include "core/rows/decide.hpp"  // IWYU pragma: export
#include "core/rows/reach.hpp"   // IWYU pragma: export
#include "core/rows/ready.hpp"   // IWYU pragma: export
#include "core/rows/settle.hpp"  // IWYU pragma: export
#include "core/rows/values.hpp"  // IWYU pragma: export
