#include "core/reasons/canonical.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/base/errors.hpp"
#include "core/base/field.hpp"
#include "core/bins/bins.hpp"
#include "core/bins/fragments.hpp"

namespace orderless::reasons {

/// Where a boundary of another feature matters, seen along one axis. Ordered: from the first to the
/// last position, and NaN.
struct Reach {
  std::int32_t first = 0;
  std::int32_t last = -1;
  bool nan = false;
};

using Groups = std::vector<std::uint64_t>;  // a set of groups of values

/// What is known of one axis: the boundaries on it that matter, and those of others along it.
struct View {
  std::vector<std::size_t> cuts;        // ordered: positions p, the boundary being after p
  std::vector<std::int32_t> cut_at;     // by position its number in `cuts`, or -1
  bool nan_apart = false;               // ordered: whether NaN differs from the last number
  std::vector<std::size_t> group;       // unordered: by position
  std::vector<std::size_t> leader;      // by group its first position
  std::vector<Reach> reach;             // ordered: of boundaries of others, where not everywhere
  std::map<Groups, std::int32_t> sets;  // unordered: likewise, and how many reach just there
  std::int32_t n_reach = 0;
  std::vector<double> share;  // by boundary the share of cells beside it where it matters

  [[nodiscard]] std::size_t n_boundaries() const {
    return leader.empty() ? cuts.size() + (nan_apart ? 1 : 0) : leader.size() - 1;
  }
};

/// By axis, the boundaries between bins of a region that matter to the function, each seen along
/// all other axes. Cost: per boundary the fragments beside it x squared number of their limits, and
/// for the shares the pairs of such fragments.
[[nodiscard]] std::vector<View> boundaries(const Region& region, const Slices& slices, Work& work);

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

namespace {

constexpr std::uint64_t seed = 3;
constexpr std::size_t most_sets = 64;  // sets of values that are tried beside single groups

bool some(const Groups& a, const Groups& b, bool inside) {
  for (std::size_t w = 0; w < a.size(); ++w) {
    if ((a[w] & (inside ? b[w] : ~b[w])) != 0) return true;
  }
  return false;
}

struct Choice {
  std::int64_t left = 0;   // boundaries that are left to both sides
  double share = 0;        // of the cells beside its boundaries across which the function differs
  std::int64_t worse = 0;  // boundaries that are left to the worse side
  std::uint32_t feature = 0;
  BinSide yes;
  std::int32_t cut = -1;
  bool nan_true = false;
};

/// Looks for the question to ask in one region.
class Chooser {
 public:
  Chooser(const Region& region, const std::vector<BinFeature>& features, Work& work)
      : region_(region),
        features_(features),
        slices_(region, features, seed),
        views_(boundaries(region, slices_, work)) {}

  [[nodiscard]] Choice choose() {
    for (const View& view : views_) total_ += static_cast<std::int64_t>(view.n_boundaries());
    for (std::size_t k = 0; k < views_.size(); ++k) {
      if (views_[k].n_boundaries() == 0) continue;
      slices_.axes()[k].ordered ? ask_cuts(k) : ask_sets(k);
    }
    if (!best_) throw std::logic_error("two functions have one fingerprint");
    return std::move(*best_);
  }

 private:
  [[nodiscard]] static bool better(const Choice& a, const Choice& b) {
    if (a.left != b.left) return a.left < b.left;
    // Sums of products of shares: rounding, which depends on the tree, must not decide.
    if (std::abs(a.share - b.share) > 1e-9 * (a.share + b.share)) return a.share > b.share;
    return a.worse < b.worse;
  }

  /// Offers a question that leaves so many boundaries to its two sides. Boundaries of others that
  /// matter everywhere on the axis are left to both.
  void offer(std::size_t k, std::int64_t yes, std::int64_t no, Choice choice) {
    const View& view = views_[k];
    const std::int64_t both =
        total_ - static_cast<std::int64_t>(view.n_boundaries()) - view.n_reach;
    choice.left = yes + no + 2 * both;
    choice.worse = std::max(yes, no) + both;
    choice.feature = slices_.axes()[k].feature;
    if (!best_ || better(choice, *best_)) best_ = std::move(choice);
  }

  void ask_cuts(std::size_t k) {
    const Axis& axis = slices_.axes()[k];
    const View& view = views_[k];
    // Boundaries of others by the first and the last position that they reach; apart those that
    // reach NaN, which they follow where it goes.
    std::vector<std::int64_t> first[2], last[2];
    for (const int nan : {0, 1}) {
      first[nan].assign(axis.n_numbers + 1, 0);
      last[nan].assign(axis.n_numbers + 1, 0);
    }
    std::int64_t n_nan = 0, n_numbers = 0, ended[2] = {0, 0}, above[2] = {0, 0};
    for (const Reach& reach : view.reach) {
      n_nan += reach.nan;
      if (reach.last < 0) continue;
      ++n_numbers;
      ++first[reach.nan][at(reach.first)];
      ++last[reach.nan][at(reach.last)];
      ++above[reach.nan];
    }
    std::size_t p = 0;
    for (std::size_t c = 0; c < view.cuts.size(); ++c) {
      for (; p <= view.cuts[c]; ++p) {
        for (const int nan : {0, 1}) {
          ended[nan] += first[nan][p];
          above[nan] -= last[nan][p];
        }
      }
      const auto own_yes = static_cast<std::int64_t>(c);
      const auto own_no = static_cast<std::int64_t>(view.cuts.size() - c) - 1;
      Choice choice;
      choice.share = view.share[c];
      choice.yes.lo = axis.first;
      choice.yes.hi = choice.cut = axis.first + static_cast<std::int32_t>(view.cuts[c]);
      const std::int64_t low = ended[0] + ended[1];
      const std::int64_t high = above[0] + above[1];
      if (!axis.nan) {
        offer(k, own_yes + low, own_no + high, std::move(choice));
        continue;
      }
      offer(k, own_yes + low, own_no + 1 + n_nan + above[0], choice);
      choice.yes.nan = choice.nan_true = true;
      offer(k, own_yes + 1 + n_nan + ended[0], own_no + high, std::move(choice));
    }
    if (!axis.nan || axis.n_numbers == 0) return;
    Choice known;  // "is it known?"
    known.yes.lo = axis.first;
    known.yes.hi = axis.first + static_cast<std::int32_t>(axis.n_numbers) - 1;
    known.share = view.nan_apart ? view.share.back() : 0;
    known.cut = features_[axis.feature].n_bins - 1;
    offer(k, static_cast<std::int64_t>(view.cuts.size()) + n_numbers, n_nan, std::move(known));
  }

