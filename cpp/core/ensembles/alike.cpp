#include "core/ensembles/alike.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace orderless::ensembles {

namespace {

std::uint64_t hashed(std::span<const std::uint8_t> bytes) {
  std::uint64_t hash = 0x9e3779b97f4a7c15U ^ bytes.size();
  for (std::size_t i = 0; i < bytes.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, std::min<std::size_t>(8, bytes.size() - i));
    hash = (hash ^ word) * 0xff51afd7ed558ccdU;
    hash ^= hash >> 32;
  }
  return hash;
}

}  // namespace

std::vector<std::size_t> first_alike(std::size_t n, const BoxAt& box) {
  std::vector<std::size_t> first(n);
  std::iota(first.begin(), first.end(), 0);
  if (n < 2) return first;
  std::vector<std::uint8_t> room;
  std::vector<std::uint8_t> other_room;
  std::vector<std::uint64_t> hash(n);
  for (std::size_t i = 0; i < n; ++i) hash[i] = hashed(box(i, room));
  std::vector<std::size_t> order = first;
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return hash[a] != hash[b] ? hash[a] < hash[b] : a < b;
  });
  for (std::size_t begin = 0, end = 0; begin < n; begin = end) {
    while (end < n && hash[order[end]] == hash[order[begin]]) ++end;
    for (std::size_t i = begin + 1; i < end; ++i) {
      const auto own = box(order[i], room);
      for (std::size_t j = begin; j < i; ++j) {
        if (first[order[j]] != order[j]) continue;
        if (!std::ranges::equal(own, box(order[j], other_room))) continue;
        first[order[i]] = order[j];
        break;
      }
    }
  }
  return first;
}

}  // namespace orderless::ensembles
