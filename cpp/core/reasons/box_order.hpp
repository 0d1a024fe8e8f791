#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/bins/bins.hpp"

namespace orderless::reasons {

/// Boxes in their fixed order: fewest conditions first, then slot by slot.
[[nodiscard]] inline BoxList sorted(BoxList list, const BoxLayout& layout) {
  if (list.size() < 2) return list;
  std::vector<std::pair<std::int32_t, std::size_t>> order(list.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = {layout.n_conditions(list[i]), i};
  std::sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first < b.first;
    return std::lexicographical_compare(list[a.second], list[a.second] + list.n_slots,
                                        list[b.second], list[b.second] + list.n_slots);
  });
  BoxList out;
  out.n_slots = list.n_slots;
  out.slots.reserve(list.slots.size());
  for (const auto& [_, i] : order) out.push(list[i]);
  return out;
}

}  // namespace orderless::reasons
