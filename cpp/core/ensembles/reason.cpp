#include "core/ensembles/reason.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/ensembles/answer.hpp"
#include "core/ensembles/search.hpp"

namespace orderless::ensembles {

namespace {

/// Where class j may beat class c, by the scores: of equals the first wins, and of what the library
/// may not tell apart either.
Rival beats(const Sum& sum, std::size_t j, std::size_t c) {
  Weights weights(sum.n_scores(), 0);
  weights[j] = 1;
  weights[c] = -1;
  const std::int64_t near = sum.slack(j) + sum.slack(c);
  const std::int64_t window = sum.whole_window();
  if (sum.either()) return {weights, -near - window, near + window + 1};
  return {weights, j > c ? 1 - near : -near - window, near + (j > c ? window + 1 : 0)};
}

/// Where the only score may be above a cut, or not above it.
Rival above(const Sum& sum, std::size_t cut) {
  const std::int64_t near = sum.slack(0) + sum.whole_window();
  const std::int64_t at_cut = sum.whole_cuts()[cut];
  return {{1}, at_cut + 1 - near, at_cut + 1 + near};
}
Rival below(const Sum& sum, std::size_t cut) {
  const std::int64_t near = sum.slack(0) + sum.whole_window();
  const std::int64_t at_cut = sum.whole_cuts()[cut];
  return {{-1}, -(at_cut + near), -(at_cut - near)};
}

}  // namespace

std::vector<Rival> rivals(const Sum& sum, std::int32_t label) {
  std::vector<Rival> out;
  const auto c = at(label);
  if (sum.rule() == Rule::largest) {
    for (std::size_t j = 0; j < sum.n_scores(); ++j) {
      if (j != c) out.push_back(beats(sum, j, c));
    }
    return out;
  }
  if (c < sum.cuts().size()) out.push_back(above(sum, c));
  if (c > 0) out.push_back(below(sum, c - 1));
  return out;
}

std::vector<Rival> needs(const Sum& sum, std::int32_t label) {
  std::vector<Rival> out;
  const auto c = at(label);
  if (sum.rule() == Rule::largest) {
    for (std::size_t j = 0; j < sum.n_scores(); ++j) {
      if (j != c) out.push_back(beats(sum, c, j));
    }
    return out;
  }
  if (c > 0) out.push_back(above(sum, c - 1));
  if (c < sum.cuts().size()) out.push_back(below(sum, c));
  return out;
}

namespace {

constexpr std::size_t few_left = 2;  // bins that are left to a short search

/// The bins that a side may still get.
class Grown {
 public:
  /// `own`: the bins of the side; `allowed`: those, and all that it may get.
  Grown(const Sum& sum, std::size_t f, std::span<const std::uint8_t> own,
        std::span<const std::uint8_t> allowed)
      : sum_(sum), f_(f), own_(own.begin(), own.end()), inside_(allowed.begin(), allowed.end()) {
    join();
  }

  [[nodiscard]] const Box& inside() const { return inside_; }
  /// What the side became.
  [[nodiscard]] const Box& finished() {
    join(true);
    return inside_;
  }
  [[nodiscard]] bool grows() const { return inside_ != own_; }
  [[nodiscard]] bool is_own(std::size_t bin) const { return own_[bin] != 0; }

  template <class Out>
  void leave_out(Out&& out) {
    for (std::size_t b = 0; b < inside_.size(); ++b) {
      if (own_[b] == 0 && inside_[b] != 0 && out(b)) inside_[b] = 0;
    }
    join();
  }

 private:
  /// Cuts an ordered side down to the numbers that follow on its own without a gap, and NaN. Where
  /// its own is NaN alone, to the longest run, but only in the end: until then any may become that.
  void join(bool end = false) {
    if (!sum_.feature(f_).ordered) return;
    const auto numbers = at(sum_.feature(f_).n_bins);
    std::size_t first = 0;
    while (first < numbers && own_[first] == 0) ++first;
    if (first == numbers && !end) return;
    std::size_t best = 0;
    std::size_t length = 0;
    for (std::size_t b = 0; b < numbers; ++b) {
      if (inside_[b] == 0) continue;
      std::size_t stop = b;
      while (stop < numbers && inside_[stop] != 0) ++stop;
      if (first < numbers ? b <= first && first < stop : stop - b > length) {
        best = b;
        length = stop - b;
      }
      b = stop;
    }
    for (std::size_t b = 0; b < numbers; ++b) {
      if ((b < best || b >= best + length) && own_[b] == 0) inside_[b] = 0;
    }
  }

