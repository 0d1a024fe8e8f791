#pragma once

#include <cstdint>
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
  [[nodiscard]] std::size_t first_leaf(std::size_t node) const { return first_[node]; }
  [[nodiscard]] std::size_t end_leaf(std::size_t node) const { return end_[node]; }
  /// The region of a node, and the features asked at it or below it.
  [[nodiscard]] const std::vector<std::uint16_t>& region(std::size_t node) const {
    return region_[node];
  }
  [[nodiscard]] const std::vector<std::uint32_t>& active(std::size_t node) const {
    return active_[node];
  }
  [[nodiscard]] const std::uint64_t* not_class(std::size_t c) const {
    return not_class_.data() + c * n_words_;
  }

  /// Leaves that have this bin (NaN: bin n_bins).
  [[nodiscard]] const std::uint64_t* bin(std::size_t f, std::size_t b) const {
    return bins_.data() + (bin_start_[f] + b) * n_words_;
  }

  /// out[w] &= leaves that meet the side of feature f, for words first .. end.
  void meet(std::size_t f, const std::uint16_t* box, std::uint64_t* out, std::size_t first,
            std::size_t end) const;

 private:
  std::vector<std::size_t> find_regions(const BinTree& tree, const std::vector<std::int32_t>& up);
  void find_below(const BinTree& tree, const std::vector<std::int32_t>& up);
  void mark(std::size_t leaf, const std::vector<std::uint16_t>& box);

  const BoxLayout& layout_;
  std::size_t n_leaves_ = 0;
  std::size_t n_words_ = 0;
  std::vector<std::size_t> bin_start_;
  std::vector<std::uint64_t> bins_;      // leaves with the bin
  std::vector<std::uint64_t> from_low_;  // ordered: leaves whose lowest bin is at most b
  std::vector<std::uint64_t> to_high_;   // ordered: leaves whose highest bin is at least b
  std::vector<std::uint64_t> not_class_;
  std::vector<std::size_t> first_, end_;
  std::vector<std::vector<std::uint16_t>> region_;
  std::vector<std::vector<std::uint32_t>> active_;
};

}  // namespace orderless
