#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/poll.hpp"
#include "core/base/wide.hpp"
#include "core/reasons/row_leaves.hpp"

namespace orderless::reasons {

/// The reasons of one row: all maximal boxes around it on which its class is certain.
///
/// Each leaf of another class must be missed on some feature, and no wider box may do. These are
/// minimal hitting sets, and the search is that of Murakami and Uno ("Efficient algorithms for
/// dualizing large-scale hypergraphs", 2014), with sides of boxes in place of elements: every cut
/// that a box has made must be the only one that misses some leaf, and a branch ends as soon as one
/// is not.
class RowSearch {
 public:
  using Sides = std::vector<Part>;
  using Must = std::vector<std::pair<std::size_t, Part>>;  // parts that a side must have some of
  using Value = std::pair<Wide, std::int32_t>;             // costs of the features, conditions

  /// What is sought: a reason that is worth less than `below`.
  struct Goal {
    std::vector<Wide> costs;
    bool free = true;  // whether all costs are 0
    std::optional<Value> below = {};
  };

  /// Where a search has come to: go on with `next`.
  struct Place {
    struct State {
      std::vector<std::size_t> cut;  // the features that are not whole, and what is left of them
      Sides side;
      Must must;
    };
    std::vector<State> todo;
  };

  explicit RowSearch(RowLeaves& leaves) : leaves_(leaves) { leaves_.prepare(); }

  /// Where all reasons can be found from, each once; none if several classes are possible.
  [[nodiscard]] Place begin(Must must = {}) const;
  /// The next reason, and with a goal the next that is worth less; none when there are no more.
  [[nodiscard]] std::optional<Sides> next(Place& place, const Goal* goal, const PollFunction& poll);
  /// One reason, without search: the row is widened feature by feature, each as far as it goes.
  [[nodiscard]] Sides any();
  /// The reason that costs least, then has fewest conditions, then is first.
  [[nodiscard]] Sides best(std::vector<Wide> costs, const PollFunction& poll);

  /// How reasons are ordered: fewest conditions, then widest on the first feature, the second, ...
  [[nodiscard]] std::vector<std::int32_t> rank(const Sides& sides) const;
  [[nodiscard]] std::vector<std::uint16_t> write(const Sides& sides) const;

  /// Features that alone keep some leaf of another class away: they are in all reasons.
  [[nodiscard]] std::vector<std::int32_t> necessary() const;
  /// Features that are in some reason. A feature is, if and only if for some leaf the row, widened
  /// just so far that it meets the leaf on every other feature, is still certain: any reason around
  /// that box must then miss the leaf on this feature.
  [[nodiscard]] std::vector<std::int32_t> relevant(const PollFunction& poll);

  /// How many boxes were looked at.
  [[nodiscard]] std::size_t n_looks() const { return n_looks_; }

 private:
  struct Way {
    std::size_t k;
    Part keep;
  };

  [[nodiscard]] Part widest(std::size_t k, const Words& need) const;
  [[nodiscard]] bool met(const Place::State& state);
  [[nodiscard]] bool touched(std::size_t k, const Part& zone, const std::uint64_t* only);
  [[nodiscard]] bool zones_touched(std::size_t k, const Part& side, const std::uint64_t* only);
  [[nodiscard]] std::vector<Way> ways(std::size_t leaf) const;
  [[nodiscard]] std::vector<Way> fewest_ways(const Place::State& state) const;
  void sort_ways(const Place::State& state, const Goal* goal, std::vector<Way>& ways);
  void push(Place& place, const Place::State& state, const std::vector<Way>& ways) const;
  [[nodiscard]] const Part& side(const Place::State& state, std::size_t k) const;

  [[nodiscard]] Value value(const Sides& sides, const std::vector<Wide>& costs) const;
  [[nodiscard]] std::int32_t conditions(std::size_t k, const Part& side) const;
  [[nodiscard]] std::int32_t least(std::size_t k, const Part& side) const;
  [[nodiscard]] bool hopeless(const Place::State& state, const Goal& goal);
  template <class Use>
  void apart(const Place::State& state, bool whole, Use&& use);
  void rivals(std::size_t leaf, bool whole, std::uint64_t* out);
  [[nodiscard]] bool one_end(std::size_t k) const;
  [[nodiscard]] std::vector<std::vector<Part>> directions(std::size_t k) const;
  [[nodiscard]] std::vector<Part> towards(std::size_t k, std::size_t leaf) const;
  [[nodiscard]] bool alone(std::size_t k, std::size_t leaf, const PollFunction& poll);
  [[nodiscard]] Part bin(std::size_t k, std::int32_t b, bool nan = false) const;

  RowLeaves& leaves_;
  std::size_t n_looks_ = 0;
  Words met_;                         // of the last look
  Words once_, twice_, only_, some_;  // scratch
  Words missed_;
};

}  // namespace orderless::reasons
