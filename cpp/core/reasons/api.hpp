#pragma once

// Why a tree decides as it does: reasons, rules, and the tree that depends on the function alone.
//
// Promises: all maximal boxes of each class, sorted; a smallest cover by them, proven; a cover of
// which none can be left out, with a bound; a canonical tree.
//
// Invariants: a reason is pure and cannot grow; the order of results does not depend on the tree.
//
// Cost: exponential at worst, in the number of reasons and in the cover; every call has a limit or
// polls. Canonical trees: per node, fragments x squared features.

#include "core/reasons/canonical.hpp"   // IWYU pragma: export
#include "core/reasons/cover.hpp"       // IWYU pragma: export
#include "core/reasons/maximal.hpp"     // IWYU pragma: export
#include "core/reasons/row_search.hpp"  // IWYU pragma: export
