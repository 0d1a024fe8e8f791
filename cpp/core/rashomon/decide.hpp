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

/// For each row the smallest and the largest number that some tree gives it.
struct Ranges {
  std::vector<std::int32_t> smallest, largest;  // labels; -1: no tree gives one of those asked for
};

/// Which labels are asked for, by row: those from `first` to `last`. Empty: all of them.
struct Windows {
  std::span<const std::int32_t> first, last;
};

/// Rows of which it is known, per column, whether it may be 1 and whether it may be 0: a tree gives
/// a row the numbers of all leaves that it may reach; or the classes. Of views that ask for no
/// groups or number of leaves.
/// Dynamic programming over the graph, nothing is listed: distinct rows x edges x the numbers at a
/// node of which no smaller (or no larger) one is as cheap.
[[nodiscard]] Ranges ranges(const Graph& graph, const View& view,
                            std::span<const std::uint8_t> may_be_one,
                            std::span<const std::uint8_t> may_be_zero, std::size_t n_rows,
                            const Windows& windows, Meter& meter);

}  // namespace orderless::rashomon
