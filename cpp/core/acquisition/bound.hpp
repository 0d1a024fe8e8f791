#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/acquisition/problem.hpp"

namespace orderless::acquisition {

/// What single rows must spend: lower bounds, and exactly. A row must exclude every reachable leaf
/// of another class, by some purchase that its outcome of excludes the leaf. Where it can end in
/// several classes, the least over them counts.
class RowCosts {
 public:
  explicit RowCosts(const Acquisition& problem);

  struct Spent {
    std::int64_t cost = 0;
    bool missed = false;  // cannot be determined with what is left to spend
  };

  /// At least this: leaves pay one after the other, each what is left of the price of the cheapest
  /// purchase that excludes it, and all purchases that do are so much cheaper for the leaves that
  /// follow (dual ascent for the cover of leaves by purchases). Questions are at least as many as
  /// leaves that share no such purchase.
  /// Cost: purchases x words, for each purchase that is paid for and each class that the row can
  /// end in.
  [[nodiscard]] Spent at_least(std::uint32_t row, const std::uint64_t* leaves, Rest rest);

  /// Exactly this, and a purchase to begin with (-1: stop). Branch and bound over the purchases
  /// that exclude one leaf; exponential in the purchases that a row needs.
  [[nodiscard]] Spent exactly(std::uint32_t row, const std::uint64_t* leaves, Rest rest,
                              std::int32_t& first);

  /// Calls `with(leaves outside)` for each class that the row can end in, until it gives true;
  /// a class that leaves no less outside than the one before it is passed over.
  template <class With>
  void for_each_end(std::uint32_t row, const std::uint64_t* leaves, With&& with) {
    const std::size_t words = outside_.size();
    for (std::size_t c = ends_[row].begin; c < ends_[row].end; ++c) {
      const std::uint64_t* own = problem_.classes.data() + c * words;
      bool fewer = c == ends_[row].begin;
      for (std::size_t w = 0; w < words; ++w) {
        const std::uint64_t outside = leaves[w] & ~own[w];
        fewer = fewer || (outside_[w] & ~outside) != 0;
        outside_[w] = outside;
      }
      if (fewer && with(outside_)) return;
    }
  }

 private:
  struct Range {
    std::size_t begin, end;
  };

  /// The classes that hold all of these leaves, which follow each other.
  [[nodiscard]] Range classes_of(const std::vector<std::uint64_t>& leaves) const;
  [[nodiscard]] Spent bound(std::uint32_t row, std::vector<std::uint64_t>& left, Rest rest);
  void search(std::uint32_t row, std::size_t depth, Rest rest, std::int64_t spent,
              std::int32_t first);

  const Acquisition& problem_;
  std::vector<std::size_t> by_cost_;  // purchases, the cheapest first
  std::vector<std::int64_t> cost_;    // in that order
  std::vector<Range> ends_;  // by row the classes that it can end in; none: never determined
  std::vector<std::uint64_t> left_, some_, outside_;
  std::vector<const std::uint64_t*> mask_;  // of the row at hand, the cheapest purchase first
  std::vector<std::int64_t> price_;         // what is left of each purchase's cost
  std::vector<std::vector<std::uint64_t>> levels_;
  std::int64_t best_ = 0;
  std::int32_t best_first_ = -1;
};

/// Purchases as bits, the cheapest is the lowest.
using Purchases = std::uint64_t;

/// The cheapest certificate of a row: what it must still buy, all of its outcomes being known.
struct Certificate {
  std::int64_t cost = Acquisition::unlimited;  // unlimited: nothing determines the row
  Purchases purchases = 0;
  Purchases useful = 0;  // only of Certificates::cheapest
};

/// The cheapest certificates of single rows, exactly. Each leaf that a row must exclude is the set
/// of the purchases that exclude it. A set that holds another is dropped: whatever meets the
/// smaller one meets both, now and later. So few sets are left per row (and class that it can end
/// in), and a certificate is the cheapest choice of purchases that meets them all.
class Certificates {
 public:
  Certificates(const Acquisition& problem, RowCosts& costs, const PollFunction& poll);

  /// Whether there are certificates: at most 64 purchases, and the sets of all rows fit.
  [[nodiscard]] bool exist() const { return !rows_.empty(); }
  [[nodiscard]] Purchases bit(std::size_t purchase) const { return bit_[purchase]; }
  [[nodiscard]] std::size_t cheapest_of(Purchases some) const;

  /// Branch and bound over the purchases of one set after the other.
  [[nodiscard]] Certificate cheapest(std::uint32_t row, Purchases bought);
  /// The same when one more purchase is made than for `before`. Part of the certificate: the rest
  /// of it is the cheapest. Of no use: nothing changes. Otherwise only what is cheaper is searched.
  [[nodiscard]] Certificate after(std::uint32_t row, const Certificate& before, Purchases bought,
                                  std::size_t purchase);
  /// Whatever excludes a leaf that is still to be excluded. A certificate may hold more, if it is
  /// free: what one more purchase made superfluous.
  [[nodiscard]] Purchases useful(std::uint32_t row, Purchases bought) const;
  /// Whether sets that share no purchase are more than the questions that are left.
  [[nodiscard]] bool asks_more_than(std::int64_t questions, std::uint32_t row,
                                    Purchases bought) const;

 private:
  struct End {
    std::size_t begin, end;  // its sets
  };

  /// Writes down the smallest sets of purchases that exclude these leaves.
  void add_end(std::uint32_t row, std::span<const std::uint64_t> outside);
  /// Looks for a certificate that is cheaper than the best.
  void improve(std::uint32_t row, Purchases bought);
  /// What the sets from `begin` on cost at least, by dual ascent: one after the other pays what is
  /// left of the price of its cheapest purchase, and all its purchases are so much cheaper.
  [[nodiscard]] std::int64_t ascend(std::size_t begin, std::int64_t enough);
  void search(std::size_t begin, std::int64_t spent, Purchases chosen);

  const Acquisition& problem_;
  std::vector<std::size_t> by_cost_;
  std::vector<std::int64_t> cost_;  // in that order
  std::vector<Purchases> bit_;      // by purchase
  std::vector<End> rows_;           // by row its ends
  std::vector<End> ends_;           // by end its sets
  std::vector<Purchases> sets_;
  std::vector<Purchases> stack_;
  std::vector<std::int64_t> price_;
  std::int64_t floor_ = 0;  // no certificate is cheaper than this
  Certificate best_;
};

}  // namespace orderless::acquisition