  const Sum& sum_;
  std::size_t f_;
  Box own_, inside_;
};

/// The same for the local bins of a box that has the side as wide as it may become.
class Growing {
 public:
  Growing(const Local& local, std::size_t k, Grown& grown, std::int32_t label, Adverse& adverse)
      : local_(local),
        k_(k),
        grown_(grown),
        label_(label),
        adverse_(adverse),
        sums_(local.sum().n_scores()) {
    const std::size_t width = at(local.features()[k].width);
    barred_.resize(width);
    is_own_.resize(width);
    for (std::size_t b = 0; b < grown.inside().size(); ++b) {
      local_bin_.push_back(local.bin_of(k, static_cast<std::int32_t>(b)));
      if (grown.is_own(b)) is_own_[at(local_bin_.back())] = 1;
    }
    for (std::size_t b = 0; b < width; ++b) {
      std::size_t far = width;
      for (std::size_t own = 0; own < width; ++own) {
        if (is_own_[own] != 0) far = std::min(far, own > b ? own - b : b - own);
      }
      distance_.push_back(far);
    }
    bar();
  }

  /// Leaves out what a rival can have, as far as that is found out.
  void against(const Rival& rival, Watch& watch) {
    std::vector<Goal> goals;
    goals.push_back({Objective(local_, rival.weights), rival.target});
    const Objective& objective = goals[0].objective;
    if (objective.bound() < rival.target) return;
    begin(objective, rival);
    halve(objective, rival, false);
    halve(objective, rival, true);
    if (!grown_.grows()) return;
    Search search(local_, goals, watch,
                  [&](std::span<const std::int32_t> cell) {
                    if (!is_other(cell)) return Worth::other;
                    leave_out(objective, cell, rival);
                    return Worth::better;
                  },
                  {k_, barred_});
    watch.begin_search();
    if (watch.most_looks() != 0) {
      search.before_cuts([&] { return watch.most_looks() > 1 && give_up(search); });
    }
    if (search.run() == Ending::none) return;
    proven_ = false;
    grown_.leave_out([&](std::size_t b) { return !search.ruled_out(k_, at(local_bin_[b])); });
    bar();
  }

  /// Whether it was found out of all bins.
  [[nodiscard]] bool proven() const { return proven_; }

 private:
  struct Start {
    std::vector<std::int32_t> cell;
    std::vector<std::int64_t> sums;  // by bin
  };

  void bar() {
    std::ranges::fill(barred_, 1);
    for (std::size_t b = 0; b < local_bin_.size(); ++b) {
      if (grown_.inside()[b] != 0 && !grown_.is_own(b)) barred_[at(local_bin_[b])] = 0;
    }
    for (std::size_t b = 0; b < barred_.size(); ++b) {
      if (is_own_[b] != 0) barred_[b] = 1;  // what is not told apart from it is certain, too
    }
  }

  /// Leaves out the farther half of what the first bounds do not prove, if that is much.
  [[nodiscard]] bool give_up(const Search& search) {
    std::vector<std::size_t> far;  // how far from its own bins
    for (std::size_t b = 0; b < barred_.size(); ++b) {
      if (barred_[b] == 0 && !search.ruled_out(k_, b)) far.push_back(distance_[b]);
    }
    if (far.size() <= few_left) return false;
    std::ranges::sort(far);
    const std::size_t most = far[few_left - 1];
    grown_.leave_out([&](std::size_t b) {
      const std::size_t own = at(local_bin_[b]);
      return distance_[own] > most && !search.ruled_out(k_, own);
    });
    const std::vector<std::uint8_t> before = barred_;
    bar();
    return barred_ != before;
  }

  [[nodiscard]] bool is_other(std::span<const std::int32_t> cell) {
    Cell whole = local_.cell(cell);
    if (replay(local_.sum(), whole, sums_) == label_ || !local_.possible(cell)) return false;
    adverse_.add(std::move(whole));
    return true;
  }

  /// Takes up the cells that are known, each with what it has by bin.
  void begin(const Objective& objective, const Rival& rival) {
    starts_.clear();
    const std::vector<Cell> known = adverse_.cells();  // to which more may be added
    for (const Cell& cell : known) {
      starts_.push_back({local_.near(cell), {}});
      starts_.back().sums = leave_out(objective, starts_.back().cell, rival);
    }
  }

  /// Looks for the nearest bin on one side with which another class is found, by halving what is
  /// left there. What is then left is likely to be certain, and still to be proven.
  void halve(const Objective& objective, const Rival& rival, bool above) {
    const LocalFeature& own = local_.features()[k_];
    std::size_t first = 0;  // of its own bins
    while (first < barred_.size() && is_own_[first] == 0) ++first;
    const auto candidates = [&] {
      std::vector<std::size_t> out;
      for (std::size_t b = 0; b < barred_.size(); ++b) {
        if (barred_[b] == 0 && (b > first) == above) out.push_back(b);
      }
      if (!above && own.ordered) std::ranges::reverse(out);
      return out;
    };
    std::size_t low = 0;  // so many were not found to have another class
    for (std::vector<std::size_t> left = candidates(); low < left.size(); left = candidates()) {
      const std::size_t middle = low + (left.size() - low) / 2;
      if (!climbed(objective, rival, left[middle])) low = middle + 1;
    }
  }

