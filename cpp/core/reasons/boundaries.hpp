#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/base/poll.hpp"
#include "core/bins/bins.hpp"
#include "core/bins/fragments.hpp"

namespace orderless::reasons {

/// Where a boundary of another feature matters, seen along one axis. Ordered: from the first to the
/// last position, and NaN.
struct Reach {
  std::int32_t first = 0;
  std::int32_t last = -1;
  bool nan = false;
};

using Groups = std::vector<std::uint64_t>;  // a set of groups of values

/// What is known of one axis: the boundaries on it that matter, and those of others along it.
struct View {
  std::vector<std::size_t> cuts;        // ordered: positions p, the boundary being after p
  std::vector<std::int32_t> cut_at;     // by position its number in `cuts`, or -1
  bool nan_apart = false;               // ordered: whether NaN differs from the last number
  std::vector<std::size_t> group;       // unordered: by position
  std::vector<std::size_t> leader;      // by group its first position
  std::vector<Reach> reach;             // ordered: of boundaries of others, where not everywhere
  std::map<Groups, std::int32_t> sets;  // unordered: likewise, and how many reach just there
  std::int32_t n_reach = 0;
  std::vector<double> share;  // by boundary the share of cells beside it where it matters

  [[nodiscard]] std::size_t n_boundaries() const {
    return leader.empty() ? cuts.size() + (nan_apart ? 1 : 0) : leader.size() - 1;
  }
};

/// By axis, the boundaries between bins of a region that matter to the function, each seen along
/// all other axes. Cost: per boundary the fragments beside it x squared number of their limits, and
/// for the shares the pairs of such fragments.
[[nodiscard]] std::vector<View> boundaries(const Region& region, const Slices& slices, Work& work);

}  // namespace orderless::reasons
