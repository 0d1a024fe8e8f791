#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/ensembles/local.hpp"

namespace orderless::ensembles {

/// What is to be large in a box: a sum of the leaves' values, and a start. What facts exclude is
/// smaller than all that is possible.
class Objective {
 public:
  /// `coarse`: in units of 2^coarse, rounded up: for weights with which sums would pass 61 bits.
  Objective(const Local& local, const Weights& weights, int coarse = 0);

  [[nodiscard]] const Local& local() const { return *local_; }
  /// The sum of the base and of the trees that are constant in the box.
  [[nodiscard]] std::int64_t constant() const { return constant_; }
  /// What a leaf of the local trees adds; of other nodes the largest below them.
  [[nodiscard]] std::int64_t value(std::int32_t node) const { return values_[at(node)]; }
  /// No completion has more: the sum of each tree's largest leaf.
  [[nodiscard]] std::int64_t bound() const { return bound_; }
  [[nodiscard]] std::int64_t at_cell(std::span<const std::int32_t> cell) const;

 private:
  void leave_out_impossible();

  const Local* local_;
  std::int64_t constant_;
  std::int64_t bound_;
  std::vector<std::int64_t> values_;
};

/// Bins of one local feature that are not wanted (nonzero); without any, all are. They are the
/// caller's, and may become more while they are used.
struct Barred {
  std::size_t feature = 0;
  std::span<const std::uint8_t> bins;
  [[nodiscard]] bool has(std::size_t f, std::size_t bin) const {
    return !bins.empty() && f == feature && bins[bin] != 0;
  }
};

/// Climbs from a cell: sets one feature after the other to its best bin, given the others, until
/// none is better. Gives what the cell has in the end; stops as soon as that is `enough`. A cell
/// that has no barred bin gets none. Cost: for each step the trees that ask about the feature.
std::int64_t climb(const Objective& objective, std::vector<std::int32_t>& cell, std::int64_t enough,
                   const Barred& barred = {});

/// What a cell would have with each bin of a feature.
[[nodiscard]] std::vector<std::int64_t> by_bin(const Objective& objective,
                                               std::span<const std::int32_t> cell, std::size_t f);

}  // namespace orderless::ensembles
