#pragma once

// Trees that are added up: forests, boosted trees, scores of points. What is certain of a row with
// unknown values, although no tree alone decides it.
//
// Promises: exact. Sums are searched in whole numbers, which do not round; a cell that is closer to
// a tie than the library's own sum can be off is replayed with the library's additions. A class is
// called certain only after a proof; what is not proven in the time, or the room, or can not be
// told apart by the library itself, is called so.
//
// Cost: the nodes that a box can reach, where bounds settle it; else a search that is exponential
// in the worst case, and quick on models that people fit.

#include "core/ensembles/answer.hpp"  // IWYU pragma: export
#include "core/ensembles/ranges.hpp"  // IWYU pragma: export
#include "core/ensembles/reason.hpp"  // IWYU pragma: export
#include "core/ensembles/sum.hpp"     // IWYU pragma: export
