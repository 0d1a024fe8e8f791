#pragma once

#include "core/base/machine.hpp"

// A loop is compiled twice, for any processor and for one with AVX2, and the better one is taken
// when the library is loaded. The few loops that gain from wider registers have a copy of their
// own.
#if defined(ORDERLESS_X86)
#define ORDERLESS_WIDTHS(name, parameters, arguments)                                   \
  namespace {                                                                           \
  ORDERLESS_FOR("avx2,popcnt") void name##_256 parameters { name##_loop arguments; }    \
  void name##_any parameters { name##_loop arguments; }                                 \
  decltype(&name##_any) const name##_best = processor().avx2 ? name##_256 : name##_any; \
  }                                                                                     \
  void name parameters { name##_best arguments; }
#else
#define ORDERLESS_WIDTHS(name, parameters, arguments) \
  void name parameters { name##_loop arguments; }
#endif
