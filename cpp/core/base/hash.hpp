#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace orderless {

/// The end of splitmix64: every bit of the result depends on every bit given.
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

/// A fixed pseudo-random number (splitmix64); the same on every machine.
[[nodiscard]] constexpr std::uint64_t scatter(std::uint64_t x) {
  return mix(x + 0x9e3779b97f4a7c15U);
}

/// For hash tables whose keys are a few whole numbers.
struct NumbersHash {
  template <class Key>
  std::size_t operator()(const Key& key) const {
    std::uint64_t h = 0x9e3779b97f4a7c15U;
    for (const auto part : key) {
      h = (h ^ static_cast<std::make_unsigned_t<decltype(part + 0)>>(part)) * 0xff51afd7ed558ccdU;
      h ^= h >> 32;
    }
    return static_cast<std::size_t>(h);
  }
};

}  // namespace orderless
