#include "core/bins/questions.hpp"

#include <algorithm>

namespace orderless {

namespace {

using Id = Residuals::Id;
using Mask = Residuals::Mask;

constexpr std::size_t most_groups = 12;  // all sets of so many groups of bins are tried

void ask_cuts(Residuals& residuals, Id tree, const Residuals::Live& live, Questions& out) {
  const std::size_t f = at(live.feature);
  const std::int32_t n_bins = residuals.features()[f].n_bins;
  const std::size_t before = out.list.size();
  for (std::int32_t c = 0; c < n_bins - 1; ++c) {
    const std::size_t bit = residuals.first_cut(f) + at(c);
    if ((residuals.cuts(tree)[bit / 64] >> (bit % 64) & 1U) == 0) continue;
    if (live.side == 0) {
      out.list.push_back({live.feature, c, 2});
    } else {
      out.list.push_back({live.feature, c, 1});
      out.list.push_back({live.feature, c, 0});
    }
  }
  if (live.side == 0) return;
  const bool differs =
      out.list.size() > before || !residuals.same(residuals.slice(tree, live.feature, n_bins),
                                                  residuals.numbers(tree, live.feature));
  if (differs) out.list.push_back({live.feature, n_bins - 1, 0});
}

/// Asks for sets of whole groups.
class Sets {
 public:
  Sets(Residuals& residuals, Id tree, const Residuals::Live& live, Questions& out)
      : residuals_(residuals), live_(live), out_(out), groups_(groups_of(residuals, tree, live)) {
    if (groups_.size() < 2) return;
    if (groups_.size() <= most_groups) {
      all();
    } else {
      some(tree);
      out.complete = false;
    }
  }

 private:
  template <class Chosen>
  [[nodiscard]] Mask join(Chosen&& chosen) const {
    Mask yes(groups_[0].size(), 0);
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (!chosen(g)) continue;
      for (std::size_t w = 0; w < yes.size(); ++w) yes[w] |= groups_[g][w];
    }
    return yes;
  }

  void ask(const Mask& yes) {
    Mask no = residuals_.mask(live_.side);
    for (std::size_t w = 0; w < no.size(); ++w) no[w] &= ~yes[w];
    out_.list.push_back({live_.feature, residuals_.mask_of(yes), residuals_.mask_of(no)});
  }

  /// The side of the first group holds, so each pair of sides is there once.
  void all() {
    const std::size_t n_sets = (std::size_t{1} << (groups_.size() - 1)) - 1;
    for (std::size_t set = 0; set < n_sets; ++set) {
      ask(join([set](std::size_t g) { return g == 0 || (set >> (g - 1) & 1U) != 0; }));
    }
  }

  /// Single groups, and what the tree asks for.
  void some(Id tree) {
    for (const Mask& group : groups_) ask(group);
    std::vector<Id> todo{tree};
    std::vector<Mask> seen = groups_;
    while (!todo.empty()) {
      const Residuals::Node node = residuals_.node(todo.back());
      todo.pop_back();
      if (node.feature < 0) continue;
      for (const Id child : {node.no, node.yes}) {
        if (residuals_.has(child, live_.feature)) todo.push_back(child);
      }
      if (node.feature != live_.feature) continue;
      const Mask& asked = residuals_.mask(node.a);
      const Mask yes = join([&](std::size_t g) {
        for (std::size_t w = 0; w < asked.size(); ++w) {
          if ((groups_[g][w] & asked[w]) != 0) return true;
        }
        return false;
      });
      if (yes == residuals_.mask(live_.side)) continue;
      if (std::find(seen.begin(), seen.end(), yes) != seen.end()) continue;
      seen.push_back(yes);
      ask(yes);
    }
  }

  Residuals& residuals_;
  const Residuals::Live& live_;
  Questions& out_;
  std::vector<Mask> groups_;
};

}  // namespace

std::vector<Mask> groups_of(Residuals& residuals, Id tree, const Residuals::Live& live) {
  std::vector<Mask> groups;
  std::vector<Id> slices;
  const Mask mask = residuals.mask(live.side);
  for (std::int32_t b = 0; b < residuals.features()[at(live.feature)].n_bins; ++b) {
    if ((mask[at(b) / 64] >> (at(b) % 64) & 1U) == 0) continue;
    const Id slice = residuals.slice(tree, live.feature, b);
    std::size_t g = 0;
    while (g < slices.size() && !residuals.same(slice, slices[g])) ++g;
    if (g == slices.size()) {
      slices.push_back(slice);
      groups.emplace_back(mask.size(), 0);
    }
    groups[g][at(b) / 64] |= std::uint64_t{1} << (at(b) % 64);
  }
  return groups;
}

Questions questions(Residuals& residuals, Id tree) {
  Questions out;
  for (const Residuals::Live& live : residuals.live(tree)) {
    if (residuals.features()[at(live.feature)].ordered) {
      ask_cuts(residuals, tree, live, out);
    } else {
      Sets(residuals, tree, live, out);
    }
  }
  return out;
}

std::vector<std::int32_t> counted_bins(Residuals& residuals) {
  std::vector<std::int32_t> counted(residuals.features().size(), 0);
  for (const Residuals::Live& live : residuals.live(residuals.root())) {
    if (residuals.features()[at(live.feature)].ordered) continue;
    Residuals::Mask first(residuals.mask(live.side).size(), 0);
    for (const Residuals::Mask& group : groups_of(residuals, residuals.root(), live)) {
      for (std::size_t w = 0; w < group.size(); ++w) {
        if (group[w] == 0) continue;
        first[w] |= group[w] & (~group[w] + 1);
        break;
      }
    }
    counted[at(live.feature)] = residuals.mask_of(first);
  }
  return counted;
}

}  // namespace orderless
