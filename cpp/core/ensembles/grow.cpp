#include "core/ensembles/grow.hpp"

#include <algorithm>
#include <utility>

#include "core/ensembles/evaluate.hpp"
#include "core/ensembles/rivals.hpp"
#include "core/ensembles/search.hpp"

namespace orderless::ensembles {

namespace {

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
  /// Cuts an ordered side down to the numbers that follow on its own without a gap, and NaN; the
  /// longest run, where its own is NaN alone.
  void join() {
    if (!sum_.feature(f_).ordered) return;
    const auto numbers = at(sum_.feature(f_).n_bins);
    std::size_t first = 0;
    while (first < numbers && own_[first] == 0) ++first;
    std::size_t best = 0, length = 0;
    for (std::size_t b = 0; b < numbers; ++b) {
      if (inside_[b] == 0) continue;
      std::size_t end = b;
      while (end < numbers && inside_[end] != 0) ++end;
      const bool around = first < numbers ? b <= first && first < end : end - b > length;
      if (around) {
        best = b;
        length = end - b;
      }
      b = end;
    }
    for (std::size_t b = 0; b < numbers; ++b) {
      const bool kept = b >= best && b < best + length;
      if (!kept && own_[b] == 0) inside_[b] = 0;
    }
  }

  const Sum& sum_;
  std::size_t f_;
  Box own_, inside_;
};

/// The same for the local bins of a box that has the side as wide as it may become.
class Growing {
 public:
  Growing(const Local& local, std::size_t k, Grown& grown, std::int32_t label, Cell& adverse)
      : local_(local),
        k_(k),
        grown_(grown),
        label_(label),
        adverse_(adverse),
        sums_(local.sum().n_scores()) {
    const std::size_t width = at(local.features()[k].width);
    barred_.resize(width);
    for (std::size_t b = 0; b < grown.inside().size(); ++b) {
      local_bin_.push_back(local.bin_of(k, static_cast<std::int32_t>(b)));
    }
    bar();
  }

  /// Leaves out what a rival can have, as far as that is found out.
  void against(const Rival& rival, Watch& watch) {
    std::vector<Goal> goals;
    goals.push_back({Objective(local_, rival.weights), rival.target});
    const Objective& objective = goals[0].objective;
    if (objective.bound() < rival.target) return;
    if (!adverse_.empty()) leave_out(objective, local_.near(adverse_), rival);
    while (grown_.grows() && climbed(objective, rival)) {
    }
    if (!grown_.grows()) return;
    watch.begin_search();
    Search search(
        local_, goals, watch,
        [&](std::span<const std::int32_t> cell) {
          if (!is_other(cell)) return Worth::other;
          leave_out(objective, cell, rival);
          return Worth::better;
        },
        {k_, barred_});
    if (search.run() == Ending::none) return;
    grown_.leave_out([&](std::size_t b) { return !search.ruled_out(k_, at(local_bin_[b])); });
    bar();
  }

 private:
  void bar() {
    std::ranges::fill(barred_, 1);
    for (std::size_t b = 0; b < local_bin_.size(); ++b) {
      if (grown_.inside()[b] != 0 && !grown_.is_own(b)) barred_[at(local_bin_[b])] = 0;
    }
    for (std::size_t b = 0; b < local_bin_.size(); ++b) {
      if (grown_.is_own(b)) barred_[at(local_bin_[b])] = 1;  // what is not told apart from it
    }
  }

  [[nodiscard]] bool is_other(std::span<const std::int32_t> cell) {
    Cell whole = local_.cell(cell);
    if (replay(local_.sum(), whole, sums_) == label_) return false;
    adverse_ = std::move(whole);
    return true;
  }

  /// Leaves out the bins with which a cell reaches what is enough for another class.
  void leave_out(const Objective& objective, std::span<const std::int32_t> cell,
                 const Rival& rival) {
    const std::vector<std::int64_t> sums = by_bin(objective, cell, k_);
    std::vector<std::uint8_t> out(sums.size());
    for (std::size_t b = 0; b < sums.size(); ++b) out[b] = sums[b] >= rival.enough ? 1 : 0;
    if (barred_[at(cell[k_])] == 0 && is_other(cell)) out[at(cell[k_])] = 1;
    grown_.leave_out([&](std::size_t b) { return out[at(local_bin_[b])] != 0; });
    bar();
  }

  /// Climbs among the bins that are left. Whether some were left out by that.
  [[nodiscard]] bool climbed(const Objective& objective, const Rival& rival) {
    const auto open = std::ranges::find(barred_, 0);
    if (open == barred_.end()) return false;
    std::vector<std::int32_t> cell =
        adverse_.empty() ? std::vector<std::int32_t>(local_.features().size(), 0)
                         : local_.near(adverse_);
    const std::vector<std::int64_t> sums = by_bin(objective, cell, k_);
    std::size_t best = static_cast<std::size_t>(open - barred_.begin());
    for (std::size_t b = best; b < sums.size(); ++b) {
      if (barred_[b] == 0 && sums[b] > sums[best]) best = b;
    }
    cell[k_] = static_cast<std::int32_t>(best);
    if (climb(objective, cell, rival.enough, {k_, barred_}) < rival.target) return false;
    if (!is_other(cell)) return false;
    leave_out(objective, cell, rival);
    return true;
  }

  const Local& local_;
  std::size_t k_;
  Grown& grown_;
  std::int32_t label_;
  Cell& adverse_;
  std::vector<double> sums_;
  std::vector<std::int32_t> local_bin_;
  std::vector<std::uint8_t> barred_;
};

}  // namespace

void grow(const Sum& sum, Box& box, std::size_t f, std::span<const std::uint8_t> within,
          std::int32_t label, Watch& watch, Cell& adverse) {
  const std::size_t first = sum.first_bin(f);
  const std::size_t width = at(sum.width(f));
  Box wide = box;
  for (std::size_t b = first; b < first + width; ++b) wide[b] = box[b] | (within[b] != 0 ? 1 : 0);
  Grown grown(sum, f, std::span(box).subspan(first, width), std::span(wide).subspan(first, width));
  std::ranges::copy(grown.inside(), wide.begin() + static_cast<std::ptrdiff_t>(first));
  if (grown.grows()) {
    const Local local(sum, wide);
    for (std::size_t k = 0; k < local.features().size(); ++k) {
      if (local.features()[k].feature != f) continue;  // else no tree tells its bins apart
      Growing growing(local, k, grown, label, adverse);
      for (const Rival& rival : rivals(sum, label)) growing.against(rival, watch);
    }
  }
  std::ranges::copy(grown.inside(), box.begin() + static_cast<std::ptrdiff_t>(first));
}

}  // namespace orderless::ensembles
