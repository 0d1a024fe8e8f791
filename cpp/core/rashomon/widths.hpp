#pragma once

#include "core/base/machine.hpp"

// Every loop is compiled several times, for registers of different widths, and the machine's widest
// is taken when the library is loaded.
#if defined(ORDERLESS_X86)
#define ORDERLESS_WIDTHS(name, parameters, arguments)                                \
  namespace {                                                                        \
  ORDERLESS_FOR(ORDERLESS_512) void name##_512 parameters { name##_loop arguments; } \
  ORDERLESS_FOR("avx2,popcnt") void name##_256 parameters { name##_loop arguments; } \
  ORDERLESS_FOR("popcnt") void name##_64 parameters { name##_loop arguments; }       \
  void name##_any parameters { name##_loop arguments; }                              \
  decltype(&name##_any) const name##_best = processor().avx512   ? name##_512        \
                                            : processor().avx2   ? name##_256        \
                                            : processor().popcnt ? name##_64         \
                                                                 : name##_any;       \
  }                                                                                  \
  void name parameters { name##_best arguments; }
#else
#define ORDERLESS_WIDTHS(name, parameters, arguments) \
  void name parameters { name##_loop arguments; }
#endif
