#pragma once

// Trees over bins: each feature is cut where some condition cuts it, and the rest is whole
// numbers.
//
// Promises: what is left of a tree in a box (Residuals) is compared exactly; LeafMasks say which
// leaves a box meets; Slices and function_bins go by fingerprints and say so.
//
// Invariants: a BinTree for LeafMasks has no dead branch; NaN, where it is a value of an ordered
// feature, is the bin after the last.
//
// Cost: Residuals are shared, but there can be exponentially many; the rest grows with leaves x
// features.

#include "core/bins/bins.hpp"       // IWYU pragma: export
#include "core/bins/fragments.hpp"  // IWYU pragma: export
#include "core/bins/leafmasks.hpp"  // IWYU pragma: export
#include "core/bins/residual.hpp"   // IWYU pragma: export
