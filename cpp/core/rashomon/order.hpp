#pragma once

#include <cstdint>
#include <vector>

#include "core/rashomon/functions.hpp"

namespace orderless::rashomon {

/// A function's place in the order: the first element of its value, and where it stands.
struct Standing {
  std::uint64_t value = 0;
  std::uint32_t number = 0;
};

/// Functions by (cost, leaves, value, groups). They are counted into cells of equal errors and
/// leaves, whose order is that of their cost; the values of a cell are random, so by their first
/// bits each is nearly where it belongs. Cost: linear.
[[nodiscard]] std::vector<Standing> in_order(const std::vector<Function>& functions,
                                             const Costs& costs);

/// Bytes that `in_order` holds per function.
inline constexpr std::size_t order_bytes = 2 * sizeof(Standing) + 8;

}  // namespace orderless::rashomon
