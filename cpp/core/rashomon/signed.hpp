#pragma once

#include <cstdint>
#include <vector>

#include "core/rashomon/best.hpp"

// Two classes. With s the weight of class 1 less that of class 0, a leaf misses (weight - |s|) / 2:
// so a split misses least where |s| + |s'| of its sides is largest, and one signed number per set
// of columns is enough. The cells of three columns follow from sets of columns that are 1 by
// inclusion and exclusion; every set is counted once, and lowers all sides that it is a split of.
namespace orderless::rashomon {

/// Whether a part has two classes and weights so small that sums of eight of them fit in 32 bits.
[[nodiscard]] bool signs_suffice(const Rows& part);

/// Signed and plain weights of all rows and of each column.
struct Ones {
  std::int32_t sign = 0, weight = 0;
  std::vector<std::int32_t> signs, weights;

  explicit Ones(const Rows& part);
};

/// The rows of others in which one column is 1, for counting pairs of the columns after it: packed
/// where that saves more than it costs, else a mask.
class Within {
 public:
  void narrow(const Rows& rows, const std::uint64_t* mask, std::size_t column);
  [[nodiscard]] const Rows& rows() const { return *rows_; }
  [[nodiscard]] const std::uint64_t* mask() const { return mask_.data(); }

 private:
  const Rows* rows_ = nullptr;
  Words mask_;
  Rows packed_;
  std::vector<Move> moves_;
};

/// As sides_of_depth_1, of a part where signs suffice. Cost: columns^2 / 2 x (words + a constant).
[[nodiscard]] SideCosts signed_sides_of_depth_1(const Rows& part, const Costs& costs);

/// As sides_of_depth_2, of a part where signs suffice. The work is shared among threads.
[[nodiscard]] SideCosts signed_sides_of_depth_2(const Rows& part, const Costs& costs, Meter& meter);

}  // namespace orderless::rashomon
