#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/errors.hpp"
#include "core/tree/tree.hpp"

namespace orderless::rows {

/// How the rows give the values of one feature. Rows are `stride` bytes apart.
struct Column {
  enum class Kind {
    absent,   // unknown in every row
    f64,      // ordered values; NaN is unknown, or a value where the domain says so
    f32,      // likewise
    between,  // ordered: known to lie in [first, second], as two columns of doubles; where NaN is
              // a value: second NaN is "at least first, or NaN", both NaN is NaN
    code,     // unordered: the value's number as int32, -1 unknown
    among,    // unordered: one byte per value, nonzero where it is possible
  };
  Kind kind = Kind::absent;
  const std::byte* first = nullptr;
  std::ptrdiff_t stride = 0;
  const std::byte* second = nullptr;
  std::ptrdiff_t second_stride = 0;
};

/// The same columns without the rows before `first`.
[[nodiscard]] std::vector<Column> from_row(std::span<const Column> columns, std::size_t first);

/// Results by row. `leaf`: the reached leaf, -1 where several can be reached; may be empty.
/// `label`: likewise the class on which all reachable leaves agree. `possible`: rows x
/// n_classes, nonzero where a reachable leaf has the class; may be empty. `low`, `high`: the least
/// and the greatest class that a reachable leaf has; may be empty. Without `possible`, and without
/// `all`, a row is left at the second class, so that two ends only say that they differ.
struct Reached {
  std::span<std::int32_t> leaf;
  std::span<std::int32_t> label;
  std::span<std::uint8_t> possible;
  std::span<std::int32_t> low = {};
  std::span<std::int32_t> high = {};
  bool all = false;
};

/// Which leaves a row can reach: a leaf is reachable iff its box meets the row's (a row with
/// unknowns is a box). `threshold` replaces the tree's: what a row's own doubles compare with.
/// Exact. Cost per row: the nodes it can reach; the depth, for complete rows.
void reach(const TreeView& tree, std::span<const Domain> domains, std::span<const double> threshold,
           std::span<const Column> columns, std::size_t n_rows, std::size_t n_classes,
           const Reached& out, Poll poll);

}  // namespace orderless::rows