  void ask_sets(std::size_t k) {
    const View& view = views_[k];
    const std::size_t n = view.leader.size();
    std::vector<Groups> asked;
    for (std::size_t g = 0; g < n && (n > 2 || g == 0); ++g) {
      asked.emplace_back((n + 63) / 64, 0);
      asked.back()[g / 64] |= std::uint64_t{1} << (g % 64);
    }
    std::vector<std::pair<std::int32_t, const Groups*>> often;
    often.reserve(view.sets.size());
    for (const auto& [groups, count] : view.sets) often.emplace_back(-count, &groups);
    std::stable_sort(often.begin(), often.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    if (often.size() > most_sets) often.resize(most_sets);
    for (const auto& [_, groups] : often) asked.push_back(*groups);
    for (const Groups& inside : asked) {
      std::int64_t yes = 0, no = 0;
      for (std::size_t g = 0; g < n; ++g) {
        ++((inside[g / 64] >> (g % 64) & 1U) != 0 ? yes : no);
      }
      if (yes == 0 || no == 0) continue;
      --yes;
      --no;
      for (const auto& [groups, count] : view.sets) {
        if (some(groups, inside, true)) yes += count;
        if (some(groups, inside, false)) no += count;
      }
      Choice choice = choice_of(k, inside);
      for (std::size_t g = 0; g + 1 < n; ++g) {
        const auto in = [&](std::size_t i) { return (inside[i / 64] >> (i % 64) & 1U) != 0; };
        if (in(g) != in(g + 1)) choice.share += view.share[g];
      }
      offer(k, yes, no, std::move(choice));
    }
  }

  [[nodiscard]] Choice choice_of(std::size_t k, const Groups& inside) const {
    const Axis& axis = slices_.axes()[k];
    Choice choice;
    choice.yes.bits.assign(region_.sides[axis.feature].bits.size(), 0);
    for (std::size_t p = 0; p < axis.size(); ++p) {
      const std::size_t g = views_[k].group[p];
      if ((inside[g / 64] >> (g % 64) & 1U) == 0) continue;
      choice.yes.bits[at(axis.bins[p]) / 64] |= std::uint64_t{1} << (axis.bins[p] % 64);
    }
    return choice;
  }

  const Region& region_;
  const std::vector<BinFeature>& features_;
  Slices slices_;
  std::vector<View> views_;  // by axis
  std::int64_t total_ = 0;   // boundaries
  std::optional<Choice> best_;
};

std::int32_t write(WrittenTree& out, const Choice* choice, std::int32_t label) {
  const auto number = static_cast<std::int32_t>(out.feature.size());
  out.feature.push_back(choice ? static_cast<std::int32_t>(choice->feature) : -1);
  out.cut.push_back(choice ? choice->cut : -1);
  out.nan_true.push_back(choice && choice->nan_true ? 1 : 0);
  out.when_true.push_back(-1);
  out.when_false.push_back(-1);
  out.leaf_class.push_back(label);
  for (std::size_t b = 0; choice && b < 64 * choice->yes.bits.size(); ++b) {
    const auto bin = static_cast<std::int32_t>(b);
    if (choice->yes.has(bin)) out.set_bins.push_back(bin);
  }
  out.set_start.push_back(static_cast<std::int64_t>(out.set_bins.size()));
  return number;
}

}  // namespace

WrittenTree canonical_tree(const BinTree& tree, const std::vector<BinFeature>& features,
                           std::size_t limit, const PollFunction& poll) {
  struct Hanging {
    Region region;
    std::int32_t parent;
    bool yes;
  };
  WrittenTree out;
  Work work(poll);
  std::vector<Hanging> todo;
  todo.push_back({whole_region(tree, features), -1, true});
  while (!todo.empty()) {
    const Hanging step = std::move(todo.back());
    todo.pop_back();
    if (out.feature.size() >= limit) throw TooMany(out.feature.size());
    const bool leaf = step.region.pure();
    std::optional<Choice> choice;
    work.add(step.region.fragments.size());
    if (!leaf) choice = Chooser(step.region, features, work).choose();
    const std::int32_t number =
        write(out, leaf ? nullptr : &*choice, leaf ? step.region.fragments.front().label : -1);
    if (step.parent >= 0) (step.yes ? out.when_true : out.when_false)[at(step.parent)] = number;
    if (leaf) continue;
    const BinSide& whole = step.region.sides[choice->feature];
    todo.push_back({step.region.part(choice->feature, without(whole, choice->yes)), number, false});
    todo.push_back({step.region.part(choice->feature, choice->yes), number, true});
  }
  return out;
}

}  // namespace orderless::reasons
