#include "core/rashomon/cut_search.hpp"

#include <algorithm>
#include <utility>

#include "core/rashomon/signed.hpp"
#include "core/rashomon/sweep.hpp"

namespace orderless::rashomon {

void SplitErrors::count_chains() {
  const Cuts& cuts = part_->cuts;
  cuts.weigh(all_.data(), all_.size());
  std::vector<std::int64_t> sum(all_.size());
  for (std::size_t chain = 0; chain < cuts.n_chains(); ++chain) {
    std::fill(sum.begin(), sum.end(), 0);
    const std::uint32_t* items = cuts.items(chain);
    std::uint32_t item = 0;
    for (std::size_t group = cuts.start[chain]; group < cuts.start[chain + 1]; ++group) {
      for (; item < cuts.n_upto[group]; ++item) {
        sum[at(cuts.label[items[item]])] += cuts.weight[items[item]];
      }
      for (std::size_t c = 0; c < sum.size(); ++c) one_[c * stride_ + group] = sum[c];
    }
  }
}

void SplitErrors::look_in_chain(std::size_t i) {
  const Cuts& cuts = part_->cuts;
  const std::size_t own = cuts.chain_of(i);
  if (own != chain_ || cuts.n_upto[i] < done_) {
    std::fill(both_.begin(), both_.end(), 0);
    chain_ = own;
    done_ = 0;
  }
  const std::uint32_t* items = cuts.items(own);
  for (std::size_t chain = 0; chain < cuts.n_chains(); ++chain) {
    const std::uint16_t* bins = cuts.bins(chain);
    for (std::uint32_t k = done_; k < cuts.n_upto[i]; ++k) {
      const std::uint32_t item = items[k];
      std::int64_t* to = both_.data() + at(cuts.label[item]) * stride_;
      const std::int64_t weight = cuts.weight[item];
      for (std::size_t g = cuts.start[chain] + bins[item]; g < cuts.start[chain + 1]; ++g) {
        to[g] += weight;
      }
    }
  }
  done_ = cuts.n_upto[i];
}

namespace {

/// The group of a column, -1 if it parts nothing.
std::int64_t group_of(const Cuts& cuts, std::int64_t column) {
  if (column < 0) return -1;
  const auto after = std::upper_bound(cuts.column.begin(), cuts.column.end(), column);
  if (after == cuts.column.begin()) return -1;
  const auto group = after - cuts.column.begin() - 1;
  return column < cuts.end[static_cast<std::size_t>(group)] ? group : -1;
}

/// What is known of the trees on one side of a cut.
struct Side {
  std::int64_t cost = 0;     // the least, or a bound
  std::int64_t column = -1;  // where a best tree begins
};

/// A cut of a chain, what its sides cost, and the weight where it is 1.
struct Cut {
  std::int64_t group = 0;  // one before the first, or one after the last: nothing on one side
  Side yes, no;
  std::int64_t weight = 0;
};

class CutSearch {
 public:
  CutSearch(const Rows& part, const Costs& costs, std::int64_t budget, Meter& meter)
      : whole_(part),
        costs_(costs),
        budget_(budget),
        meter_(meter),
        signs_(signs_suffice(part)),
        weights_(part.n_classes) {
    side_.target = part.target;
    side_.n_classes = part.n_classes;
  }

  /// Finds the sides of every cut that cost at most the budget together.
  SideCosts sides() {
    found_.assign(2 * whole_.cuts.n_groups(), 0);
    each_chain();
    return std::move(found_);
  }

  /// Lowers the budget to the least that is found; `best` is what is known.
  std::int64_t least(std::int64_t best) {
    budget_ = best - 1;
    falls_ = true;
    found_.assign(2 * whole_.cuts.n_groups(), 0);
    each_chain();
    return budget_ + 1;
  }

  /// The best of depth <= 2 of some items if it costs at most `budget`, else a bound above that.
  Side best(std::span<const std::uint32_t> items, const Side& lower, std::int64_t budget) {
    if (lower.cost > budget) return lower;
    std::fill(weights_.begin(), weights_.end(), 0);
    for (const std::uint32_t item : items) {
      weights_[at(whole_.cuts.label[item])] += whole_.cuts.weight[item];
    }
    const std::int64_t leaf = costs_.of(whole_.leaf(weights_.data()).errors, 1);
    if (leaf <= lower.cost) return {leaf, lower.column};
    taker_.take(whole_.cuts, items, side_.cuts);
    side_.n_columns = side_.cuts.n_groups();
    if (!signs_) return best_of_any(leaf);
    const std::int64_t upper = std::min(leaf, budget + 1);
    const BestGroup found = with_sweep(side_.cuts, costs_, meter_, [&](auto& sweep) {
      return sweep.least(lower.cost, upper, group_of(side_.cuts, lower.column));
    });
    if (found.group < 0) return {found.cost, lower.column};
    return {found.cost, side_.cuts.column[static_cast<std::size_t>(found.group)]};
  }

