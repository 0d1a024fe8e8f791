#include "core/importance/permuted.hpp"

#include <algorithm>
#include <stdexcept>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "core/base/errors.hpp"
#include "core/base/hash.hpp"
#include "core/base/wide.hpp"
#include "core/importance/box_weights.hpp"

namespace orderless::importance {

namespace {

constexpr std::int64_t most_weight = 3'037'000'499;  // its square is below 2^63
constexpr std::int64_t most_number = std::int64_t{1} << 51;

/// Classes: whatever is not the leaf's class is wrong.
template <class Number>
struct WrongClass {
  using Weight = Number;
  using Loss = Number;

  [[nodiscard]] static Weight rows(const std::vector<Weight>& weights) {
    Weight out = 0;
    for (const Weight weight : weights) out += weight;
    return out;
  }
  [[nodiscard]] static Loss loss(const std::vector<Weight>& weights, std::size_t label) {
    Loss out = 0;
    for (std::size_t c = 0; c < weights.size(); ++c) {
      if (c != label) out += weights[c];
    }
    return out;
  }
};

/// Squared errors: of a box the weight and the sum of the numbers are known. The sum of their
/// squares is left out: over all leaves of a tree it is the same before and after permuting.
struct Squares {
  using Weight = std::int64_t;
  using Loss = SignedWide;
  std::span<const std::int64_t> said;  // by label

  [[nodiscard]] static Weight rows(const std::vector<Weight>& sums) { return sums[0]; }
  [[nodiscard]] Loss loss(const std::vector<Weight>& sums, std::size_t label) const {
    const std::int64_t number = said[label];
    const SignedWide sum = sums[1];
    return SignedWide(number) * (SignedWide::product(number, sums[0]) - (sum + sum));
  }
};

/// Absolute errors: of a box the weight of each number is known.
struct Distances {
  using Weight = std::int64_t;
  using Loss = SignedWide;
  std::span<const std::int64_t> said;  // by label
  std::span<const std::int64_t> numbers;

  [[nodiscard]] static Weight rows(const std::vector<Weight>& weights) {
    return WrongClass<std::int64_t>::rows(weights);
  }
  [[nodiscard]] Loss loss(const std::vector<Weight>& weights, std::size_t label) const {
    SignedWide out = 0;
    for (std::size_t c = 0; c < weights.size(); ++c) {
      const std::int64_t apart = numbers[c] - said[label];
      out += SignedWide::product(apart < 0 ? -apart : apart, weights[c]);
    }
    return out;
  }
};

constexpr std::size_t most_kept = 64;  // weights by box; of more, boxes are weighed each time

template <class Judge>
class Reckoner {
  using Weight = typename Judge::Weight;
  using Loss = typename Judge::Loss;

 public:
  Reckoner(const BinaryRows& rows, std::span<const Weight> weight, std::span<const char> used,
           const Judge& judge, Poll poll)
      : rows_(rows), judge_(judge), table_(rows, weight, used), poll_(poll) {
    total_ = judge_.rows(box({}));
  }

  [[nodiscard]] Weight total() const { return total_; }

  /// Adds a leaf to the sums of its tree.
  void add(const Literals& path, std::int32_t label, Loss* excess, Loss& errors) {
    key_ = path;
    std::sort(key_.begin(), key_.end());
    key_.erase(std::unique(key_.begin(), key_.end()), key_.end());
    key_.push_back(static_cast<Literal>(label));
    auto found = leaves_.find(key_);
    if (found == leaves_.end()) {
      const Literals key = key_;
      found = leaves_.emplace(key, look(Literals(key.begin(), key.end() - 1), label)).first;
    }
    errors += found->second.errors;
    for (const auto& [group, own] : found->second.excess) excess[group] += own;
  }

 private:
  struct Leaf {
    Loss errors = 0;
    std::vector<std::pair<std::size_t, Loss>> excess;
  };

  [[nodiscard]] std::size_t group(Literal literal) const {
    return static_cast<std::size_t>(rows_.group[literal / 2]);
  }

