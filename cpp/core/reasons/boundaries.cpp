#include "core/reasons/boundaries.hpp"

#include <algorithm>
#include <utility>

#include "core/base/field.hpp"

namespace orderless::reasons {

namespace {

class Finder {
 public:
  Finder(const Region& region, const Slices& slices, Work& work)
      : region_(region), slices_(slices), work_(work), events_(slices.axes().size()) {}

  [[nodiscard]] std::vector<View> run() {
    for (const Axis& axis : slices_.axes()) views_.push_back(view(axis));
    find_touching();
    for (std::size_t k = 0; k < touching_.size(); ++k) {
      for (const std::vector<Touch>& touching : touching_[k]) {
        follow(touching);
        views_[k].share.push_back(share(touching));
      }
    }
    return std::move(views_);
  }

 private:
  static View view(const Axis& axis) {
    View out;
    if (axis.ordered) {
      out.cut_at.assign(axis.n_numbers, -1);
      for (std::size_t p = 0; p + 1 < axis.n_numbers; ++p) {
        if (axis.slice[p] == axis.slice[p + 1]) continue;
        out.cut_at[p] = static_cast<std::int32_t>(out.cuts.size());
        out.cuts.push_back(p);
      }
      out.nan_apart = axis.nan && axis.n_numbers > 0 &&
                      axis.slice[axis.n_numbers - 1] != axis.slice[axis.n_numbers];
      return out;
    }
    std::map<std::uint64_t, std::size_t> known;
    for (std::size_t p = 0; p < axis.size(); ++p) {
      const auto [found, is_new] = known.try_emplace(axis.slice[p], known.size());
      if (is_new) out.leader.push_back(p);
      out.group.push_back(found->second);
    }
    return out;
  }

  /// A fragment that has one of the two bins beside a boundary.
  struct Touch {
    std::size_t fragment;
    std::size_t limit;
    bool before;  // whether it is the bin before the boundary
  };

  void find_touching() {
    for (const View& view : views_) touching_.emplace_back(view.n_boundaries());
    for (std::size_t i = 0; i < region_.fragments.size(); ++i) {
      const Fragment& fragment = region_.fragments[i];
      for (std::size_t l = 0; l < fragment.limits.size(); ++l) {
        const std::size_t k = slices_.axis_of(fragment.limits[l].feature);
        touch(slices_.axes()[k], views_[k], fragment.limits[l].side, touching_[k], {i, l, false});
      }
    }
  }

  static void touch(const Axis& axis, const View& view, const BinSide& side,
                    std::vector<std::vector<Touch>>& out, Touch own) {
    const auto put = [&](std::size_t boundary, bool before) {
      own.before = before;
      out[boundary].push_back(own);
    };
    if (!axis.ordered) {
      for (std::size_t g = 0; g + 1 < view.leader.size(); ++g) {
        const bool before = side.has(axis.bins[view.leader[g]]);
        if (before != side.has(axis.bins[view.leader[g + 1]])) put(g, before);
      }
      return;
    }
    const bool numbers = side.lo <= side.hi;
    const std::int32_t last = axis.first + static_cast<std::int32_t>(axis.n_numbers) - 1;
    if (numbers && side.lo > axis.first) {
      const std::int32_t cut = view.cut_at[at(side.lo - axis.first) - 1];
      if (cut >= 0) put(at(cut), false);
    }
    if (numbers && side.hi < last) {
      const std::int32_t cut = view.cut_at[at(side.hi - axis.first)];
      if (cut >= 0) put(at(cut), true);
    }
    const bool has_last = numbers && side.hi == last;
    if (view.nan_apart && has_last != side.nan) put(view.cuts.size(), has_last);
  }

  /// What one fragment adds to the difference across a boundary, by positions of another axis.
  struct Event {
    const BinSide* side;
    std::uint64_t slice;  // in each slice that it is in
    std::uint64_t whole;  // over all positions
  };

  /// Finds, along every other axis, the positions at which a boundary matters.
  void follow(const std::vector<Touch>& touching) {
    std::uint64_t total = 0;
    seen_.clear();
    for (const Touch& touch : touching) {
      const Fragment& fragment = region_.fragments[touch.fragment];
      const std::vector<std::uint64_t>& weights = slices_.weights(touch.fragment);
      const std::uint64_t value = slices_.value(fragment.label);
      after_.assign(weights.size() + 1, 1);
      for (std::size_t i = weights.size(); i-- > 0;) {
        after_[i] = i == touch.limit ? after_[i + 1] : Field::multiply(after_[i + 1], weights[i]);
      }
      work_.add(weights.size());
      std::uint64_t before = touch.before ? value : Field::subtract(0, value);
      for (std::size_t i = 0; i < weights.size(); ++i) {
        if (i == touch.limit) continue;
        const std::size_t k = slices_.axis_of(fragment.limits[i].feature);
        if (events_[k].empty()) seen_.push_back(k);
        const std::uint64_t slice = Field::multiply(before, after_[i + 1]);
        events_[k].push_back({&fragment.limits[i].side, slice, Field::multiply(slice, weights[i])});
        before = Field::multiply(before, weights[i]);
      }
      total = Field::add(total, before);
    }
    for (const std::size_t k : seen_) {
      std::uint64_t everywhere = total;  // of fragments that are not limited on this axis
      for (const Event& event : events_[k]) everywhere = Field::subtract(everywhere, event.whole);
      const bool less =
          slices_.axes()[k].ordered ? reach_of(k, everywhere) : groups_of(k, everywhere);
      views_[k].n_reach += less ? 1 : 0;
      events_[k].clear();
    }
  }

