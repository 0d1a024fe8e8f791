#include "core/ensembles/objective.hpp"

#include <algorithm>
#include <utility>

#include "core/ensembles/facts.hpp"

namespace orderless::ensembles {

namespace {

/// A weighted sum of whole numbers in units of 2^coarse, rounded up.
std::int64_t weighted(const Weights& weights, const std::int64_t* whole, int coarse) {
  std::int64_t sum = 0;
  for (std::size_t s = 0; s < weights.size(); ++s) {
    const std::int64_t unit = (std::int64_t{1} << coarse) - 1;
    sum += weights[s] * (weights[s] > 0 ? (whole[s] + unit) >> coarse : whole[s] >> coarse);
  }
  return sum;
}

}  // namespace

Objective::Objective(const Local& local, const Weights& weights, int coarse)
    : local_(&local), values_(local.nodes().size()) {
  const Sum& sum = local.sum();
  constant_ = weighted(weights, sum.whole_bases(), coarse);
  for (const std::int32_t leaf : local.constant()) {
    constant_ += weighted(weights, sum.whole(leaf), coarse);
  }
  for (std::size_t i = 0; i < values_.size(); ++i) {  // children come first
    const LocalNode& node = local.nodes()[i];
    values_[i] = node.feature < 0 ? weighted(weights, sum.whole(node.cut), coarse)
                                  : std::max(values_[at(node.yes)], values_[at(node.no)]);
  }
  if (local.n_facts() > 0) leave_out_impossible();
  bound_ = constant_;
  for (const std::int32_t root : local.roots()) bound_ += value(root);
}

void Objective::leave_out_impossible() {
  const std::int64_t away = out_of_reach(*local_, values_);
  for (std::size_t i = 0; i < values_.size(); ++i) {  // of other trees they stay as they are
    const LocalNode& node = local_->nodes()[i];
    if (node.feature >= 0) {
      values_[i] = std::max(values_[at(node.yes)], values_[at(node.no)]);
    } else if (local_->sum().impossible(node.cut)) {
      values_[i] = away;
    }
  }
}

std::int64_t Objective::at_cell(std::span<const std::int32_t> cell) const {
  std::int64_t sum = constant_;
  for (const std::int32_t root : local_->roots()) sum += value(local_->leaf(root, cell));
  return sum;
}

namespace {

/// Sums of all trees by the bins of one feature, the others being fixed.
class Sweep {
 public:
  Sweep(const Objective& objective, std::span<const std::int32_t> cell)
      : objective_(objective), local_(objective.local()), cell_(cell) {}

  /// By bin; only trees that ask about the feature are counted.
  const std::vector<std::int64_t>& run(std::size_t f) {
    own_ = &local_.features()[f];
    asked_ = static_cast<std::int32_t>(f);
    steps_.assign(at(own_->width) + 1, 0);
    std::vector<std::uint8_t> inside(own_->ordered ? 0 : at(own_->width), 1);
    for (const std::int32_t root : local_.asking(f)) {
      if (own_->ordered) {
        ordered(root, 0, own_->n_numbers() - 1, own_->nan);
      } else {
        unordered(root, inside);
      }
    }
    if (own_->ordered) {
      for (std::size_t b = 1; b < steps_.size(); ++b) steps_[b] += steps_[b - 1];
    }
    steps_.pop_back();
    return steps_;
  }

 private:
  void ordered(std::int32_t i, std::int32_t low, std::int32_t high, bool nan) {
    while (true) {
      const LocalNode& here = local_.nodes()[at(i)];
      if (here.feature < 0) break;
      if (here.feature != asked_) {
        i = local_.holds(here, cell_[at(here.feature)]) ? here.yes : here.no;
        continue;
      }
      const std::int32_t last = std::min(high, here.cut);
      const std::int32_t next = std::max(low, here.cut + 1);
      const bool yes = low <= last || (nan && here.nan_true);
      const bool no = next <= high || (nan && !here.nan_true);
      if (yes && no) {
        ordered(here.yes, low, last, nan && here.nan_true);
        nan = nan && !here.nan_true;
      }
      if (no)
        low = next;  // where only one side is there it is the whole
      else
        high = last;
      i = no ? here.no : here.yes;
    }
    const std::int64_t value = objective_.value(i);
    if (low <= high) add(low, high, value);
    if (nan) add(own_->width - 1, own_->width - 1, value);
  }

  void unordered(std::int32_t i, const std::vector<std::uint8_t>& inside) {
    while (local_.nodes()[at(i)].feature >= 0) {
      const LocalNode& here = local_.nodes()[at(i)];
      if (here.feature != asked_) {
        i = local_.holds(here, cell_[at(here.feature)]) ? here.yes : here.no;
        continue;
      }
      std::vector<std::uint8_t> yes(inside);
      std::vector<std::uint8_t> no(inside);
      for (std::int32_t b = 0; b < own_->width; ++b) (local_.holds(here, b) ? no : yes)[at(b)] = 0;
      unordered(here.yes, yes);
      unordered(here.no, no);
      return;
    }
    for (std::size_t b = 0; b < inside.size(); ++b) {
      if (inside[b] != 0) steps_[b] += objective_.value(i);
    }
  }

  void add(std::int32_t low, std::int32_t high, std::int64_t value) {
    steps_[at(low)] += value;
    steps_[at(high) + 1] -= value;
  }

  const Objective& objective_;
  const Local& local_;
  std::span<const std::int32_t> cell_;
  const LocalFeature* own_ = nullptr;
  std::int32_t asked_ = 0;
  std::vector<std::int64_t> steps_;
};

}  // namespace

std::int64_t climb(const Objective& objective, std::vector<std::int32_t>& cell, std::int64_t enough,
                   const Barred& barred) {
  std::int64_t now = objective.at_cell(cell);
  Sweep sweep(objective, cell);
  const std::size_t n = cell.size();
  std::size_t still = 0;  // features since the last that was changed
  for (std::size_t f = 0; still < n && now < enough; f = (f + 1) % n) {
    const std::vector<std::int64_t>& sums = sweep.run(f);
    std::size_t best = at(cell[f]);
    for (std::size_t b = 0; b < sums.size(); ++b) {
      if (sums[b] > sums[best] && !barred.has(f, b)) best = b;
    }
    const std::int64_t gain = sums[best] - sums[at(cell[f])];
    still = gain > 0 ? 1 : still + 1;
    if (gain > 0) cell[f] = static_cast<std::int32_t>(best);
    now += gain;
  }
  return now;
}

std::vector<std::int64_t> by_bin(const Objective& objective, std::span<const std::int32_t> cell,
                                 std::size_t f) {
  std::vector<std::int64_t> sums = Sweep(objective, cell).run(f);
  const std::int64_t others = objective.at_cell(cell) - sums[at(cell[f])];
  for (std::int64_t& sum : sums) sum += others;
  return sums;
}

}  // namespace orderless::ensembles
