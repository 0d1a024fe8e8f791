#pragma once

// A loop that is compiled several times, for registers of different widths, has to be part of each
// of the functions that say a width: a call would leave it.
#if defined(__GNUC__)
#define ORDERLESS_INLINE inline __attribute__((always_inline))
#else
#define ORDERLESS_INLINE inline
#endif