  /// Leaves out the bins with which a cell reaches what is enough for another class; gives what it
  /// has by bin.
  std::vector<std::int64_t> leave_out(const Objective& objective,
                                      std::span<const std::int32_t> cell, const Rival& rival) {
    std::vector<std::int64_t> sums = by_bin(objective, cell, k_);
    std::vector<std::uint8_t> out(sums.size());
    for (std::size_t b = 0; b < sums.size(); ++b) out[b] = sums[b] >= rival.enough ? 1 : 0;
    if (barred_[at(cell[k_])] == 0 && is_other(cell)) out[at(cell[k_])] = 1;
    grown_.leave_out([&](std::size_t b) { return out[at(local_bin_[b])] != 0; });
    bar();
    return sums;
  }

  /// Climbs with one bin. Whether it was left out by that.
  [[nodiscard]] bool climbed(const Objective& objective, const Rival& rival, std::size_t bin) {
    std::vector<std::int32_t> cell(local_.features().size(), 0);
    std::int64_t most = std::numeric_limits<std::int64_t>::min();
    for (const Start& start : starts_) {
      if (start.sums[bin] <= most) continue;
      cell = start.cell;
      most = start.sums[bin];
    }
    cell[k_] = static_cast<std::int32_t>(bin);
    const std::vector<std::uint8_t> others(barred_.size(), 1);
    if (climb(objective, cell, rival.enough, {k_, others}) < rival.target) return false;
    if (!is_other(cell)) return false;
    leave_out(objective, cell, rival);
    return true;
  }

