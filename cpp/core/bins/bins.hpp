#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/tree/held.hpp"

namespace orderless {

/// One feature, cut into bins by the conditions of a tree: no condition tells values of one bin
/// apart. Ordered: bins 0 .. n_bins - 1 in order and, where NaN is a value, NaN after them.
struct BinFeature {
  bool ordered = true;
  bool nan = false;
  std::int32_t n_bins = 1;
};

/// How a box over bins is written down: some 16-bit slots per feature.
/// Ordered: lowest bin, highest bin (lowest > highest: none), and 0/1 for NaN where it is a value.
/// Unordered: one bit per bin.
class BoxLayout {
 public:
  explicit BoxLayout(std::vector<BinFeature> features);
  [[nodiscard]] std::size_t n_features() const { return features_.size(); }
  [[nodiscard]] std::size_t n_slots() const { return n_slots_; }
  [[nodiscard]] std::size_t slot(std::size_t f) const { return slot_[f]; }
  [[nodiscard]] std::size_t slots_of(std::size_t f) const { return slot_[f + 1] - slot_[f]; }
  [[nodiscard]] const BinFeature& feature(std::size_t f) const { return features_[f]; }

  /// Whether the sides of two boxes on feature f have a bin in common.
  [[nodiscard]] bool sides_meet(std::size_t f, const std::uint16_t* a,
                                const std::uint16_t* b) const {
    const std::size_t s = slot_[f];
    if (features_[f].ordered) {
      if (std::max(a[s], b[s]) <= std::min(a[s + 1], b[s + 1])) return true;
      return features_[f].nan && (a[s + 2] & b[s + 2]) != 0;
    }
    for (std::size_t i = s; i < slot_[f + 1]; ++i) {
      if ((a[i] & b[i]) != 0) return true;
    }
    return false;
  }
  /// Cuts a's side on feature f down to the bins that are also in b's.
  void cut_down(std::size_t f, std::uint16_t* a, const std::uint16_t* b) const {
    const std::size_t s = slot_[f];
    if (!features_[f].ordered) {
      for (std::size_t i = s; i < slot_[f + 1]; ++i) a[i] &= b[i];
      return;
    }
    a[s] = std::max(a[s], b[s]);
    a[s + 1] = std::min(a[s + 1], b[s + 1]);
    if (a[s] > a[s + 1]) {
      a[s] = 1;
      a[s + 1] = 0;
    }
    if (features_[f].nan) a[s + 2] &= b[s + 2];
  }

  /// The box that is the whole space.
  [[nodiscard]] std::vector<std::uint16_t> whole() const;
  /// How many conditions a box takes to write down: one per bound and per set.
  [[nodiscard]] std::int32_t n_conditions(const std::uint16_t* box) const;

 private:
  std::vector<BinFeature> features_;
  std::vector<std::size_t> slot_;
  std::size_t n_slots_ = 0;
};

/// A tree over bins. Ordered nodes: bins 0 .. cut, and NaN if nan_true. Unordered nodes: the bins
/// in set_bins[set_start[node] .. set_start[node + 1]). No dead branches.
struct BinTree {
  std::span<const std::int32_t> feature;
  std::span<const std::int32_t> cut;
  std::span<const std::uint8_t> nan_true;
  std::span<const std::int32_t> when_true;
  std::span<const std::int32_t> when_false;
  std::span<const std::int32_t> leaf_class;
  std::span<const std::int64_t> set_start;
  std::span<const std::int32_t> set_bins;
};

/// A tree over bins, written down: each node before its children, true branch first.
struct WrittenTree {
  std::vector<std::int32_t> feature, cut;
  std::vector<std::uint8_t> nan_true;
  std::vector<std::int32_t> when_true, when_false, leaf_class;
  std::vector<std::int64_t> set_start{0};
  std::vector<std::int32_t> set_bins;
};

/// Boxes of equal length, one after the other.
struct BoxList {
  std::size_t n_slots = 0;
  std::vector<std::uint16_t> slots;
  [[nodiscard]] std::size_t size() const { return n_slots == 0 ? count : slots.size() / n_slots; }
  [[nodiscard]] const std::uint16_t* operator[](std::size_t i) const {
    return slots.data() + i * n_slots;
  }
  std::size_t count = 0;  // used only when boxes have no slots at all
  void push(const std::uint16_t* box) {
    slots.insert(slots.end(), box, box + n_slots);
    ++count;
  }
  void clear() {
    slots.clear();
    count = 0;
  }
};

/// A tree over the bins into which its own thresholds cut its features, which are in the order of
/// their names.
struct CutTree {
  std::vector<std::int32_t> positions;    // by feature its position in the space
  std::vector<std::vector<double>> cuts;  // by feature its finite thresholds, rising
  std::vector<BinFeature> features;
  WrittenTree nodes;  // numbered as those of the tree

  [[nodiscard]] BinTree view() const;
};

/// None for a tree that asks about an unordered feature, or cuts one into more bins than there may
/// be. Cost: nodes x log.
[[nodiscard]] std::optional<CutTree> cut_tree(const TreeView& tree, const HeldSpace& space);

}  // namespace orderless
