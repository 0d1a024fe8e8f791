#pragma once

#include <array>
#include <cstdint>

#include "core/base/machine.hpp"

namespace orderless {

/// Arithmetic in the field of integers modulo the Mersenne prime 2^61 - 1.
/// Invariant of every element: 0 <= element < prime.
struct Field {
  static constexpr std::uint64_t prime = (std::uint64_t{1} << 61) - 1;
  [[nodiscard]] static std::uint64_t reduce(std::uint64_t x) {
    x = (x & prime) + (x >> 61);
    return x >= prime ? x - prime : x;
  }
  [[nodiscard]] static std::uint64_t add(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t sum = a + b;
    return sum >= prime ? sum - prime : sum;
  }
  [[nodiscard]] static std::uint64_t subtract(std::uint64_t a, std::uint64_t b) {
    return a >= b ? a - b : a + prime - b;
  }
  [[nodiscard]] static std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
    // high x 2^64 + low, and 2^61 = 1: fold at bit 61. The product is below 2^122, so high x 8
    // fits.
    const FullProduct product = full_product(a, b);
    return reduce((product.low & prime) + (product.low >> 61U | product.high << 3U));
  }
};

/// Two independent points at which the polynomial of a tree is evaluated.
using Point = std::array<std::uint64_t, 2>;

/// SipHash-2-4 with a 128-bit result (Aumasson and Bernstein, 2012) of an eight-byte message.
[[nodiscard]] Point siphash(std::array<std::uint64_t, 2> key, std::uint64_t message);

[[nodiscard]] inline Point plus(const Point& a, const Point& b) {
  return {Field::add(a[0], b[0]), Field::add(a[1], b[1])};
}
[[nodiscard]] inline Point minus(const Point& a, const Point& b) {
  return {Field::subtract(a[0], b[0]), Field::subtract(a[1], b[1])};
}
[[nodiscard]] inline Point times(const Point& a, const Point& b) {
  return {Field::multiply(a[0], b[0]), Field::multiply(a[1], b[1])};
}
/// Faster than the comparison of arrays.
[[nodiscard]] inline bool equal(const Point& a, const Point& b) {
  return a[0] == b[0] && a[1] == b[1];
}

}  // namespace orderless
