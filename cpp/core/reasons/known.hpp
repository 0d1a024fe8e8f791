#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/bins/bins.hpp"

namespace orderless::reasons {

/// Which boxes of a list, from some position on, are there already. Open addressing over their
/// positions, so that a box is written down once; a few boxes are just compared.
class Known {
 public:
  Known(const BoxList& list, std::size_t first) : list_(list), first_(first) {}

  /// Whether the box is not in the list yet; if so, the next box of the list has to be this one.
  bool is_new(const std::uint16_t* box) {
    const std::size_t n = list_.size() - first_;
    if (n < few) {
      for (std::size_t i = 0; i < n; ++i) {
        if (std::equal(box, box + list_.n_slots, list_[first_ + i])) return false;
      }
      return true;
    }
    if (table_.empty()) {
      for (std::size_t i = 0; i < n; ++i) hashes_.push_back(hash_of(list_[first_ + i]));
    }
    if (2 * (hashes_.size() + 1) > table_.size()) grow();
    const std::uint64_t hash = hash_of(box);
    std::size_t at = hash & (table_.size() - 1);
    for (; table_[at] != 0; at = (at + 1) & (table_.size() - 1)) {
      const std::size_t i = table_[at] - 1;
      if (hashes_[i] == hash && std::equal(box, box + list_.n_slots, list_[first_ + i])) {
        return false;
      }
    }
    hashes_.push_back(hash);
    table_[at] = hashes_.size();
    return true;
  }

 private:
  static constexpr std::size_t few = 16;

  [[nodiscard]] std::uint64_t hash_of(const std::uint16_t* box) const {
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < list_.n_slots; i += 4) {
      std::uint64_t part = 0;
      std::memcpy(&part, box + i, std::min<std::size_t>(4, list_.n_slots - i) * sizeof(*box));
      hash = (std::rotl(hash, 23) ^ part) * 0x9E3779B97F4A7C15U;
    }
    return hash ^ hash >> 32;
  }

  void grow() {
    table_.assign(std::max<std::size_t>(4 * few, 4 * table_.size()), 0);
    for (std::size_t i = 0; i < hashes_.size(); ++i) {
      std::size_t at = hashes_[i] & (table_.size() - 1);
      while (table_[at] != 0) at = (at + 1) & (table_.size() - 1);
      table_[at] = i + 1;
    }
  }

  const BoxList& list_;
  std::size_t first_;
  std::vector<std::uint64_t> hashes_;
  std::vector<std::size_t> table_;  // position after first_, plus 1; 0: free
};

}  // namespace orderless::reasons
