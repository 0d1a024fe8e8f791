#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "core/rashomon/functions.hpp"

namespace orderless::rashomon {

/// The functions that splits at a place make of the functions of their sides, within its budget.
/// Leaves are not among them.
template <class Use>
class FunctionProducts {
 public:
  /// `use(functions, n)` is called with some at a time, and may be handed a function several times.
  FunctionProducts(Functions& functions, std::uint32_t place, const Residue& residue, Meter& meter,
                   Use use)
      : functions_(functions),
        places_(functions.places_),
        place_(place),
        budget_(places_.budget[place]),
        most_leaves_(functions.most_leaves(place)),
        some_(residue.bits > 0),
        residue_(residue.value),
        low_(residue.low()),
        meter_(meter),
        use_(use) {}

  void run() {
    const auto edges = functions_.graph().of(places_.node[place_]);
    for (edge_ = 0; edge_ < edges.size(); ++edge_) {
      if (!read_sides()) continue;
      const Edge& edge = edges[edge_];
      const Graph& graph = functions_.graph();
      same_ = graph.label[edge.when_true] == graph.label[edge.when_false];
      groups_ = functions_.masks_[edge.column];
      some_ ? join_some() : join_all();
    }
    if (n_ != 0) use_(batch_.data(), n_);
  }

 private:
  struct Side {
    Point value;
    std::int64_t cost, errors;
    std::uint64_t groups;
    std::uint32_t number;
    std::uint16_t leaves;
  };

  /// Whether both sides of the edge have functions.
  bool read_sides() {
    const std::size_t at = places_.edge_start[place_] + edge_;
    if (places_.when_true[at] == Places::absent) return false;
    if (places_.share.empty()) {
      read(places_.when_true[at], nullptr, on_true_);
      read(places_.when_false[at], nullptr, on_false_);
    } else {
      const Point rest = minus({1, 1}, places_.share[at]);
      read(places_.when_true[at], &places_.share[at], on_true_);
      read(places_.when_false[at], &rest, on_false_);
    }
    return !on_true_.empty() && !on_false_.empty();
  }

  void read(std::uint32_t place, const Point* scale, std::vector<Side>& out) const {
    const std::vector<Function>& list = functions_.lists_[place];
    out.clear();
    for (std::uint32_t i = 0; i < list.size(); ++i) {
      const Function& f = list[i];
      out.push_back({scale == nullptr ? f.value : times(f.value, *scale), functions_.cost(f),
                     f.errors, functions_.asked_.of(f.groups), i, f.leaves});
    }
  }

  void join_all() {
    for (const Side& x : on_true_) {
      if (x.cost + on_false_.front().cost > budget_) break;
      std::size_t steps = 0;
      for (const Side& y : on_false_) {
        if (x.cost + y.cost > budget_) break;
        join(x, y);
        ++steps;
      }
      meter_.step(2 * steps + 2);
    }
  }

  /// By the low bits, then by cost. 2^61 - 1 is -1 modulo 2^bits, so a sum that wraps moves by 1.
  void join_some() {
    const auto bits = [this](const Side& side) { return side.value[0] & low_; };
    std::stable_sort(on_false_.begin(), on_false_.end(),
                     [&](const Side& a, const Side& b) { return bits(a) < bits(b); });
    bucket_.assign(low_ + 2, 0);
    for (const Side& y : on_false_) ++bucket_[bits(y) + 1];
    for (std::size_t b = 0; b <= low_; ++b) bucket_[b + 1] += bucket_[b];
    for (const Side& x : on_true_) {
      std::size_t steps = 0;
      for (const std::uint64_t wrap : {0U, 1U}) {
        const std::uint64_t b = (residue_ - x.value[0] - wrap) & low_;
        for (std::size_t i = bucket_[b]; i < bucket_[b + 1]; ++i) {
          const Side& y = on_false_[i];
          if (x.cost + y.cost > budget_) break;
          ++steps;
          if ((Field::add(x.value[0], y.value[0]) & low_) != residue_) continue;
          join(x, y);
        }
      }
      meter_.step(2 * steps + 2);
    }
  }

  void join(const Side& x, const Side& y) {
    if (x.leaves + y.leaves > most_leaves_) return;
    if (!functions_.view_.trivial && same_ && x.leaves + y.leaves == 2) return;
    const auto groups = functions_.number_of(place_, x.groups | y.groups | groups_);
    if (!groups) return;
    Function& f = batch_[n_++];
    f.value = plus(x.value, y.value);
    f.errors = x.errors + y.errors;
    f.edge = edge_;
    f.on_true = x.number;
    f.on_false = y.number;
    f.leaves = static_cast<std::uint16_t>(x.leaves + y.leaves);
    f.groups = *groups;
    if (n_ < batch_.size()) return;
    use_(batch_.data(), n_);
    n_ = 0;
  }

  Functions& functions_;
  const Places& places_;
  std::uint32_t place_;
  std::int64_t budget_, most_leaves_;
  bool some_;  // only the functions of a residue
  std::uint64_t residue_, low_;
  Meter& meter_;
  Use use_;

  // The edge at hand.
  std::uint32_t edge_ = 0;
  bool same_ = false;  // whether both sides say the same as leaves
  std::uint64_t groups_ = 0;
  std::vector<Side> on_true_, on_false_;
  std::vector<std::size_t> bucket_;

  std::array<Function, 64> batch_;
  std::size_t n_ = 0;
};

}  // namespace orderless::rashomon
