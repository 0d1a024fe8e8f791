#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace orderless {

/// The values that one feature can take.
/// Ordered: the interval (lower, upper], and NaN where NaN is a value of its own.
/// Unordered: the values 0 .. n_values - 1.
struct Domain {
  bool ordered = true;
  bool nan = false;
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  std::int32_t n_values = 0;
};

/// Some of the values of one feature: one side of a box.
/// Ordered: the interval (lower, upper], empty unless lower < upper, and NaN if `nan`.
/// Unordered: one bit per value in `bits`.
struct Side {
  double lower = 0;
  double upper = 0;
  bool nan = false;
  std::vector<std::uint64_t> bits;

  [[nodiscard]] bool empty(bool ordered) const;
};

/// A box: one side per feature. Invariant: no side is empty.
using Box = std::vector<Side>;

[[nodiscard]] Side whole(const Domain& domain);
[[nodiscard]] Box whole(std::span<const Domain> domains);

}  // namespace orderless
