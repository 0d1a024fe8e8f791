#pragma once

#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "core/rashomon_meter.hpp"
#include "core/rashomon_rows.hpp"

namespace orderless::rashomon {

inline constexpr std::int64_t unreachable = std::numeric_limits<std::int64_t>::max() / 4;

/// Counts of all pairs of columns of a part, and the cells that they make.
struct Pairs {
  std::size_t n_columns = 0, n_classes = 0, stride = 0;
  std::vector<std::int64_t> all;   // per class
  std::vector<std::int64_t> one;   // per class and column
  std::vector<std::int64_t> both;  // per column, class and column

  explicit Pairs(const Rows& rows);

  [[nodiscard]] const std::int64_t* row(std::size_t i) const {
    return both.data() + i * n_classes * stride;
  }
  /// Weight of each class where column i is `yes`.
  void side(std::size_t i, bool yes, std::int64_t* out) const;
  /// Weight of each class where column i is `yes` and column j is `also`.
  void cell(std::size_t i, bool yes, std::size_t j, bool also, std::int64_t* out) const;
};

/// Errors of leaves in the cells of one column of a part and every other, and what the best split
/// leaves of both sides of the column.
struct SplitErrors {
  explicit SplitErrors(const Pairs& pairs);
  void look(std::size_t i);

  /// Where column i is `yes` and column k is `also`.
  [[nodiscard]] std::int64_t of(bool yes, std::size_t k, bool also) const {
    return cells[((yes ? 0U : 2U) + (also ? 0U : 1U)) * pairs.stride + k];
  }

  const Pairs& pairs;
  std::int64_t least[2] = {0, 0};
  std::vector<std::int64_t> cells, room, own;
};

/// The cheapest tree of both sides of every column: best[2 j] where column j is 1, best[2 j + 1]
/// where it is 0.
using SideCosts = std::vector<std::int64_t>;

/// Sides as trees of depth <= 1, from pairs. Cost: columns^2.
[[nodiscard]] SideCosts sides_of_depth_1(const Pairs& pairs, const Costs& costs);

/// Sides as trees of depth <= 2: all triples of columns once, no recursion. Cost: columns^3 / 6 x
/// (words + a constant), memory columns^2.
[[nodiscard]] SideCosts sides_of_depth_2(const Rows& rows, const Costs& costs, Meter& meter);

/// Exact optima of supports, by depth, remembered.
class Best {
 public:
  Best(const Rows& rows, const Costs& costs, Meter& meter)
      : rows_(rows), costs_(costs), meter_(meter), held_(meter), namer_(rows.n_words) {}

  /// The smallest cost of a tree of depth <= `depth` on the support if that is < `upper`; else some
  /// bound >= upper that no tree goes below.
  [[nodiscard]] std::int64_t of(const std::uint64_t* support, int depth, std::int64_t upper);

  /// Sides as trees of depth <= 2 of a support, which `part` is; remembered while they are few.
  [[nodiscard]] SideCosts sides(const std::uint64_t* support, const Part& part);

  /// No tree on the support costs less. Cost: words.
  [[nodiscard]] std::int64_t lower_bound(const std::uint64_t* support) const;
  [[nodiscard]] Leaf leaf(const std::uint64_t* support) const;

 private:
  struct Known {
    std::int64_t value = 0;
    bool exact = false;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const { return static_cast<std::size_t>(key[0]); }
  };
  [[nodiscard]] std::int64_t search(const std::uint64_t* support, int depth, std::int64_t upper);

  const Rows& rows_;
  Costs costs_;
  Meter& meter_;
  Held held_;
  Namer namer_;
  std::size_t n_known_ = 0;
  std::vector<std::unordered_map<Key, Known, Hash>> known_;  // by depth
  std::size_t sides_bytes_ = 0;
  std::unordered_map<Key, SideCosts, Hash> sides_;
};

}  // namespace orderless::rashomon
