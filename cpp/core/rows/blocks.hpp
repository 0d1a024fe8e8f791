#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/rows/masks.hpp"
#include "core/rows/packed.hpp"

namespace orderless::rows {

/// A part of a packed tree that hangs together and has at most 64 exits: leaves of the tree, and
/// roots of other blocks. Exits are numbered by the least class below them, and a second time by
/// the greatest.
struct Block {
  struct Exit {
    std::int32_t low = 0, high = 0;  // the least and the greatest class below
    std::int32_t block = -1;         // -1: a leaf
  };
  std::vector<Exit> by_low, by_high;
  std::vector<std::uint8_t> place;        // in by_high, of the exits in by_low
  std::vector<IntervalFeature> features;  // whose leaves are the exits in by_low
};

/// A packed tree in blocks, the root's first; parents come before their children.
struct BlockTree {
  std::vector<Block> blocks;
  std::size_t levels = 0;  // of blocks, one below the other
};

/// `most`: exits of a block, from 2 to 64. The tree has inner nodes.
[[nodiscard]] BlockTree blocks_of(const PackedTree& tree, std::size_t most);

}  // namespace orderless::rows
