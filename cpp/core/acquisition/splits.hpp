#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/acquisition/bound.hpp"
#include "core/acquisition/problem.hpp"
#include "core/acquisition/states.hpp"

namespace orderless::acquisition {

struct Child {
  std::size_t begin, end;  // of the rows
  std::int32_t state;      // -1: determined
  std::int64_t lower;
};

struct Candidate {
  std::int64_t bound;
  std::int32_t purchase;
};

/// The search has its scratch space here, one for each purchase on the way.
struct Level {
  std::vector<std::uint32_t> rows;
  std::vector<std::uint64_t> leaves;  // by child
  std::vector<Child> children;
  std::vector<Candidate> candidates;
};

/// Which states purchases lead to, and what they cost at least.
class Splits {
 public:
  explicit Splits(const Acquisition& problem);

  States states;

  /// What a row that stays undetermined counts: more than any cost.
  [[nodiscard]] std::int64_t missed() const { return missed_; }
  /// What a policy costs, with what it leaves undetermined.
  [[nodiscard]] std::int64_t value_of(const PolicyTree& tree) const;
  /// The bound of some rows without search.
  [[nodiscard]] std::int64_t bound(std::span<const std::uint32_t> rows, const std::uint64_t* leaves,
                                   Rest rest);
  /// Number of the state; a new one gets its lower bound, a single row its exact value.
  [[nodiscard]] std::int32_t state_of(std::span<const std::uint32_t> rows,
                                      const std::uint64_t* leaves, Rest rest);
  /// Divides the rows by the outcomes of a purchase, into the level; false if that tells nothing.
  bool split(Level& level, std::span<const std::uint32_t> rows, const std::uint64_t* leaves,
             Rest rest, std::size_t purchase);
  /// The purchases that tell something, the lowest bound first.
  void look(Level& level, std::span<const std::uint32_t> rows, const std::uint64_t* leaves,
            Rest rest, std::int64_t weight);
  /// What a purchase costs with its children at their lower bounds.
  [[nodiscard]] std::int64_t total(const Level& level, std::int64_t price) const;
  [[nodiscard]] std::int64_t weight_of(std::span<const std::uint32_t> rows) const;
  [[nodiscard]] std::int64_t price(std::size_t purchase, std::int64_t weight) const;
  [[nodiscard]] static std::span<const std::uint32_t> rows_of(const Level& level,
                                                              const Child& child) {
    return {level.rows.data() + child.begin, child.end - child.begin};
  }

 private:
  const Acquisition& problem_;
  RowCosts costs_;
  std::int64_t missed_;
  std::vector<std::size_t> count_, seen_;
  std::vector<std::int32_t> order_;
};

}  // namespace orderless::acquisition
