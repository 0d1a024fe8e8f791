#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/rashomon/counts.hpp"

// How tables of cells are multiplied, for Counts.

namespace orderless::rashomon {

/// Sorts, and makes cells of one kind one.
inline void merge(std::vector<Cell>& cells) {
  std::sort(cells.begin(), cells.end(), [](const Cell& a, const Cell& b) { return a.before(b); });
  std::size_t n = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (n != 0 && cells[n - 1].same_kind(cells[i])) {
      cells[n - 1].trees = plus_checked(cells[n - 1].trees, cells[i].trees);
      cells[n - 1].nontrivial = plus_checked(cells[n - 1].nontrivial, cells[i].nontrivial);
    } else {
      cells[n++] = cells[i];
    }
  }
  cells.resize(n);
}

/// Collects the products of tables: on a grid of (leaves, errors, groups) where that is small
/// against the work, else in a list that is merged now and then. 0 groups: there are many sets of
/// features, and a list that is looked up by its kind is merged at once.
class CellProducts {
 public:
  CellProducts(const Costs& costs, std::int64_t least_cost, std::int64_t budget,
               std::int64_t most_leaves, std::size_t n_groups, double work)
      : costs_(costs), n_groups_(n_groups) {
    // Errors lie between those of the cheapest tree with the most leaves and of a tree with two.
    low_ = std::max<std::int64_t>(0, (least_cost - costs.leaf * most_leaves) / costs.error);
    const std::int64_t high = (budget - 2 * costs.leaf) / costs.error;
    n_errors_ = std::max<std::int64_t>(high - low_ + 1, 0);
    n_leaves_ = std::max<std::int64_t>(most_leaves - 1, 0);
    const double size = static_cast<double>(n_errors_) * static_cast<double>(n_leaves_) *
                        static_cast<double>(n_groups);
    dense_ = n_groups > 0 && size < 64.0 + work && size < 4e6;
    if (dense_) grid_.resize(static_cast<std::size_t>(size));
  }

  void add_to(std::int64_t cost, std::int32_t leaves, std::uint64_t groups, Count trees,
              Count nontrivial) {
    if (n_groups_ == 0) {
      Cell& own = cell(cost, leaves, groups);
      own.trees += trees;
      own.nontrivial += nontrivial;
      return;
    }
    if (!dense_) {
      cells_.push_back({cost, groups, leaves, trees, nontrivial});
      if (cells_.size() > most_) {
        merge(cells_);
        most_ = std::max(most_, 2 * cells_.size());
      }
      return;
    }
    Pair& pair = grid_[at(cost, leaves, groups)];
    pair.trees += trees;
    pair.nontrivial += nontrivial;
  }

  void checked_add_to(std::int64_t cost, std::int32_t leaves, std::uint64_t groups, Count trees,
                      Count nontrivial) {
    if (n_groups_ == 0) {
      Cell& own = cell(cost, leaves, groups);
      own.trees = plus_checked(own.trees, trees);
      own.nontrivial = plus_checked(own.nontrivial, nontrivial);
      return;
    }
    if (!dense_) {
      add_to(cost, leaves, groups, trees, nontrivial);  // merge checks
      return;
    }
    Pair& pair = grid_[at(cost, leaves, groups)];
    pair.trees = plus_checked(pair.trees, trees);
    pair.nontrivial = plus_checked(pair.nontrivial, nontrivial);
  }

  /// What lists take.
  [[nodiscard]] std::size_t bytes() const {
    return cells_.capacity() * sizeof(Cell) + slots_.capacity() * 4;
  }

  void take(std::vector<Cell>& out) {
    for (std::size_t i = 0; i < grid_.size(); ++i) {
      if (grid_[i].trees == 0) continue;
      const std::uint64_t groups = i % n_groups_;
      const auto rest = static_cast<std::int64_t>(i / n_groups_);
      const auto leaves = static_cast<std::int32_t>(rest / n_errors_ + 2);
      const std::int64_t errors = rest % n_errors_ + low_;
      out.push_back(
          {costs_.of(errors, leaves), groups, leaves, grid_[i].trees, grid_[i].nontrivial});
    }
    out.insert(out.end(), cells_.begin(), cells_.end());
    merge(out);
  }

