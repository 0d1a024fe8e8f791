#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/acquisition/bound.hpp"
#include "core/acquisition/certificates.hpp"
#include "core/acquisition/problem.hpp"
#include "core/acquisition/states.hpp"

namespace orderless::acquisition {

/// Where the search is: the rows and leaves that are left, what was bought, what is left to spend.
struct Place {
  std::span<const std::uint32_t> rows;
  const std::uint64_t* leaves;
  Purchases bought;  // 0 where there are no certificates
  Rest rest;
};

/// The rows of one outcome.
struct Part {
  std::size_t begin, end;
};

/// The parts of a state, by the outcomes of a purchase; the search has one for each purchase on the
/// way. Parts that are determined are left out.
struct Level {
  std::vector<std::uint32_t> rows;
  std::vector<std::uint32_t> from;    // by row here: its position before
  std::vector<std::uint64_t> leaves;  // by part
  std::vector<Part> parts;
};

/// Which states purchases lead to, and what they cost at least.
class Splits {
 public:
  Splits(const Acquisition& problem, const PollFunction& poll);

  States states;

  /// What a row that stays undetermined counts: more than any cost.
  [[nodiscard]] std::int64_t missed() const { return missed_; }
  /// What a policy costs, with what it leaves undetermined.
  [[nodiscard]] std::int64_t value_of(const PolicyTree& tree) const;
  /// Number of the state; a new one gets its lower bound, a single row its exact value.
  [[nodiscard]] std::int32_t state_of(const Place& place);
  /// Divides the rows by the outcomes of a purchase, into the level; false if that tells nothing.
  bool split(Level& level, const Place& place, std::size_t purchase);
  /// Where the search is in a part of the level, after a purchase.
  [[nodiscard]] Place place_of(const Level& level, std::size_t part, const Place& before,
                               std::size_t purchase) const;
  /// Writes down, once for each state, all purchases that tell something and the states that they
  /// lead to.
  void look(Level& level, const Place& place, std::int32_t id);
  /// What a purchase costs with the states that it leads to at their lower bounds.
  [[nodiscard]] std::int64_t total(const Candidate& candidate, std::int64_t weight);
  [[nodiscard]] std::int64_t weight_of(std::span<const std::uint32_t> rows) const;
  [[nodiscard]] Purchases bit(std::size_t purchase) const { return certificates_.bit(purchase); }

 private:
  /// The bounds of single rows, added up.
  struct Sum {
    std::int64_t cost = 0, most = 0, missed = 0;
  };
  void add(Sum& sum, std::uint32_t row, RowCosts::Spent least) const;
  [[nodiscard]] std::int64_t value_of(const Sum& sum) const;
  /// What a certificate says of a row when only so much is left to spend.
  [[nodiscard]] RowCosts::Spent spent(std::uint32_t row, const Certificate& certificate,
                                      const Place& place) const;
  /// `place` is a part after a purchase; `from`: where its rows are in `certain_`.
  [[nodiscard]] std::int32_t state_after(const Place& place, std::size_t purchase,
                                         std::span<const std::uint32_t> from);
  template <class CertificateOf>
  [[nodiscard]] std::int32_t state_with(const Place& place, CertificateOf&& certificate_of);

  const Acquisition& problem_;
  RowCosts costs_;
  Certificates certificates_;
  std::int64_t missed_;
  std::vector<std::size_t> count_, seen_;
  std::vector<std::int32_t> order_;
  std::vector<std::uint64_t> keys_;   // two by row
  std::vector<Certificate> certain_;  // of the rows of the state that is looked at
};

}  // namespace orderless::acquisition