  [[nodiscard]] Leaf look(const Literals& literals, std::int32_t label) {
    Leaf leaf;
    leaf.errors = wrong(literals, label);
    std::vector<std::size_t> groups;
    for (const Literal literal : literals) groups.push_back(group(literal));
    std::sort(groups.begin(), groups.end());
    groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
    for (const std::size_t own : groups) {
      Literals inside, others;
      for (const Literal literal : literals) {
        (group(literal) == own ? inside : others).push_back(literal);
      }
      const auto fits = static_cast<Loss>(judge_.rows(box(inside)));
      const auto total = static_cast<Loss>(total_);
      leaf.excess.emplace_back(own, fits * wrong(others, label) - total * leaf.errors);
    }
    return leaf;
  }

  /// Valid until the next call.
  [[nodiscard]] const std::vector<Weight>& box(const Literals& literals) {
    if (rows_.n_classes > most_kept) {
      room_.assign(rows_.n_classes, 0);
      table_.weigh(literals, room_.data());
      if (++weighed_ % 1024 == 0) poll_();
      return room_;
    }
    const auto [found, is_new] = boxes_.try_emplace(literals);
    if (is_new) {
      found->second.assign(rows_.n_classes, 0);
      table_.weigh(literals, found->second.data());
      if (boxes_.size() % 1024 == 0) poll_();
    }
    return found->second;
  }

  [[nodiscard]] Loss wrong(const Literals& literals, std::int32_t label) {
    return judge_.loss(box(literals), static_cast<std::size_t>(label));
  }

