#pragma once

#include <cstdint>
#include <vector>

#include "core/ensembles/objective.hpp"

namespace orderless::ensembles {

/// The leaves of one local tree as boxes: for each leaf a value, and a side for each feature that
/// the tree asks about. Used for one tree after the other.
class Leaves {
 public:
  /// New sets are put behind `words`.
  Leaves(const Objective& objective, Words& words);
  void find(std::int32_t root);

  std::vector<std::uint16_t> features;  // in order
  std::vector<std::int64_t> values;
  std::vector<Side> sides;

 private:
  void asked(std::int32_t i);
  void walk(std::int32_t i);
  [[nodiscard]] Side whole(std::size_t f);
  [[nodiscard]] Side part(const Side& side, const LocalNode& node, bool yes);

  const Objective& objective_;
  const Local& local_;
  Words& words_;
  std::vector<std::int32_t> place_;
  std::vector<Side> now_;
};

}  // namespace orderless::ensembles
