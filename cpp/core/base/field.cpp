#include "core/base/field.hpp"

#include <bit>

namespace orderless {

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
