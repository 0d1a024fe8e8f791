#pragma once

#include <cstdint>
#include <span>

#include "core/boxes.hpp"
#include "core/reach.hpp"

namespace orderless {

/// By row the class on which all reachable leaves agree, -1 where they do not: `reach` for those
/// who want nothing else. Where all columns are doubles, or all floats, and equally spaced (an
/// array in C or Fortran order), four rows at a time walk down a tree in which branches of one
/// class are one leaf; other columns go through `reach`. `n_threads` >= 1.
void decide(const TreeView& tree, std::span<const Domain> domains,
            std::span<const double> threshold, std::span<const Column> columns, std::size_t n_rows,
            std::span<std::int32_t> label, std::size_t n_threads, Poll poll);

}  // namespace orderless
