#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "core/rows/reach.hpp"
#include "core/tree/tree.hpp"

namespace orderless::rows {

/// Rows that go through a tree together: between two looks at the clock.
inline constexpr std::size_t rows_at_once = 16384;

/// Takes the classes of some rows, from row `first` on; called from several threads, for blocks of
/// rows that do not overlap.
using TakeLabels = std::function<void(std::size_t first, std::span<const std::int32_t> label)>;

/// Takes the least and the greatest class of some rows, as TakeLabels; it may change them.
using TakeEnds = std::function<void(std::size_t first, std::span<std::int32_t> low,
                                    std::span<std::int32_t> high)>;

/// By row the least and the greatest class that a reachable leaf has. Without `all` the ends of a
/// row that differ only say so. Where all columns are doubles, or all floats, and equally spaced
/// (an array in C or Fortran order), by masks of leaves (RowMasks), from block to block (BlockWalk)
/// or by walks (LaneWalk, RowWalk, EndsWalk), whichever is quicker; other columns go through
/// `reach`. `n_threads` >= 1; memory does not grow with rows.
void ends(const TreeView& tree, std::span<const Domain> domains, std::span<const double> threshold,
          std::span<const Column> columns, std::size_t n_rows, bool all, std::size_t n_threads,
          Poll poll, const TakeEnds& take);

/// By row the class on which all reachable leaves agree, -1 where they do not: whether the `ends`
/// are equal.
void decide(const TreeView& tree, std::span<const Domain> domains,
            std::span<const double> threshold, std::span<const Column> columns, std::size_t n_rows,
            std::size_t n_threads, Poll poll, const TakeLabels& take);

/// The same, into `label`.
void decide(const TreeView& tree, std::span<const Domain> domains,
            std::span<const double> threshold, std::span<const Column> columns, std::size_t n_rows,
            std::span<std::int32_t> label, std::size_t n_threads, Poll poll);

/// Labels by row, as bytes: of `item_size` each, one per class in `items`; where the class is not
/// determined, the first class's, and a nonzero `hidden`.
struct LabelBytes {
  std::span<const std::byte> items;
  std::size_t item_size;
  std::byte* data;
  std::uint8_t* hidden;

  /// Writes what TakeLabels is given.
  void write(std::size_t first, std::span<const std::int32_t> label) const;
};

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
