#include "core/ensembles/ranges.hpp"

#include <algorithm>
#include <cstddef>

#include "core/ensembles/objective.hpp"

namespace orderless::ensembles {

namespace {

/// The ends of the scores, one score after the other.
struct Ends {
  std::vector<std::int64_t> least, most;

  explicit Ends(std::size_t n) : least(n), most(n) {}
  void add(const Ends& own) {
    for (std::size_t s = 0; s < least.size(); ++s) {
      least[s] += own.least[s];
      most[s] += own.most[s];
    }
  }
  /// Takes a tree's part of the whole out, and that of one bin in.
  void exchange(const Ends& out, const Ends& in) {
    for (std::size_t s = 0; s < least.size(); ++s) {
      least[s] += in.least[s] - out.least[s];
      most[s] += in.most[s] - out.most[s];
    }
  }
  void take(const std::int64_t* values) {
    std::copy_n(values, least.size(), least.begin());
    most = least;
  }
  void join(const Ends& other) {
    for (std::size_t s = 0; s < least.size(); ++s) {
      least[s] = std::min(least[s], other.least[s]);
      most[s] = std::max(most[s], other.most[s]);
    }
  }
  [[nodiscard]] std::int64_t width() const {
    std::int64_t sum = 0;
    for (std::size_t s = 0; s < least.size(); ++s) sum += most[s] - least[s];
    return sum;
  }
};

/// Whether bounds alone leave one class.
bool settled(const Sum& sum, const Ends& ends) {
  if (sum.window() > 0) return false;
  if (sum.rule() == Rule::number) return ends.least[0] == ends.most[0];
  if (sum.rule() == Rule::cuts) {
    return std::ranges::all_of(sum.whole_cuts(), [&](std::int64_t cut) {
      return (ends.least[0] - sum.slack(0) > cut) == (ends.most[0] + sum.slack(0) > cut);
    });
  }
  const std::size_t n = ends.least.size();
  for (std::size_t c = 0; c < n; ++c) {
    bool wins = true;
    for (std::size_t d = 0; d < n && wins; ++d) {
      wins = d == c || ends.least[c] - ends.most[d] > sum.slack(c) + sum.slack(d);
    }
    if (wins) return true;
  }
  return false;
}

/// The ends below each node, and those of one tree by the bins of one feature.
class TreeEnds {
 public:
  explicit TreeEnds(const Local& local) : local_(local), asks_(local.nodes().size(), 0) {
    const Sum& sum = local.sum();
    below_.reserve(asks_.size());
    for (const LocalNode& node : local.nodes()) {  // children come first
      Ends& own = below_.emplace_back(sum.n_scores());
      if (node.feature < 0) {
        own.take(sum.whole(node.cut));
      } else {
        own = below_[at(node.yes)];
        own.join(below_[at(node.no)]);
      }
    }
  }

  [[nodiscard]] const Ends& whole(std::int32_t root) const { return below_[at(root)]; }
  /// A tree's nodes stand before its root, and after the root of the tree before it.
  const std::vector<Ends>& by_bin(std::int32_t first, std::int32_t root, std::size_t f) {
    f_ = static_cast<std::int32_t>(f);
    for (std::int32_t i = first; i <= root; ++i) {
      const LocalNode& node = local_.nodes()[at(i)];
      const bool inner = node.feature >= 0;
      asks_[at(i)] = node.feature == f_ || (inner && (asks_[at(node.yes)] | asks_[at(node.no)]));
    }
    const std::size_t width = at(local_.features()[f].width);
    found_.assign(width, Ends(local_.sum().n_scores()));
    seen_.assign(width, 0);
    walk(root, std::vector<std::uint8_t>(width, 1));
    return found_;
  }

 private:
  void walk(std::int32_t i, const std::vector<std::uint8_t>& inside) {
    const LocalNode& node = local_.nodes()[at(i)];
    if (asks_[at(i)] == 0) {
      for (std::size_t b = 0; b < inside.size(); ++b) {
        if (inside[b] == 0) continue;
        if (seen_[b] == 0) {
          found_[b] = below_[at(i)];
        } else {
          found_[b].join(below_[at(i)]);
        }
        seen_[b] = 1;
      }
    } else if (node.feature != f_) {
      walk(node.yes, inside);
      walk(node.no, inside);
    } else {
      std::vector<std::uint8_t> yes(inside);
      std::vector<std::uint8_t> no(inside);
      for (std::size_t b = 0; b < inside.size(); ++b) {
        (local_.holds(node, static_cast<std::int32_t>(b)) ? no : yes)[b] = 0;
      }
      walk(node.yes, yes);
      walk(node.no, no);
    }
  }

  const Local& local_;
  std::vector<Ends> below_;
  std::vector<std::uint8_t> asks_, seen_;
  std::int32_t f_ = -1;
  std::vector<Ends> found_;
};

}  // namespace

Ranges ranges(const Sum& sum, std::span<const std::uint8_t> allowed) {
  const Local local(sum, allowed);
  TreeEnds trees(local);
  Ends all(sum.n_scores());
  all.take(sum.whole_bases());
  Ends own(sum.n_scores());
  for (const std::int32_t leaf : local.constant()) {
    own.take(sum.whole(leaf));
    all.add(own);
  }
  std::vector<std::int32_t> first(local.nodes().size(), 0);  // by root: the first node of its tree
  std::int32_t next = 0;
  for (const std::int32_t root : local.roots()) {
    all.add(trees.whole(root));
    first[at(root)] = next;
    next = root + 1;
  }
  Ranges out;
  out.now = all.width();
  out.high.assign(sum.n_features(), 0);
  out.low.assign(sum.n_features(), 0);
  out.asked.assign(sum.n_features(), 0);
  for (std::size_t k = 0; k < local.features().size(); ++k) {
    const std::size_t f = local.features()[k].feature;
    out.asked[f] = 1;
    std::vector<Ends> bins(at(local.features()[k].width), all);
    for (const std::int32_t root : local.asking(k)) {
      const std::vector<Ends>& found = trees.by_bin(first[at(root)], root, k);
      for (std::size_t b = 0; b < bins.size(); ++b) bins[b].exchange(trees.whole(root), found[b]);
    }
    for (std::int32_t b = 0; b < sum.width(f); ++b) {
      if (allowed[sum.first_bin(f) + at(b)] == 0) continue;
      const Ends& here = bins[at(local.bin_of(k, b))];
      if (settled(sum, here)) continue;
      const std::int64_t width = here.width();
      out.high[f] += width >> 32;
      out.low[f] += width & 0xffffffff;
    }
  }
  return out;
}

}  // namespace orderless::ensembles
