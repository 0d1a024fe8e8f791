#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
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

/// The bins that a node of a search has left, by feature: their local numbers.
struct Left {
  std::vector<std::int32_t> bins;
  std::vector<std::size_t> first;  // by feature, and the end
  std::vector<std::uint8_t> nan;   // by feature: its last bin is NaN

  explicit Left(const Local& local);
  [[nodiscard]] std::size_t width(std::size_t f) const { return first[f + 1] - first[f]; }
};

/// Which of a node's bins its child has.
struct Kept {
  const Left& old;
  const Left& left;
  std::span<const std::int32_t> number;  // by old bin: its number in the feature now, or -1
  std::span<const std::int32_t> before;  // by old bin: how many of its feature are kept before it
};

/// A bound of a sum of trees over a box: the dual of the problem's linear relaxation.
///
/// Each tree may take from a bin what it gives to the same bin of another tree. No cell's sum
/// changes, but the sum of the trees' best leaves does, and with fair shares it is much lower.
/// A tree's share of a bin is what its feature gives to each tree, `fair`, less what the tree
/// expected of the bin when shares were made, `hope`: the same for all bins that it does not tell
/// apart, which are a segment.
/// Numbers are whole, below 2^53 and held in doubles, so that nothing is rounded: values are
/// scaled, and rounded up where they are large. Cost of a sweep: for each leaf and feature of its
/// tree the segments that it has.
class Dual {
 public:
  Dual() = default;
  /// `words`: of sets of local bins; new ones are put behind.
  Dual(const Objective& objective, Words& words);

  void aim(std::int64_t target);
  /// No cell has more.
  [[nodiscard]] std::int64_t bound() const;
  /// How far the bound is above the target.
  [[nodiscard]] double slack() const { return bound_ - target_; }

  /// Makes the shares of feature after feature fair. Bins that cannot reach the target are marked
  /// in `dead`; leaves that cannot are dropped. False if no cell can reach it.
  [[nodiscard]] bool sweep(const Left& left, const Words& words, std::span<std::uint8_t> dead);
  /// By bin of `left`: the bound if a cell must have it, when it was last looked at.
  [[nodiscard]] std::span<const double> if_bin() const { return if_bin_; }

  /// By bin of a feature: about how much the trees lose in the half up to it, and above it; of an
  /// unordered feature, with it alone, and without it.
  void halves(const Left& left, const Words& words, std::size_t f, std::vector<double>& below,
              std::vector<double>& above);

  /// Marks in `edge` the bins of ordered features that some leaf has and not the one before, or the
  /// other way round: what lies between two of them is not told apart.
  void edges(const Left& left, std::span<std::uint8_t> edge) const;
  /// Takes what is left of another one. False if nothing is.
  [[nodiscard]] bool take(const Dual& from, const Kept& kept, const Words& words);

  [[nodiscard]] std::size_t bytes() const;

 private:
  static constexpr double none = -std::numeric_limits<double>::infinity();

  struct Factor {  // a tree
    std::size_t leaves, n_leaves;
    std::size_t users, n_users;
    std::size_t sides;  // n_users for each leaf
    double best;
  };
  struct User {  // of a feature: a tree that asks about it
    std::size_t feature, factor, k;
    std::size_t segments, n_segments;
  };
  /// The segments low .. high of numbers (low > high: none), and the last one, NaN, if `more`. Of
  /// an unordered feature, whose bins are segments, `more` is where the words of its set begin.
  using Part = Side;

  void scale(const std::vector<std::int64_t>& values, std::int64_t range);
  void add_segments(const Leaves& leaves, std::size_t k, const Left& left);
  void find_users(const Left& left);
  void begin(const Left& left, const Words& words);
  [[nodiscard]] bool star(const Left& left, const Words& words, std::size_t f,
                          std::span<std::uint8_t> dead);
  void find_hope(const Left& left, const Words& words, const User& user, double* hope) const;
  [[nodiscard]] double find_tops(const Left& left, const Words& words, const User& user,
                                 std::vector<double>& tops) const;
  void add_up(const Left& left, std::size_t f);
  [[nodiscard]] bool settle(const Left& left, std::size_t f, double rest,
                            std::span<std::uint8_t> dead);
  void make_table(std::span<const double> fair);
  [[nodiscard]] double most_fair(std::size_t begin, std::size_t end) const;
  void give(const User& user);
  [[nodiscard]] double reach_of(const Left& left, const Words& words, const User& user,
                                const Part& part) const;
  void reach(const Left& left, const Words& words, const User& user);
  void drop_leaves();
  template <class Use>
  void each_segment(const Left& left, const Words& words, const User& user, const Part& part,
                    Use&& use) const;

  [[nodiscard]] bool take_factor(const Dual& from, const Factor& own, const Kept& kept,
                                 const Words& words);
  void take_user(const Dual& from, const User& user, const Kept& kept);
  [[nodiscard]] bool taken(Part& part, const User& user, const Kept& kept, const Words& words,
                           std::size_t first) const;
  [[nodiscard]] bool covers(const Part& part, const User& user, const Left& left,
                            const Words& words, std::size_t n_segments) const;
  void put_factor(const Dual& from, const Factor& own, const std::vector<std::uint8_t>& all);
  [[nodiscard]] bool is_ordered(std::size_t f) const { return local_->features()[f].ordered; }

  const Local* local_ = nullptr;
  std::int64_t constant_ = 0, range_ = 0;  // in units of the sum
  int shift_ = 0;                          // of what is held: 2^shift_ of these units
  double target_ = 0, bound_ = 0, own_constant_ = 0;
  std::vector<Factor> factors_;
  std::vector<User> users_;                       // those of a factor, in order of features
  std::vector<std::vector<std::size_t>> asking_;  // by feature: its users
  std::vector<double> values_;                    // by leaf
  std::vector<double> sums_;                      // with shares; none: dropped
  std::vector<Part> parts_;
  std::vector<double> reach_;  // by part: the largest of its shares
  // By segment: where it ends, what its tree hopes for, and the largest share of its bins.
  std::vector<std::int32_t> ends_;
  std::vector<double> hope_, share_;
  // By bin: what is given to each tree, and what is left over; the bound with it.
  std::vector<double> fair_, over_, if_bin_;
  std::vector<double> most_over_;  // by feature
  // Room for work.
  std::vector<double> total_, table_;
  std::vector<std::int32_t> hopeless_;
  std::size_t table_width_ = 0;
  std::vector<Part> kept_parts_;
  std::vector<double> kept_values_;
  std::vector<std::int32_t> kept_ends_, kept_before_;
  std::vector<double> kept_hope_;
  std::vector<std::size_t> kept_segments_, kept_first_;
};

}  // namespace orderless::ensembles
