#pragma once

#include <cstddef>
#include <cstdint>

// The inner loops over columns in chains, for the widest registers that the machine has.
namespace orderless::rashomon {

/// Columns of a chain are rounded up to so many.
inline constexpr std::size_t lanes_at_once = 32;

/// Items that are added to the columns of one chain: each to those from its bin on.
template <class T>
struct Added {
  const std::uint32_t* items;
  std::size_t n_items;
  const std::uint16_t* bins;
  const T* amounts;  // of each item
  const T* steps;    // n zeros, and then n + 32 numbers of which all bits are 1
  T* to;
  std::size_t n;  // columns, whole lanes
  T* room;        // n + 1
};
void add_items(const Added<std::int16_t>& added);
void add_items(const Added<std::int32_t>& added);

/// The smallest and the largest number of some columns, and of what is left of all.
template <class T>
struct Extremes {
  const T* sign;
  const T* all;
  std::size_t n;
  T low, high, low_rest, high_rest;
};
void find_extremes(Extremes<std::int16_t>& extremes);
void find_extremes(Extremes<std::int32_t>& extremes);

}  // namespace orderless::rashomon