  const Local& local_;
  std::size_t k_;
  Grown& grown_;
  std::int32_t label_;
  Adverse& adverse_;
  bool proven_ = true;
  std::vector<Start> starts_;
  std::vector<std::uint8_t> is_own_;   // by local bin: has some of the side's own
  std::vector<std::size_t> distance_;  // by local bin: from its own bins
  std::vector<double> sums_;
  std::vector<std::int32_t> local_bin_;
  std::vector<std::uint8_t> barred_;
};

}  // namespace

bool grow(const Sum& sum, Box& box, std::size_t f, std::span<const std::uint8_t> within,
          std::int32_t label, Watch& watch, Adverse& adverse) {
  const std::size_t first = sum.first_bin(f);
  const std::size_t width = at(sum.width(f));
  Box wide = box;
  for (std::size_t b = first; b < first + width; ++b) wide[b] = box[b] | (within[b] != 0 ? 1 : 0);
  Grown grown(sum, f, std::span(box).subspan(first, width), std::span(wide).subspan(first, width));
  std::ranges::copy(grown.inside(), wide.begin() + static_cast<std::ptrdiff_t>(first));
  bool proven = true;
  if (grown.grows()) {
    const Local local(sum, wide);
    for (std::size_t k = 0; k < local.features().size(); ++k) {
      if (local.features()[k].feature != f) continue;  // else no tree tells its bins apart
      Growing growing(local, k, grown, label, adverse);
      for (const Rival& rival : rivals(sum, label)) growing.against(rival, watch);
      proven = growing.proven();
    }
  }
  std::ranges::copy(grown.finished(), box.begin() + static_cast<std::ptrdiff_t>(first));
  return proven;
}

Reasons::Reasons(const Sum& sum, std::span<const std::uint8_t> box, std::int32_t label,
                 Watch& watch)
    : sum_(sum),
      box_(box),
      label_(label),
      watch_(watch),
      rivals_(rivals(sum, label)),
      sums_(sum.n_scores()) {
  for (std::size_t f = 0; f < sum.n_features(); ++f) {
    std::vector<std::int32_t> own;
    for (std::int32_t b = 0; b < sum.width(f); ++b) {
      if (has(f, b)) own.push_back(b);
    }
    row_.push_back(own[own.size() / 2]);
    if (own.size() < at(sum.width(f))) order_.push_back(f);
  }
  find_order();
}

void Reasons::find_order() {
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::vector<std::int64_t> most(sum_.n_features(), least);
  const Box everything(sum_.n_bins(), 1);
  const Local local(sum_, everything);
  const std::vector<std::int32_t> cell = local.near(row_);
  for (const Rival& rival : rivals_) {
    const Objective objective(local, rival.weights);
    for (std::size_t k = 0; k < cell.size(); ++k) {
      const std::int64_t top = std::ranges::max(by_bin(objective, cell, k)) - rival.target;
      std::int64_t& own = most[local.features()[k].feature];
      own = std::max(own, top);
    }
  }
  std::ranges::stable_sort(order_, {}, [&](std::size_t f) { return most[f]; });
}

Box Reasons::keeping(std::span<const std::uint8_t> kept) const {
  Box out(box_.size(), 1);
  for (std::size_t f = 0; f < kept.size(); ++f) {
    const auto first = static_cast<std::ptrdiff_t>(sum_.first_bin(f));
    if (kept[f] != 0) std::copy_n(box_.begin() + first, sum_.width(f), out.begin() + first);
  }
  return out;
}

bool Reasons::is_other(Cell cell) {
  if (replay(sum_, cell, sums_) == label_ || !sum_.possible(cell)) return false;
  adverse_.add(std::move(cell));
  return true;
}

/// Whether a box is proven to have the class only. `found_`: it is not, as `adverse_` shows.
bool Reasons::certain(const Box& box) {
  const Local local(sum_, box);
  std::vector<Goal> left;
  found_ = true;
  for (const Rival& rival : rivals_) {
    Objective objective(local, rival.weights);
    if (objective.bound() < rival.target) continue;
    std::vector<std::int32_t> cell = local.near(adverse_.cells().empty() ? row_ : adverse_.last());
    climb(objective, cell, rival.enough);
    if (is_other(local.cell(cell))) return false;
    left.push_back({std::move(objective), rival.target});
  }
  for (Goal& goal : left) {
    std::vector<Goal> goals{std::move(goal)};
    Search search(local, goals, watch_, [&](std::span<const std::int32_t> cell) {
      return is_other(local.cell(cell)) ? Worth::found : Worth::other;
    });
    const Ending ending = search.run();
    found_ = ending == Ending::found;
    if (ending != Ending::none) return false;
  }
  return true;
}

/// How many of some features, from the first on, cannot all be left out: up to the last in which
/// the completion that was found differs from the box, which is made to differ in few.
std::size_t Reasons::last_apart(std::span<const std::size_t> some) {
  if (!found_) return some.size();
  for (std::size_t n = some.size(); n > 1; --n) {
    const std::size_t f = some[n - 1];
    if (has(f, adverse_.last()[f])) continue;
    Cell nearer = adverse_.last();
    nearer[f] = row_[f];
    if (!is_other(std::move(nearer))) return n;
  }
  return 1;
}

void Reasons::shrink(std::vector<std::uint8_t>& kept) {
  std::vector<std::size_t> todo;
  std::ranges::copy_if(order_, std::back_inserter(todo), [&](std::size_t f) { return kept[f]; });
  const auto without = [&](std::size_t begin, std::size_t end) {
    static_cast<void>(watch_.up());  // lets Ctrl-C through
    std::vector<std::uint8_t> less = kept;
    for (std::size_t i = begin; i < end; ++i) less[todo[i]] = 0;
    return certain(keeping(less));
  };
  const auto leave_out = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) kept[todo[i]] = 0;
  };
  const auto apart = [&](std::size_t begin, std::size_t end) {
    return begin + last_apart(std::span(todo).subspan(begin, end - begin));
  };
  std::size_t i = 0;
  std::size_t step = 1;
  while (i < todo.size()) {
    std::size_t end = std::min(i + step, todo.size());
    if (without(i, end)) {
      leave_out(i, end);
      i = end;
      step *= 2;
      continue;
    }
    std::size_t low = i;
    end = apart(i, end);
    while (end - low > 1) {  // those up to `low` can be left out, those up to `end` cannot
      const std::size_t middle = low + (end - low) / 2;
      if (without(i, middle)) {
        low = middle;
      } else {
        end = apart(i, middle);
      }
    }
    leave_out(i, low);
    i = end;
    step = 1;
  }
}

Box Reasons::widen(std::span<const std::uint8_t> kept, std::size_t most_nodes) {
  Box box = keeping(kept);
  const Box everything(box.size(), 1);
  std::size_t nodes = most_nodes;
  for (std::size_t i = order_.size(); i-- > 0;) {
    const std::size_t f = order_[i];
    if (kept[f] == 0) continue;
    static_cast<void>(watch_.up());  // lets Ctrl-C through
    watch_.at_most(nodes);
    const bool proven = grow(sum_, box, f, everything, label_, watch_, adverse_);
    if (most_nodes != 0) {  // where one search is too long, the next is likely to be
      nodes = proven ? std::min(most_nodes, 2 * nodes) : std::max<std::size_t>(1, nodes / 4);
    }
  }
  watch_.at_most(0);
  return box;
}

}  // namespace orderless::ensembles
