#pragma once

// Whether trees are the same function.
//
// Promises: `overlay` is exact and shows where they differ; fingerprints of different functions
// agree with a probability of about features / 2^122.
//
// Invariants: a fingerprint depends on the function, the names and the values alone, never on the
// tree.
//
// Cost: overlay, pairs of leaves that meet; fingerprints, leaves x features.

#include "core/same/fingerprint.hpp"  // IWYU pragma: export
#include "core/same/overlay.hpp"      // IWYU pragma: export
