#pragma once

#include <cstdint>
#include <span>

#include "core/rows/reach.hpp"
#include "core/tree/tree.hpp"

namespace orderless::rows {

/// Results by row: the first tree whose reachable leaves agree, and the class on which they do; -1
/// where no tree is determined.
struct FirstDetermined {
  std::span<std::int32_t> tree;
  std::span<std::int32_t> label;
};

/// `decide` over many trees, in their order. `threshold` is by node of the forest, as in `reach`.
/// Rows that a tree has decided are left out of the next ones, so the cost per tree is that of the
/// rows that are still open (rounded up to a power of two).
void first_determined(const Forest& forest, std::span<const Domain> domains,
                      std::span<const double> threshold, std::span<const Column> columns,
                      std::size_t n_rows, const FirstDetermined& out, Poll poll);

}  // namespace orderless::rows
