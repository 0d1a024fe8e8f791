#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/rashomon/counts.hpp"

namespace orderless::rashomon {

/// For each row the best tree that is certain of its class.
struct Decisions {
  std::vector<std::int32_t> label;  // -1: no tree of the view is certain
  std::vector<std::int64_t> cost;   // of the cheapest tree that is; -1 likewise
};

/// Rows of which it is known, per column, whether it may be 1 and whether it may be 0. A tree is
/// certain of a class if all leaves that the row may reach say it. Of several cheapest trees with
/// different classes the smaller class counts.
/// Dynamic programming over the graph, nothing is listed: distinct rows x classes x edges, times
/// the square of (leaves x sets of groups) where the view restricts these.
[[nodiscard]] Decisions decide(const Graph& graph, const View& view,
                               std::span<const std::uint8_t> may_be_one,
                               std::span<const std::uint8_t> may_be_zero, std::size_t n_rows,
                               Meter& meter);

}  // namespace orderless::rashomon