 private:
  Side best_of_any(std::int64_t leaf) {
    const SideCosts sides = sides_of_depth_1(side_, costs_);
    Side best{leaf, -1};
    for (std::size_t i = 0; i < sides.size(); i += 2) {
      best.cost = std::min(best.cost, sides[i] + sides[i + 1]);
    }
    meter_.step(side_.n_columns * side_.n_columns / 4 + 1);
    return best;
  }

  void each_chain() {
    const Cuts& cuts = whole_.cuts;
    // No tree costs less than a leaf without errors.
    const Side nothing{costs_.of(0, 1), -1};
    const auto n_items = static_cast<std::uint32_t>(cuts.n_items());
    for (std::size_t chain = 0; chain < cuts.n_chains(); ++chain) {
      upto_.assign(1, 0);
      for (std::uint32_t i = 0; i < n_items; ++i) {
        upto_.push_back(upto_.back() + cuts.weight[cuts.items(chain)[i]]);
      }
      const Cut before{std::int64_t{cuts.start[chain]} - 1, nothing, nothing, 0};
      const Cut after{std::int64_t{cuts.start[chain + 1]}, nothing, nothing, upto_.back()};
      between(chain, before, after);
    }
  }

  /// Looks at the cuts between two.
  void between(std::size_t chain, const Cut& a, const Cut& b) {
    if (a.group + 1 >= b.group) return;
    if (a.yes.cost + b.no.cost > budget_) {
      for (auto group = static_cast<std::size_t>(a.group) + 1; std::cmp_less(group, b.group);
           ++group) {
        found_[2 * group] = a.yes.cost;
        found_[2 * group + 1] = b.no.cost;
      }
      return;
    }
    const Cut middle = look(chain, a, b);
    between(chain, a, middle);
    between(chain, middle, b);
  }

  Cut look(std::size_t chain, const Cut& a, const Cut& b) {
    const Cuts& cuts = whole_.cuts;
    Cut cut{a.group + (b.group - a.group) / 2, a.yes, b.no, 0};
    const auto group = static_cast<std::size_t>(cut.group);
    cut.weight = upto_[cuts.n_upto[group]];
    const auto raise = [&](Side& side, const Side& other, std::int64_t moved) {
      if (other.cost - costs_.error * moved <= side.cost) return;
      side = {other.cost - costs_.error * moved, other.column};
    };
    if (!whole_.target.has_numbers()) {  // a row of weight w adds at most w errors
      raise(cut.yes, b.yes, b.weight - cut.weight);
      raise(cut.no, a.no, cut.weight - a.weight);
    }
    const std::span<const std::uint32_t> items(cuts.items(chain), cuts.n_items());
    if (cut.yes.cost + cut.no.cost <= budget_) {
      cut.yes = best(items.first(cuts.n_upto[group]), cut.yes, budget_ - cut.no.cost);
    }
    if (cut.yes.cost + cut.no.cost <= budget_) {
      cut.no = best(items.subspan(cuts.n_upto[group]), cut.no, budget_ - cut.yes.cost);
    }
    found_[2 * group] = cut.yes.cost;
    found_[2 * group + 1] = cut.no.cost;
    if (falls_) budget_ = std::min(budget_, cut.yes.cost + cut.no.cost - 1);
    return cut;
  }

  const Rows& whole_;
  Costs costs_;
  std::int64_t budget_;
  Meter& meter_;
  bool signs_, falls_ = false;
  std::vector<std::int64_t> weights_, upto_;
  SideCosts found_;
  Rows side_;
  CutTaker taker_;
};

}  // namespace

SideCosts cut_sides_of_depth_2(const Rows& part, const Costs& costs, std::int64_t budget,
                               Meter& meter) {
  Held held(meter);
  held.set(2 * part.cuts.bytes() + part.cuts.n_groups() * 24);
  return CutSearch(part, costs, budget, meter).sides();
}

std::int64_t cut_least_of_depth_3(const Rows& part, const Costs& costs, std::int64_t leaf,
                                  Meter& meter) {
  Held held(meter);
  held.set(2 * part.cuts.bytes() + part.cuts.n_groups() * 24);
  const std::int64_t best = cut_least_of_depth_2(part, costs, leaf, meter);
  return CutSearch(part, costs, best, meter).least(best);
}

std::int64_t cut_least_of_depth_2(const Rows& part, const Costs& costs, std::int64_t leaf,
                                  Meter& meter) {
  if (signs_suffice(part)) {
    return with_sweep(part.cuts, costs, meter,
                      [&](auto& sweep) { return sweep.least(costs.of(0, 1), leaf, -1).cost; });
  }
  const SideCosts sides = sides_of_depth_1(part, costs);
  for (std::size_t i = 0; i < sides.size(); i += 2) {
    leaf = std::min(leaf, sides[i] + sides[i + 1]);
  }
  return leaf;
}

}  // namespace orderless::rashomon
