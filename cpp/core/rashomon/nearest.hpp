#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/rashomon/goals.hpp"

namespace orderless::rashomon {

/// Subtrees whose measures lie between `low` and `high`: the cheapest of them, and what it
/// measures.
struct Spread {
  std::int64_t cost = 0;
  std::int64_t measure = 0;
  std::int64_t low = 0, high = 0;
  std::int32_t leaves = 0;
  std::uint64_t groups = 0;  // what it asks, see View::masks
};

/// The tree whose measure is nearest to a number: no sum over leaves, so every place has a list of
/// the measures that there are, each with its cheapest subtree. Where these are more than `most`,
/// neighbours become one, which keeps their ends: then the nearest is known to lie between what the
/// ends allow and what a tree has.
class Nearest {
 public:
  Nearest(std::shared_ptr<const Measured> measured, Factors factors, std::int64_t wanted,
          std::size_t most, Meter& meter);

  /// Whether the view has a tree.
  [[nodiscard]] bool found() const { return distance_ >= 0; }
  /// How far the tree's measure is from the number; no tree is nearer than `at_least`.
  [[nodiscard]] std::int64_t distance() const { return distance_; }
  [[nodiscard]] std::int64_t at_least() const { return at_least_; }
  [[nodiscard]] std::int64_t measure() const { return best_.measure; }
  [[nodiscard]] std::int64_t cost() const { return best_.cost; }
  [[nodiscard]] FlatTrees tree(Meter& meter) const;

 private:
  using List = std::vector<Spread>;

  [[nodiscard]] Spread leaf(std::size_t place) const;
  template <class Take>
  void pairs(std::size_t place, const Take& take, Meter& meter) const;
  [[nodiscard]] std::pair<std::uint64_t, std::int32_t> kind(const Spread& tree) const;
  /// Makes one of those that are equal in all but cost, the cheapest; sorts by kind and measure.
  void join_equal(List& list) const;
  /// Makes one of neighbours, until there are few.
  void join_near(List& list, std::size_t most) const;
  [[nodiscard]] std::size_t most(std::size_t place) const;
  void fill(std::size_t place, List& out, Meter& meter) const;
  void look(const Spread& tree);
  void aim(Meter& meter);
  void aim_at(const MeasuredEdge& edge, bool yes, Meter& meter);
  [[nodiscard]] Spread together(const Edge& asked, const Spread& a, const Spread& b) const;
  [[nodiscard]] bool fits(const Spread& tree) const;

  std::shared_ptr<const Measured> measured_;
  Factors factors_;
  std::int64_t wanted_;
  std::size_t most_;
  std::vector<std::uint64_t> masks_;
  std::vector<List> lists_;  // by rising cost
  Spread best_;
  std::int64_t distance_ = -1, at_least_ = -1;
};

}  // namespace orderless::rashomon
