#include "core/overlay.hpp"

#include <algorithm>
#include <bit>

namespace orderless {

namespace {

/// Calls `on_pair(leaf of a, leaf of b, box)` for all leaves that meet, until it returns false.
template <class OnPair>
void overlay(const TreeView& a, const TreeView& b, std::span<const Domain> domains, Poll poll,
             OnPair&& on_pair) {
  Box box = whole(domains);
  std::size_t pairs = 0;
  walk_box(a, domains, box, [&](std::int32_t leaf_a) {
    return walk_box(b, domains, box, [&](std::int32_t leaf_b) {
      if (++pairs % 65536 == 0) poll();
      return on_pair(a.leaf_class[static_cast<std::size_t>(leaf_a)],
                     b.leaf_class[static_cast<std::size_t>(leaf_b)], box);
    });
  });
}

}  // namespace

std::optional<Difference> first_difference(const TreeView& a, const TreeView& b,
                                           std::span<const Domain> domains, Poll poll) {
  std::optional<Difference> found;
  overlay(a, b, domains, poll, [&](std::int32_t class_a, std::int32_t class_b, const Box& box) {
    if (class_a == class_b) return true;
    found = Difference{box, class_a, class_b};
    return false;
  });
  return found;
}

double share_of_difference(const TreeView& a, const TreeView& b, std::span<const Domain> domains,
                           std::span<const std::vector<double>> cuts, Poll poll) {
  const auto share = [&](std::size_t f, const Side& side) {
    const Domain& domain = domains[f];
    if (!domain.ordered) {
      std::size_t n = 0;
      for (const std::uint64_t word : side.bits) n += static_cast<std::size_t>(std::popcount(word));
      return static_cast<double>(n) / static_cast<double>(domain.n_values);
    }
    const std::vector<double>& cut = cuts[f];
    const auto rank = [&](double x) {  // bins that end at or before x
      if (x >= domain.upper) return static_cast<std::ptrdiff_t>(cut.size()) + 1;
      return std::upper_bound(cut.begin(), cut.end(), x) - cut.begin();
    };
    std::ptrdiff_t n = side.lower < side.upper ? rank(side.upper) - rank(side.lower) : 0;
    n += side.nan ? 1 : 0;
    return static_cast<double>(n) / static_cast<double>(cut.size() + 1 + (domain.nan ? 1 : 0));
  };
  std::vector<std::size_t> used;
  for (std::size_t f = 0; f < domains.size(); ++f) {
    const auto is_f = [f](std::int32_t g) { return g == static_cast<std::int32_t>(f); };
    if (std::any_of(a.feature.begin(), a.feature.end(), is_f) ||
        std::any_of(b.feature.begin(), b.feature.end(), is_f)) {
      used.push_back(f);
    }
  }
  double total = 0;
  overlay(a, b, domains, poll, [&](std::int32_t class_a, std::int32_t class_b, const Box& box) {
    if (class_a != class_b) {
      double weight = 1;
      for (const std::size_t f : used) weight *= share(f, box[f]);
      total += weight;
    }
    return true;
  });
  return total;
}

}  // namespace orderless
