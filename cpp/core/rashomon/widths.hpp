#pragma once

#include "core/base/inline.hpp"

// Every loop is compiled several times, for registers of different widths, and the machine's widest
// is taken when the library is loaded.
#if defined(__GNUC__) && defined(__x86_64__)
// Where it is not said, compilers leave half of the widest registers unused.
#if defined(__clang__)
#define ORDERLESS_512 "avx512f,avx512vl,avx512dq,avx512bw,avx512vpopcntdq"
#else
#define ORDERLESS_512 "avx512f,avx512vl,avx512dq,avx512bw,avx512vpopcntdq,prefer-vector-width=512"
#endif
#define ORDERLESS_WIDTHS(name, parameters, arguments)                                          \
  namespace {                                                                                  \
  __attribute__((target(ORDERLESS_512))) void name##_512 parameters { name##_loop arguments; } \
  __attribute__((target("avx2,popcnt"))) void name##_256 parameters { name##_loop arguments; } \
  __attribute__((target("popcnt"))) void name##_64 parameters { name##_loop arguments; }       \
  void name##_any parameters { name##_loop arguments; }                                        \
  decltype(&name##_any) const name##_best = __builtin_cpu_supports("avx512vpopcntdq") &&       \
                                                    __builtin_cpu_supports("avx512bw") &&      \
                                                    __builtin_cpu_supports("avx512vl")         \
                                                ? name##_512                                   \
                                            : __builtin_cpu_supports("avx2")   ? name##_256    \
                                            : __builtin_cpu_supports("popcnt") ? name##_64     \
                                                                               : name##_any;   \
  }                                                                                            \
  void name parameters { name##_best arguments; }
#else
#define ORDERLESS_WIDTHS(name, parameters, arguments) \
  void name parameters { name##_loop arguments; }
#endif