  const BinaryRows& rows_;
  Judge judge_;
  BoxWeights<Weight> table_;
  Poll poll_;
  Weight total_ = 0;
  Literals key_;
  std::vector<Weight> room_;
  std::size_t weighed_ = 0;
  std::unordered_map<Literals, std::vector<Weight>, NumbersHash> boxes_;
  std::unordered_map<Literals, Leaf, NumbersHash> leaves_;
};

void require(bool good, const char* what) {
  if (!good) throw std::invalid_argument(what);
}

bool within(std::int32_t value, std::size_t size) {
  return value >= 0 && static_cast<std::size_t>(value) < size;
}

void check_rows(const BinaryRows& rows, std::size_t n_weights) {
  require(rows.label.size() == n_weights, "rows need one label and one weight each");
  require(rows.cells.size() == n_weights * rows.group.size(), "cells are not rows x columns");
  for (const std::int32_t label : rows.label) require(within(label, rows.n_classes), "no class");
  for (const std::int32_t group : rows.group) require(within(group, rows.n_groups), "no group");
}

void check_trees(const FlatTreesView& trees, std::size_t n_columns, std::size_t n_labels) {
  require(trees.column.size() == trees.label.size(), "nodes need one column and one label each");
  require(!trees.offsets.empty() && trees.offsets.front() == 0 &&
              trees.offsets.back() == static_cast<std::int64_t>(trees.column.size()) &&
              std::is_sorted(trees.offsets.begin(), trees.offsets.end()),
          "offsets do not part the nodes");
  for (std::size_t i = 0; i < trees.column.size(); ++i) {
    if (trees.column[i] >= 0) {
      require(within(trees.column[i], n_columns), "a node asks a column that is not there");
    } else {
      require(within(trees.label[i], n_labels), "a leaf has a class that is not there");
    }
  }
}

template <class Weight>
void check_weights(std::span<const Weight> weight) {
  Weight total = 0;
  for (const Weight own : weight) {
    require(own >= 0, "a weight is negative");
    total += own;
    if constexpr (std::is_integral_v<Weight>) {
      if (own > most_weight || total > most_weight) throw CountOverflow("weight of two rows", 63);
    }
  }
}

/// Goes through all leaves of all trees.
template <class Judge>
Permuted<typename Judge::Loss> permuted(const FlatTreesView& trees, const BinaryRows& rows,
                                        std::span<const typename Judge::Weight> weight,
                                        const Judge& judge, Poll poll) {
  std::vector<char> used(rows.group.size(), 0);
  for (const std::int32_t column : trees.column) {
    if (column >= 0) used[static_cast<std::size_t>(column)] = 1;
  }
  Reckoner<Judge> reckoner(rows, weight, used, judge, poll);
  Permuted<typename Judge::Loss> out;
  out.total = static_cast<typename Judge::Loss>(reckoner.total());
  const std::size_t n_trees = trees.offsets.size() - 1;
  out.errors.assign(n_trees, 0);
  out.excess.assign(n_trees * rows.n_groups, 0);
  Literals path;
  for (std::size_t t = 0; t < n_trees; ++t) {
    if (t % 4096 == 0) poll();
    path.clear();
    bool done = false;
    for (auto i = static_cast<std::size_t>(trees.offsets[t]);
         i < static_cast<std::size_t>(trees.offsets[t + 1]); ++i) {
      require(!done, "a tree goes on after its last leaf");
      if (trees.column[i] >= 0) {
        path.push_back(2 * static_cast<Literal>(trees.column[i]) + 1);
        continue;
      }
      reckoner.add(path, trees.label[i], out.excess.data() + t * rows.n_groups, out.errors[t]);
      while (!path.empty() && path.back() % 2 == 0) path.pop_back();
      done = path.empty();
      if (!done) --path.back();  // on to the side where the column is 0
    }
    require(done, "a tree ends before its last leaf");
  }
  return out;
}

/// Every row twice: with its weight, and with its weight x its number.
Permuted<SignedWide> permuted_squares(const FlatTreesView& trees, const NumberRows& rows,
                                      std::span<const std::int64_t> weight, Poll poll) {
  std::vector<std::uint8_t> cells(rows.cells.begin(), rows.cells.end());
  cells.insert(cells.end(), rows.cells.begin(), rows.cells.end());
  std::vector<std::int32_t> label(rows.y.size(), 0);
  label.resize(2 * rows.y.size(), 1);
  std::vector<std::int64_t> both(weight.begin(), weight.end());
  for (std::size_t r = 0; r < rows.y.size(); ++r) both.push_back(weight[r] * rows.y[r]);
  const BinaryRows twice{cells, label, rows.group, 2, rows.n_groups};
  check_rows(twice, both.size());
  return permuted<Squares>(trees, twice, both, {rows.said}, poll);
}

Permuted<SignedWide> permuted_distances(const FlatTreesView& trees, const NumberRows& rows,
                                        std::span<const std::int64_t> weight, Poll poll) {
  std::vector<std::int64_t> numbers(rows.y.begin(), rows.y.end());
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  std::vector<std::int32_t> label;
  for (const std::int64_t y : rows.y) {
    const auto at = std::lower_bound(numbers.begin(), numbers.end(), y);
    label.push_back(static_cast<std::int32_t>(at - numbers.begin()));
  }
  const BinaryRows classes{rows.cells, label, rows.group, numbers.size(), rows.n_groups};
  check_rows(classes, weight.size());
  return permuted<Distances>(trees, classes, weight, {rows.said, numbers}, poll);
}

}  // namespace

template <class Weight>
Permuted<Weight> permuted_errors(const FlatTreesView& trees, const BinaryRows& rows,
                                 std::span<const Weight> weight, Poll poll) {
  check_rows(rows, weight.size());
  check_trees(trees, rows.group.size(), rows.n_classes);
  check_weights(weight);
  return permuted<WrongClass<Weight>>(trees, rows, weight, {}, poll);
}

Permuted<double> permuted_losses(const FlatTreesView& trees, const NumberRows& rows,
                                 std::span<const std::int64_t> weight, Poll poll) {
  check_trees(trees, rows.group.size(), rows.said.size());
  check_weights(weight);
  require(rows.y.size() == weight.size(), "rows need one number and one weight each");
  for (const auto numbers : {rows.y, rows.said}) {
    for (const std::int64_t number : numbers) {
      require(number >= 0 && number <= most_number, "a number is not from 0 to 2^51");
    }
  }
  for (std::size_t r = 0; r < weight.size(); ++r) {
    require(weight[r] == 0 || rows.y[r] <= most_number / weight[r], "weight x number passes 2^51");
  }
  const auto found = rows.squared ? permuted_squares(trees, rows, weight, poll)
                                  : permuted_distances(trees, rows, weight, poll);
  Permuted<double> out;
  for (const SignedWide& excess : found.excess) out.excess.push_back(excess.to_double());
  out.total = found.total.to_double();
  return out;
}

template Permuted<std::int64_t> permuted_errors(const FlatTreesView&, const BinaryRows&,
                                                std::span<const std::int64_t>, Poll);
template Permuted<double> permuted_errors(const FlatTreesView&, const BinaryRows&,
                                          std::span<const double>, Poll);

}  // namespace orderless::importance
