#include "core/reasons/canonical.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "core/base/errors.hpp"
#include "core/reasons/boundaries.hpp"

namespace orderless::reasons {

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