  /// The share of the cells beside a boundary across which the function differs, if all bins are
  /// equally likely.
  [[nodiscard]] double share(const std::vector<Touch>& touching) const {
    double sum = 0;
    for (const Touch& a : touching) {
      if (!a.before) continue;
      work_.add(touching.size());
      for (const Touch& b : touching) {
        if (!b.before) sum += share(a, b);
      }
    }
    return sum;
  }

  [[nodiscard]] double share(const Touch& a, const Touch& b) const {
    const Fragment& one = region_.fragments[a.fragment];
    const Fragment& other = region_.fragments[b.fragment];
    if (one.label == other.label) return 0;
    double product = 1;
    std::size_t i = 0, j = 0;
    while (i < one.limits.size() || j < other.limits.size()) {
      const bool from_one =
          j == other.limits.size() ||
          (i < one.limits.size() && one.limits[i].feature <= other.limits[j].feature);
      const bool from_other =
          i == one.limits.size() ||
          (j < other.limits.size() && other.limits[j].feature <= one.limits[i].feature);
      const Fragment::Limit& limit = from_one ? one.limits[i] : other.limits[j];
      if (i != a.limit || !from_one) {
        const Axis& axis = slices_.axes()[slices_.axis_of(limit.feature)];
        product *= from_one && from_other ? axis.share(meet(limit.side, other.limits[j].side))
                                          : axis.share(limit.side);
        if (product == 0) return 0;
      }
      i += from_one ? 1 : 0;
      j += from_other ? 1 : 0;
    }
    return product;
  }

  /// Whether it is not everywhere.
  [[nodiscard]] bool reach_of(std::size_t k, std::uint64_t everywhere) {
    const Axis& axis = slices_.axes()[k];
    std::uint64_t missing = everywhere;
    changes_.clear();
    for (const Event& event : events_[k]) {
      if (event.side->nan) missing = Field::add(missing, event.slice);
      if (event.side->lo > event.side->hi) continue;
      changes_.emplace_back(event.side->lo - axis.first, event.slice);
      changes_.emplace_back(event.side->hi - axis.first + 1, Field::subtract(0, event.slice));
    }
    std::sort(changes_.begin(), changes_.end());
    changes_.emplace_back(static_cast<std::int32_t>(axis.n_numbers), 0);
    Reach out;
    std::int32_t from = 0;
    std::uint64_t here = everywhere;
    for (const auto& [position, change] : changes_) {
      if (position > from && here != 0) {
        if (out.last < 0) out.first = from;
        out.last = position - 1;
      }
      from = std::max(from, position);
      here = Field::add(here, change);
    }
    out.nan = axis.nan && missing != 0;
    const bool all = out.first == 0 && out.last + 1 == static_cast<std::int32_t>(axis.n_numbers);
    if (all && out.nan == axis.nan) return false;
    views_[k].reach.push_back(out);
    return true;
  }

  [[nodiscard]] bool groups_of(std::size_t k, std::uint64_t everywhere) {
    const Axis& axis = slices_.axes()[k];
    View& view = views_[k];
    Groups out((view.leader.size() + 63) / 64, 0);
    std::size_t n = 0;
    for (std::size_t g = 0; g < view.leader.size(); ++g) {
      std::uint64_t here = everywhere;
      for (const Event& event : events_[k]) {
        if (event.side->has(axis.bins[view.leader[g]])) here = Field::add(here, event.slice);
      }
      if (here == 0) continue;
      out[g / 64] |= std::uint64_t{1} << (g % 64);
      ++n;
    }
    if (n == view.leader.size()) return false;
    ++view.sets[out];
    return true;
  }

  const Region& region_;
  const Slices& slices_;
  Work& work_;
  std::vector<View> views_;                                // by axis
  std::vector<std::vector<std::vector<Touch>>> touching_;  // by axis and boundary

  // Of the boundary at hand.
  std::vector<std::vector<Event>> events_;  // by axis
  std::vector<std::size_t> seen_;           // axes with events
  std::vector<std::uint64_t> after_;
  std::vector<std::pair<std::int32_t, std::uint64_t>> changes_;
};

}  // namespace

std::vector<View> boundaries(const Region& region, const Slices& slices, Work& work) {
  return Finder(region, slices, work).run();
}

}  // namespace orderless::reasons
