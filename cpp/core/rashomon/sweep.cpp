#include "core/rashomon/sweep.hpp"

namespace orderless::rashomon {

bool is_light(const Cuts& cuts) {
  std::int64_t sum = 0;
  for (const std::int64_t weight : cuts.weight) sum += weight;
  return sum <= std::numeric_limits<std::int16_t>::max();
}

template <class T>
Sweep<T>::Sweep(const Cuts& cuts, const Costs& costs, Meter& meter)
    : cuts_(cuts), costs_(costs), meter_(meter), lane_(1, 0), known_(cuts.n_chains()) {
  std::size_t longest = 0;
  for (std::size_t chain = 0; chain < cuts.n_chains(); ++chain) {
    const std::size_t n = cuts.start[chain + 1] - cuts.start[chain];
    const std::size_t lanes = (n + lanes_at_once - 1) / lanes_at_once * lanes_at_once;
    longest = std::max(longest, lanes);
    lane_.push_back(lane_.back() + lanes);
  }
  room_.resize(longest + 1);
  steps_.assign(2 * longest + lanes_at_once, static_cast<T>(-1));
  std::fill_n(steps_.begin(), longest, T{0});
  for (std::size_t i = 0; i < cuts.n_items(); ++i) {
    const auto own = static_cast<std::int32_t>(cuts.weight[i]);
    weights_.push_back(static_cast<T>(own));
    signs_.push_back(static_cast<T>(cuts.label[i] == 0 ? -own : own));
    weight_ += own;
    sign_ += signs_.back();
  }
  all_sign_ = sign_;
  all_weight_ = weight_;
  sign_of_.assign(lane_.back(), 0);
  all_sign_of_.assign(lane_.back(), 0);
  at_ = static_cast<std::uint32_t>(cuts.n_items());
  for (std::size_t chain = 0; chain < cuts.n_chains(); ++chain) {
    refresh(chain, cuts.items(0));
    // A chain that parts nothing is never the best.
    const bool parts = cuts.start[chain] < cuts.start[chain + 1];
    known_[chain] =
        parts ? Known{0, 0, 0, known_[chain].yes} : Known{0, 0, all_weight_, all_weight_};
  }
  all_sign_of_ = sign_of_;
  at_first_ = known_;
}

template <class T>
void Sweep<T>::begin() {
  at_ = 0;
  sign_ = weight_ = 0;
  std::fill(sign_of_.begin(), sign_of_.end(), T{0});
  known_ = at_first_;
}

template <class T>
void Sweep<T>::refresh(std::size_t chain, const std::uint32_t* items) {
  Known& known = known_[chain];
  const std::size_t lane = lane_[chain], n = lane_[chain + 1] - lane;
  if (known.done < at_ && n > 0) {
    add_items(Added<T>{items + known.done, at_ - known.done, cuts_.bins(chain), signs_.data(),
                       steps_.data() + (steps_.size() - lanes_at_once) / 2 - n,
                       sign_of_.data() + lane, n, room_.data()});
  }
  Extremes<T> found{sign_of_.data() + lane, all_sign_of_.data() + lane, n, 0, 0, 0, 0};
  find_extremes(found);
  const auto errors = [](std::int32_t own, std::int32_t all, std::int32_t low, std::int32_t high) {
    return (all -
            std::max(std::abs(low) + std::abs(own - low), std::abs(high) + std::abs(own - high))) /
           2;
  };
  known.done = at_;
  known.weight = weight_;
  known.yes = errors(sign_, weight_, found.low, found.high);
  known.no = errors(all_sign_ - sign_, all_weight_ - weight_, found.low_rest, found.high_rest);
}

template <class T>
std::int64_t Sweep<T>::leaf_cost(bool yes) const {
  const std::int32_t sign = yes ? sign_ : all_sign_ - sign_;
  const std::int32_t weight = yes ? weight_ : all_weight_ - weight_;
  return costs_.of((weight - std::abs(sign)) / 2, 1);
}

template <class T>
typename Sweep<T>::Bounds Sweep<T>::look(const std::uint32_t* items, std::int64_t budget) {
  // Exact for the chains that are up to date, and no less than this for the others.
  Bounds exact{leaf_cost(true), leaf_cost(false)};
  while (true) {
    Bounds least = exact;
    std::size_t next = 0;
    std::int64_t gain = 0;
    for (std::size_t chain = 0; chain < known_.size(); ++chain) {
      const Known& known = known_[chain];
      const std::int64_t yes = costs_.of(known.yes, 2);
      const std::int64_t no = costs_.of(std::max(0, known.no - (weight_ - known.weight)), 2);
      if (known.done == at_) {
        exact.yes = std::min(exact.yes, yes);
        exact.no = std::min(exact.no, no);
        continue;
      }
      least.yes = std::min(least.yes, yes);
      least.no = std::min(least.no, no);
      const std::int64_t own =
          std::max<std::int64_t>(0, exact.yes - yes) + std::max<std::int64_t>(0, exact.no - no);
      if (own > gain) {
        gain = own;
        next = chain;
      }
    }
    least.yes = std::min(least.yes, exact.yes);
    least.no = std::min(least.no, exact.no);
    if (least.yes + least.no > budget) return least;
    if (least.yes == exact.yes && least.no == exact.no) return exact;
    refresh(next, items);
  }
}

template <class T>
typename Sweep<T>::Bounds Sweep<T>::split_bounds() const {
  Bounds least{unreachable, unreachable};
  for (const Known& known : known_) {
    const std::int32_t no = std::max(0, known.no - (weight_ - known.weight));
    least.yes = std::min(least.yes, costs_.of(known.yes, 2));
    least.no = std::min(least.no, costs_.of(no, 2));
  }
  return least;
}

template class Sweep<std::int16_t>;
template class Sweep<std::int32_t>;

}  // namespace orderless::rashomon
