#include "core/bins/leafmasks.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "core/base/bits.hpp"

namespace orderless {

namespace {

/// The nodes, children before their parents, and leaves in the order of a walk.
std::vector<std::int32_t> children_first(const BinTree& tree) {
  std::vector<std::int32_t> order;
  std::vector<std::int32_t> todo{0};
  while (!todo.empty()) {
    const std::int32_t node = todo.back();
    todo.pop_back();
    order.push_back(node);
    const auto at = static_cast<std::size_t>(node);
    if (tree.feature[at] < 0) continue;
    todo.push_back(tree.when_false[at]);
    todo.push_back(tree.when_true[at]);
  }
  std::reverse(order.begin(), order.end());
  return order;
}

using LeafBox = std::vector<std::uint16_t>;

/// The parts of a region where the condition of a node holds and where it does not.
std::pair<LeafBox, LeafBox> halves(const BinTree& tree, std::size_t node, const BoxLayout& layout,
                                   const LeafBox& region) {
  const std::size_t f = at(tree.feature[node]);
  const std::size_t s = layout.slot(f);
  LeafBox yes = region;
  LeafBox no = region;
  if (!layout.feature(f).ordered) {
    LeafBox inside(layout.slots_of(f), 0);
    for (auto k = tree.set_start[node]; k < tree.set_start[node + 1]; ++k) {
      const std::size_t b = at(tree.set_bins[static_cast<std::size_t>(k)]);
      inside[b / 16] = static_cast<std::uint16_t>(inside[b / 16] | 1U << (b % 16));
    }
    for (std::size_t i = 0; i < inside.size(); ++i) {
      yes[s + i] = static_cast<std::uint16_t>(yes[s + i] & inside[i]);
      no[s + i] = static_cast<std::uint16_t>(no[s + i] & ~inside[i]);
    }
    return {std::move(yes), std::move(no)};
  }
  const std::int32_t cut = tree.cut[node];
  // A side may be NaN alone: its interval is then empty, written as lowest > highest.
  if (region[s] > region[s + 1] || cut < region[s]) {
    yes[s] = 1;
    yes[s + 1] = 0;
  } else if (cut < region[s + 1]) {
    yes[s + 1] = static_cast<std::uint16_t>(cut);
    no[s] = static_cast<std::uint16_t>(cut + 1);
  } else {
    no[s] = 1;
    no[s + 1] = 0;
  }
  if (layout.feature(f).nan) (tree.nan_true[node] != 0 ? no : yes)[s + 2] = 0;
  return {std::move(yes), std::move(no)};
}

}  // namespace

BoxList leaf_boxes(const BinTree& tree, const BoxLayout& layout) {
  std::vector<LeafBox> region(tree.feature.size());
  region[0] = layout.whole();
  const std::vector<std::int32_t> up = children_first(tree);
  for (auto it = up.rbegin(); it != up.rend(); ++it) {
    const std::size_t node = at(*it);
    if (tree.feature[node] < 0) continue;
    auto [yes, no] = halves(tree, node, layout, region[node]);
    region[at(tree.when_true[node])] = std::move(yes);
    region[at(tree.when_false[node])] = std::move(no);
    region[node] = LeafBox();
  }
  BoxList list;
  list.n_slots = layout.n_slots();
  for (std::size_t node = 0; node < tree.feature.size(); ++node) {
    if (tree.feature[node] < 0) list.push(region[node].data());
  }
  return list;
}

LeafMasks::LeafMasks(const BinTree& tree, const BoxLayout& layout, std::int32_t n_classes)
    : layout_(layout) {
  const std::size_t n = tree.feature.size();
  first_.assign(n, 0);
  end_.assign(n, 0);
  region_.resize(n);
  active_.resize(n);
  const std::vector<std::int32_t> up = children_first(tree);
  const std::vector<std::size_t> leaves = find_regions(tree, up);
  find_below(tree, up);
  n_leaves_ = leaves.size();
  n_words_ = words_for(n_leaves_);
  bin_start_.assign(layout.n_features() + 1, 0);
  for (std::size_t f = 0; f < layout.n_features(); ++f) {
    const BinFeature& feature = layout.feature(f);
    bin_start_[f + 1] =
        bin_start_[f] + at(feature.n_bins) + (feature.ordered && feature.nan ? 1 : 0);
  }
  bins_.assign(bin_start_.back() * n_words_, 0);
  from_low_.assign(bin_start_.back() * n_words_, 0);
  to_high_.assign(bin_start_.back() * n_words_, 0);
  not_class_.assign(at(n_classes) * n_words_, 0);
  for (std::size_t leaf = 0; leaf < n_leaves_; ++leaf) {
    for (std::int32_t c = 0; c < n_classes; ++c) {
      if (c != tree.leaf_class[leaves[leaf]]) set_bit(not_class_.data() + at(c) * n_words_, leaf);
    }
    mark(leaf, region_[leaves[leaf]]);
  }
}

/// Down the tree: the regions of all nodes; gives the leaves in their order.
std::vector<std::size_t> LeafMasks::find_regions(const BinTree& tree,
                                                 const std::vector<std::int32_t>& up) {
  region_[0] = layout_.whole();
  std::vector<std::size_t> leaves;
  for (auto it = up.rbegin(); it != up.rend(); ++it) {
    const std::size_t node = at(*it);
    if (tree.feature[node] < 0) {
      first_[node] = leaves.size();
      leaves.push_back(node);
      end_[node] = leaves.size();
      continue;
    }
    auto [yes, no] = halves(tree, node, layout_, region_[node]);
    region_[at(tree.when_true[node])] = std::move(yes);
    region_[at(tree.when_false[node])] = std::move(no);
  }
  return leaves;
}

/// Up the tree: which leaves and features are below.
void LeafMasks::find_below(const BinTree& tree, const std::vector<std::int32_t>& up) {
  for (const std::int32_t i : up) {
    const std::size_t node = at(i);
    if (tree.feature[node] < 0) continue;
    const std::size_t yes = at(tree.when_true[node]);
    const std::size_t no = at(tree.when_false[node]);
    first_[node] = first_[yes];
    end_[node] = end_[no];
    std::set<std::uint32_t> below(active_[yes].begin(), active_[yes].end());
    below.insert(active_[no].begin(), active_[no].end());
    below.insert(static_cast<std::uint32_t>(tree.feature[node]));
    active_[node].assign(below.begin(), below.end());
  }
}

/// Notes the bins that a leaf has.
void LeafMasks::mark(std::size_t leaf, const std::vector<std::uint16_t>& box) {
  for (std::size_t f = 0; f < layout_.n_features(); ++f) {
    const BinFeature& feature = layout_.feature(f);
    const std::size_t s = layout_.slot(f);
    const std::size_t n_bins = at(feature.n_bins);
    for (std::size_t b = 0; b < n_bins; ++b) {
      const std::size_t first = (bin_start_[f] + b) * n_words_;
      if (!feature.ordered) {
        if ((box[s + b / 16] >> (b % 16) & 1U) != 0) set_bit(bins_.data() + first, leaf);
      } else if (box[s] <= box[s + 1]) {
        if (box[s] <= b) set_bit(from_low_.data() + first, leaf);
        if (box[s + 1] >= b) set_bit(to_high_.data() + first, leaf);
        if (box[s] <= b && b <= box[s + 1]) set_bit(bins_.data() + first, leaf);
      }
    }
    if (feature.ordered && feature.nan && box[s + 2] != 0) {
      set_bit(bins_.data() + (bin_start_[f] + n_bins) * n_words_, leaf);
    }
  }
}

void LeafMasks::meet(std::size_t f, const std::uint16_t* box, std::uint64_t* out, std::size_t first,
                     std::size_t end) const {
  const BinFeature& feature = layout_.feature(f);
  const std::size_t s = layout_.slot(f);
  if (feature.ordered) {
    const bool some = box[s] <= box[s + 1];
    const std::uint64_t* low = from_low_.data() + (bin_start_[f] + box[s + 1]) * n_words_;
    const std::uint64_t* high = to_high_.data() + (bin_start_[f] + box[s]) * n_words_;
    if (!feature.nan) {
      for (std::size_t w = first; w < end; ++w) out[w] &= low[w] & high[w];
      return;
    }
    const std::uint64_t* nan = bin(f, static_cast<std::size_t>(feature.n_bins));
    for (std::size_t w = first; w < end; ++w) {
      out[w] &= (some ? low[w] & high[w] : 0) | (box[s + 2] != 0 ? nan[w] : 0);
    }
    return;
  }
  for (std::size_t w = first; w < end; ++w) {
    std::uint64_t any = 0;
    for (std::size_t b = 0; b < static_cast<std::size_t>(feature.n_bins); ++b) {
      if ((box[s + b / 16] >> (b % 16) & 1U) != 0) any |= bin(f, b)[w];
    }
    out[w] &= any;
  }
}

}  // namespace orderless
