#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/rashomon/meter.hpp"
#include "core/rashomon/rows.hpp"

namespace orderless::rashomon {

inline constexpr std::int64_t unreachable = std::numeric_limits<std::int64_t>::max() / 4;

/// The cheaper of a leaf and of a split into two leaves.
[[nodiscard]] inline std::int64_t leaf_or_split(const Costs& costs, std::int64_t leaf_errors,
                                                std::int64_t split_errors) {
  const std::int64_t leaf = costs.of(leaf_errors, 1);
  if (split_errors >= leaf_errors) return leaf;
  const std::int64_t split = costs.of(split_errors, 2);
  return split < leaf ? split : leaf;
}

/// Weights and errors of leaves in the cells of one column of a part and every other, and what the
/// best split leaves of both sides of the column.
class SplitErrors {
 public:
  SplitErrors() = default;
  explicit SplitErrors(const Rows& part) { start(part); }
  /// Takes a part, in room that is used again; it must stay.
  void start(const Rows& part);

  /// Weight of each class where column i is `yes`.
  void side(std::size_t i, bool yes, std::int64_t* out) const;
  /// Takes column i as the one; cost: columns x words.
  void look(std::size_t i);
  /// Errors where the column is `yes` and column k is `also`.
  [[nodiscard]] std::int64_t of(bool yes, std::size_t k, bool also) const {
    return cells_[((yes ? 0U : 2U) + (also ? 0U : 1U)) * stride_ + k];
  }
  /// Weight of each class there.
  void cell(bool yes, std::size_t k, bool also, std::int64_t* out) const;
  /// The least errors of two leaves where the column is `yes`.
  [[nodiscard]] std::int64_t least(bool yes) const { return least_[yes ? 0 : 1]; }

 private:
  void count_chains();
  void look_in_chain(std::size_t i);

  const Rows* part_ = nullptr;
  std::size_t stride_ = 0;
  std::size_t chain_ = 0;                 // of the group that was looked at, where there are chains
  std::uint32_t done_ = 0;                // and how many of the chain's items are in `both_`
  std::vector<std::int64_t> all_, own_;   // per class
  std::vector<std::int64_t> one_, both_;  // per class and column
  std::vector<std::int64_t> cells_, room_;
  std::int64_t least_[2] = {0, 0};
};

/// The cheapest tree of both sides of every column: best[2 j] where column j is 1, best[2 j + 1]
/// where it is 0.
using SideCosts = std::vector<std::int64_t>;

/// Sides as trees of depth <= 1. Cost: columns^2 x words.
[[nodiscard]] SideCosts sides_of_depth_1(const Rows& part, const Costs& costs);

/// Sides as trees of depth <= 2: all triples of columns once, no recursion. Cost: columns^3 / 6 x
/// (words + a constant), memory columns^2.
[[nodiscard]] SideCosts sides_of_depth_2(const Rows& part, const Costs& costs, Meter& meter);

/// What is known of supports; any thread may ask and add.
class Memory {
 public:
  struct Known {
    std::int64_t value = 0;
    bool exact = false;  // else a bound
  };

  explicit Memory(Meter& meter) : meter_(meter), shelves_(meter.n_threads() == 1 ? 1 : 16) {}
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { meter_.release(bytes_); }

  /// Trees of depth <= `depth` on a support.
  [[nodiscard]] std::optional<Known> best(const Key& key, int depth);
  void add_best(const Key& key, int depth, const Known& known);
  /// Sides as trees of depth <= 2; kept while they are few.
  [[nodiscard]] std::optional<SideCosts> sides(const Key& key);
  void add_sides(const Key& key, const SideCosts& sides);

 private:
  struct Hash {
    std::size_t operator()(const Key& key) const { return static_cast<std::size_t>(key[0]); }
  };
  /// One of several where there are threads, so that they seldom wait for each other.
  struct Shelf {
    std::mutex mutex;
    std::vector<std::unordered_map<Key, Known, Hash>> best;  // by depth
    std::unordered_map<Key, SideCosts, Hash> sides;
  };
  Shelf& shelf(const Key& key) { return shelves_[key[1] % shelves_.size()]; }
  void hold(std::size_t bytes);

  Meter& meter_;
  std::atomic<std::size_t> bytes_ = 0, sides_bytes_ = 0;
  std::vector<Shelf> shelves_;
};

/// Exact optima of supports, by depth, remembered. A copy is for another thread, and shares the
/// memory.
class Best {
 public:
  Best(const Rows& rows, const Costs& costs, Meter& meter)
      : Best(rows, costs, meter, std::make_shared<Memory>(meter)) {}
  Best(const Best& other) : Best(other.rows_, other.costs_, other.meter_, other.memory_) {}
  Best& operator=(const Best&) = delete;
  ~Best() = default;

  /// The smallest cost of a tree of depth <= `depth` on the support if that is < `upper`; else some
  /// bound >= upper that no tree goes below.
  [[nodiscard]] std::int64_t of(const std::uint64_t* support, int depth, std::int64_t upper);

  /// Sides as trees of depth <= 2 of a support, which `part` is; remembered while they are few.
  [[nodiscard]] SideCosts sides(const std::uint64_t* support, const Part& part);

  /// No tree on the support costs less. Cost: words.
  [[nodiscard]] std::int64_t lower_bound(const std::uint64_t* support);
  [[nodiscard]] Leaf leaf(const std::uint64_t* support);

 private:
  Best(const Rows& rows, const Costs& costs, Meter& meter, std::shared_ptr<Memory> memory)
      : rows_(rows),
        costs_(costs),
        meter_(meter),
        memory_(std::move(memory)),
        namer_(rows.n_words),
        restriction_(rows),
        weights_(rows.n_classes) {}

  /// Errors of the rows that no tree avoids. Numbers only.
  [[nodiscard]] std::int64_t unavoidable(const std::uint64_t* support) const;
  [[nodiscard]] std::int64_t search(const std::uint64_t* support, int depth, std::int64_t upper);
  /// Both sides of one column after the other; the threads share the columns.
  [[nodiscard]] std::int64_t by_column(const std::uint64_t* support, const Part& part, int depth,
                                       std::int64_t upper);
  /// The cheapest tree that asks a column first, if it costs less than `upper`; else a bound.
  [[nodiscard]] std::int64_t asking(const std::uint64_t* support, std::size_t column, int depth,
                                    std::int64_t upper);

  const Rows& rows_;
  Costs costs_;
  Meter& meter_;
  std::shared_ptr<Memory> memory_;
  Namer namer_;
  Restriction restriction_;
  std::vector<std::int64_t> weights_;
};

// Two classes. With s the weight of class 1 less that of class 0, a leaf misses (weight - |s|) / 2:
// so a split misses least where |s| + |s'| of its sides is largest, and one signed number per set
// of columns is enough. The cells of three columns follow from sets of columns that are 1 by
// inclusion and exclusion; every set is counted once, and lowers all sides that it is a split of.

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
