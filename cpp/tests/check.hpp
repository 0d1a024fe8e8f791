#pragma once

// Asserts that stay when NDEBUG is set, and a generator that is the same on every machine.

#include <cstdint>
#include <cstdio>
#include <cstdlib>

/// Says where, and ends the test as failed.
#define CHECK(condition)                                                             \
  do {                                                                               \
    if (!(condition)) {                                                              \
      std::fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
      std::exit(1);                                                                  \
    }                                                                                \
  } while (false)

namespace orderless::tests {

/// splitmix64 (Steele, Lea and Flood, 2014).
struct Random {
  std::uint64_t state;

  std::uint64_t bits() {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  /// One of 0 .. n - 1.
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(bits() % n); }
  bool coin() { return (bits() & 1U) != 0; }
};

}  // namespace orderless::tests
