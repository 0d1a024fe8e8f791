#include "core/ensembles/grow.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/ensembles/evaluate.hpp"
#include "core/ensembles/rivals.hpp"
#include "core/ensembles/search.hpp"

namespace orderless::ensembles {

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

}  // namespace orderless::ensembles
