#pragma once

// The words of every room: bits, hashes, the field of fingerprints, counts of any size, limits,
// and what the machine offers.
//
// Promises: pure functions and small values; nothing here knows of trees. Every call that can take
// long takes a Poll, and every limit that can be reached is an exception of errors.hpp that
// carries what the caller needs to say so.
//
// Cost: constant, or linear in the words.

#include "core/base/bits.hpp"      // IWYU pragma: export
#include "core/base/errors.hpp"    // IWYU pragma: export
#include "core/base/field.hpp"     // IWYU pragma: export
#include "core/base/hash.hpp"      // IWYU pragma: export
#include "core/base/machine.hpp"   // IWYU pragma: export
#include "core/base/wide.hpp"      // IWYU pragma: export
#include "core/base/zero_one.hpp"  // IWYU pragma: export
