#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/bins/bins.hpp"

namespace orderless {

/// The boxes of the leaves, in the order of their nodes.
[[nodiscard]] BoxList leaf_boxes(const BinTree& tree, const BoxLayout& layout);

/// For each feature and bin the leaves whose box has that bin, as bit masks over the leaves in the
/// order of a walk (true branch first); and the masks of intervals in O(words).
class LeafMasks {
 public:
  LeafMasks(const BinTree& tree, const BoxLayout& layout, std::int32_t n_classes);

  [[nodiscard]] std::size_t n_words() const { return n_words_; }
  [[nodiscard]] std::size_t n_leaves() const { return n_leaves_; }
  /// First leaf, and end, of the leaves below a node.
  [[nodiscard]] std::size_t first_leaf(std::size_t node) const { return below_[node].first; }
  [[nodiscard]] std::size_t end_leaf(std::size_t node) const { return below_[node].end; }
  /// The region of a node, and the features asked at it or below it.
  [[nodiscard]] const std::uint16_t* region(std::size_t node) const {
    return region_.data() + node * layout_.n_slots();
  }
  [[nodiscard]] std::span<const std::uint32_t> active(std::size_t node) const {
    return {active_.data() + below_[node].active, below_[node].n_active};
  }
  [[nodiscard]] const std::uint64_t* not_class(std::size_t c) const {
    return masks_.data() + not_class_ + c * n_words_;
  }

  /// Leaves that have this bin (NaN: bin n_bins).
  [[nodiscard]] const std::uint64_t* bin(std::size_t f, std::size_t b) const {
    return masks_.data() + (bin_start_[f] + b) * n_words_;
  }

  /// out[w] &= leaves that meet the side of feature f, for words first .. end.
  void meet(std::size_t f, const std::uint16_t* box, std::uint64_t* out, std::size_t first,
            std::size_t end) const;

 private:
  std::vector<std::size_t> find_leaves(const BinTree& tree, const std::vector<std::int32_t>& up);
  void find_below(const BinTree& tree, const std::vector<std::int32_t>& up);
  void mark(std::size_t leaf, const std::uint16_t* box);

  const BoxLayout& layout_;
  std::size_t n_leaves_ = 0;
  std::size_t n_words_ = 0;
  std::vector<std::size_t> bin_start_;
  // By bin: leaves with it; leaves whose lowest bin is at most it; leaves whose highest bin is at
  // least it (both for ordered features); then, by class, leaves of another one.
  std::vector<std::uint64_t> masks_;
  std::size_t from_low_ = 0, to_high_ = 0, not_class_ = 0;  // where these start
  struct Below {
    std::size_t first = 0, end = 0;        // leaves
    std::size_t active = 0, n_active = 0;  // where its features are
  };
  std::vector<Below> below_;           // by node
  std::vector<std::uint16_t> region_;  // by node
  std::vector<std::uint32_t> active_;  // children's before their parents'
};

}  // namespace orderless
