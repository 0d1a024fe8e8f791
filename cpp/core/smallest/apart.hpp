#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/bins/residual.hpp"

namespace orderless::smallest {

/// Lower bounds on every tree for what is left in a box, from cells that no tree can treat alike.
class Apart {
 public:
  explicit Apart(Residuals& residuals) : residuals_(residuals) {}

  struct Bounds {
    std::int64_t leaves = 1;  // cells of which no two fit into one pure box
    std::int32_t depth = 0;   // questions that some cell cannot do without
  };
  /// Tries one cell per leaf, where it changes class most. Cost: pairs of leaves x leaves.
  [[nodiscard]] Bounds bounds(Residuals::Id id);

  /// How many questions the path of a cell has at least: one for each direction (down or up an
  /// ordered feature, to another value of an unordered one) in which its class changes.
  [[nodiscard]] std::int32_t questions(Residuals::Id id, std::span<const std::int32_t> cell);

 private:
  using Id = Residuals::Id;
  using Cell = std::vector<std::int32_t>;  // a bin per feature; NaN: n_bins
  struct Corner {
    Cell cell;
    std::int32_t label;
  };
  void corners(Id id, bool low_first);
  /// Whether the cells lo .. hi (for unordered features: lo and hi) have a class but `label`.
  [[nodiscard]] bool impure(Id id, std::int32_t label) const;
  [[nodiscard]] bool goes(const Residuals::Node& node, bool yes) const;
  [[nodiscard]] bool reaches(const Residuals::Node& node, std::int32_t bin, bool yes) const;
  [[nodiscard]] std::int32_t label_of(Id id, std::span<const std::int32_t> cell) const;
  [[nodiscard]] bool apart(Id id, const Corner& a, const Corner& b);

  Residuals& residuals_;
  std::vector<Corner> corners_;
  Cell lo_, hi_;
  std::int32_t free_ = -1;  // an unordered feature that may have any value
};

}  // namespace orderless::smallest