 private:
  struct Pair {
    Count trees = 0, nontrivial = 0;
  };
  /// The cell of a kind, found by its hash.
  Cell& cell(std::int64_t cost, std::int32_t leaves, std::uint64_t groups) {
    if (cells_.size() * 2 >= slots_.size()) grow();
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash(cost, leaves, groups) & mask;
    for (; slots_[at] != 0; at = (at + 1) & mask) {
      Cell& known = cells_[slots_[at] - 1];
      if (known.cost == cost && known.leaves == leaves && known.groups == groups) return known;
    }
    cells_.push_back({cost, groups, leaves, 0, 0});
    slots_[at] = static_cast<std::uint32_t>(cells_.size());
    return cells_.back();
  }
  static std::size_t hash(std::int64_t cost, std::int32_t leaves, std::uint64_t groups) {
    const auto both = static_cast<std::uint64_t>(cost) * 64 + static_cast<std::uint64_t>(leaves);
    const std::uint64_t h = (both * 0x9e3779b97f4a7c15U + groups) * 0xd1b54a32d192ed03U;
    return static_cast<std::size_t>(h ^ (h >> 32U));
  }
  void grow() {
    slots_.assign(std::max<std::size_t>(1024, 2 * slots_.size()), 0);
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      const Cell& each = cells_[i];
      std::size_t at = hash(each.cost, each.leaves, each.groups) & (slots_.size() - 1);
      while (slots_[at] != 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = static_cast<std::uint32_t>(i + 1);
    }
  }
  [[nodiscard]] std::size_t at(std::int64_t cost, std::int32_t leaves, std::uint64_t groups) const {
    const std::int64_t errors = (cost - costs_.leaf * leaves) / costs_.error;
    return static_cast<std::size_t>((leaves - 2) * n_errors_ + errors - low_) * n_groups_ + groups;
  }

  Costs costs_;
  std::size_t n_groups_;
  std::int64_t low_ = 0, n_errors_ = 0, n_leaves_ = 0;
  bool dense_ = false;
  std::vector<Pair> grid_;
  std::vector<Cell> cells_;
  std::vector<std::uint32_t> slots_;  // numbers of cells + 1, or 0
  std::size_t most_ = 1U << 14U;
};

/// The cells of a table that ask the same, together: by what they ask, then by cost.
class CellsByAsked {
 public:
  explicit CellsByAsked(std::span<const Cell> cells) : cells_(cells.begin(), cells.end()) {
    std::sort(cells_.begin(), cells_.end(), [](const Cell& a, const Cell& b) {
      return a.groups != b.groups ? a.groups < b.groups : a.before(b);
    });
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (i == 0 || cells_[i].groups != cells_[i - 1].groups) start_.push_back(i);
    }
    start_.push_back(cells_.size());
  }

  [[nodiscard]] std::size_t n() const { return start_.size() - 1; }
  /// The cells of one set, by cost.
  [[nodiscard]] std::span<const Cell> of(std::size_t i) const {
    return {cells_.data() + start_[i], start_[i + 1] - start_[i]};
  }

 private:
  std::vector<Cell> cells_;
  std::vector<std::size_t> start_;
};

/// Calls `use(a, b)` with the cells of two sides that together ask no more than a view allows.
template <class Use>
void each_that_may(const View& view, std::uint64_t own, std::span<const Cell> on_true,
                   std::span<const Cell> on_false, Use&& use) {
  const CellsByAsked yes(on_true), no(on_false);
  for (std::size_t i = 0; i < yes.n(); ++i) {
    const std::uint64_t asked = own | yes.of(i).front().groups;
    if (!view.may(asked)) continue;
    for (std::size_t j = 0; j < no.n(); ++j) {
      if (view.may(asked | no.of(j).front().groups)) use(yes.of(i), no.of(j));
    }
  }
}

}  // namespace orderless::rashomon
