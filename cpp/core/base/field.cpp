#include "core/base/field.hpp"

#include <bit>

namespace orderless {

std::uint64_t Field::multiply(std::uint64_t a, std::uint64_t b) {
  // Schoolbook product of 32-bit halves, so that every C++20 compiler can do it.
  const std::uint64_t a1 = a >> 32, a0 = a & 0xffffffffU;
  const std::uint64_t b1 = b >> 32, b0 = b & 0xffffffffU;
  const std::uint64_t low = a0 * b0;
  const std::uint64_t middle = a1 * b0 + (low >> 32);  // a1 < 2^29: no overflow
  const std::uint64_t middle2 = a0 * b1 + (middle & 0xffffffffU);
  const std::uint64_t high = a1 * b1 + (middle >> 32) + (middle2 >> 32);
  const std::uint64_t bottom = (middle2 << 32) | (low & 0xffffffffU);
  // high x 2^64 + bottom, and 2^61 = 1: fold at bit 61.
  const std::uint64_t folded = (bottom & prime) + ((bottom >> 61) | (high << 3));
  return reduce(folded);
}

Point siphash(std::array<std::uint64_t, 2> key, std::uint64_t message) {
  std::uint64_t v0 = key[0] ^ 0x736f6d6570736575U;
  std::uint64_t v1 = key[1] ^ 0x646f72616e646f6dU ^ 0xeeU;
  std::uint64_t v2 = key[0] ^ 0x6c7967656e657261U;
  std::uint64_t v3 = key[1] ^ 0x7465646279746573U;
  const auto round = [&] {
    v0 += v1;
    v2 += v3;
    v1 = std::rotl(v1, 13) ^ v0;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 = std::rotl(v0, 32);
    v2 += v1;
    v0 += v3;
    v1 = std::rotl(v1, 17) ^ v2;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 = std::rotl(v2, 32);
  };
  const auto absorb = [&](std::uint64_t word) {
    v3 ^= word;
    round();
    round();
    v0 ^= word;
  };
  absorb(message);
  absorb(std::uint64_t{8} << 56);  // the message's length
  v2 ^= 0xeeU;
  for (int i = 0; i < 4; ++i) round();
  Point out{};
  out[0] = v0 ^ v1 ^ v2 ^ v3;
  v1 ^= 0xddU;
  for (int i = 0; i < 4; ++i) round();
  out[1] = v0 ^ v1 ^ v2 ^ v3;
  return out;
}

}  // namespace orderless
