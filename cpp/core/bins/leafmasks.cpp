#include "core/bins/leafmasks.hpp"

#include <algorithm>
#include <utility>

#include "core/base/bits.hpp"

namespace orderless {

namespace {

/// The nodes, children before their parents, and leaves in the order of a walk.
std::vector<std::int32_t> children_first(const BinTree& tree) {
  std::vector<std::int32_t> order;
  order.reserve(tree.feature.size());
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

/// Writes down the parts of a region where the condition of a node holds and where it does not.
void halve(const BinTree& tree, std::size_t node, const BoxLayout& layout,
           const std::uint16_t* region, std::uint16_t* yes, std::uint16_t* no) {
  const std::size_t f = at(tree.feature[node]);
  const std::size_t s = layout.slot(f);
  std::copy_n(region, layout.n_slots(), yes);
  std::copy_n(region, layout.n_slots(), no);
  if (!layout.feature(f).ordered) {
    std::fill_n(yes + s, layout.slots_of(f), std::uint16_t{0});
    for (auto k = tree.set_start[node]; k < tree.set_start[node + 1]; ++k) {
      const std::size_t b = at(tree.set_bins[static_cast<std::size_t>(k)]);
      yes[s + b / 16] = static_cast<std::uint16_t>(yes[s + b / 16] | 1U << (b % 16));
    }
    for (std::size_t i = s; i < s + layout.slots_of(f); ++i) {
      no[i] = static_cast<std::uint16_t>(region[i] & ~yes[i]);
      yes[i] = static_cast<std::uint16_t>(region[i] & yes[i]);
    }
    return;
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
}

/// The regions of all nodes, one after the other.
std::vector<std::uint16_t> regions(const BinTree& tree, const BoxLayout& layout,
                                   const std::vector<std::int32_t>& up) {
  const std::size_t n_slots = layout.n_slots();
  std::vector<std::uint16_t> out = layout.whole();
  out.resize(tree.feature.size() * n_slots);
  for (auto it = up.rbegin(); it != up.rend(); ++it) {
    const std::size_t node = at(*it);
    if (tree.feature[node] < 0) continue;
    halve(tree, node, layout, out.data() + node * n_slots,
          out.data() + at(tree.when_true[node]) * n_slots,
          out.data() + at(tree.when_false[node]) * n_slots);
  }
  return out;
}

}  // namespace

BoxList leaf_boxes(const BinTree& tree, const BoxLayout& layout) {
  const std::vector<std::uint16_t> region = regions(tree, layout, children_first(tree));
  BoxList list;
  list.n_slots = layout.n_slots();
  for (std::size_t node = 0; node < tree.feature.size(); ++node) {
    if (tree.feature[node] < 0) list.push(region.data() + node * list.n_slots);
  }
  return list;
}

LeafMasks::LeafMasks(const BinTree& tree, const BoxLayout& layout, std::int32_t n_classes)
    : layout_(layout) {
  below_.resize(tree.feature.size());
  const std::vector<std::int32_t> up = children_first(tree);
  region_ = regions(tree, layout, up);
  const std::vector<std::size_t> leaves = find_leaves(tree, up);
  find_below(tree, up);
  n_leaves_ = leaves.size();
  n_words_ = words_for(n_leaves_);
  bin_start_.assign(layout.n_features() + 1, 0);
  for (std::size_t f = 0; f < layout.n_features(); ++f) {
    const BinFeature& feature = layout.feature(f);
    bin_start_[f + 1] =
        bin_start_[f] + at(feature.n_bins) + (feature.ordered && feature.nan ? 1 : 0);
  }
  from_low_ = bin_start_.back() * n_words_;
  to_high_ = 2 * from_low_;
  not_class_ = 3 * from_low_;
  masks_.assign(not_class_ + at(n_classes) * n_words_, 0);
  for (std::size_t leaf = 0; leaf < n_leaves_; ++leaf) {
    for (std::int32_t c = 0; c < n_classes; ++c) {
      if (c == tree.leaf_class[leaves[leaf]]) continue;
      set_bit(masks_.data() + not_class_ + at(c) * n_words_, leaf);
    }
    mark(leaf, region(leaves[leaf]));
  }
}

/// The leaves in their order.
std::vector<std::size_t> LeafMasks::find_leaves(const BinTree& tree,
                                                const std::vector<std::int32_t>& up) {
  std::vector<std::size_t> leaves;
  leaves.reserve(up.size() / 2 + 1);
  for (auto it = up.rbegin(); it != up.rend(); ++it) {
    const std::size_t node = at(*it);
    if (tree.feature[node] >= 0) continue;
    below_[node].first = leaves.size();
    leaves.push_back(node);
    below_[node].end = leaves.size();
  }
  return leaves;
}

/// Up the tree: which leaves and features are below.
void LeafMasks::find_below(const BinTree& tree, const std::vector<std::int32_t>& up) {
  for (const std::int32_t i : up) {
    const std::size_t node = at(i);
    if (tree.feature[node] < 0) continue;
    const Below& yes = below_[at(tree.when_true[node])];
    const Below& no = below_[at(tree.when_false[node])];
    below_[node] = {yes.first, no.end, active_.size(), 0};
    const auto own = static_cast<std::uint32_t>(tree.feature[node]);
    std::size_t a = yes.active, b = no.active;
    const std::size_t a_end = a + yes.n_active, b_end = b + no.n_active;
    bool placed = false;
    while (a < a_end || b < b_end || !placed) {
      std::uint32_t next = placed ? ~std::uint32_t{0} : own;
      if (a < a_end) next = std::min(next, active_[a]);
      if (b < b_end) next = std::min(next, active_[b]);
      if (a < a_end && active_[a] == next) ++a;
      if (b < b_end && active_[b] == next) ++b;
      placed = placed || next == own;
      active_.push_back(next);
    }
    below_[node].n_active = active_.size() - below_[node].active;
  }
}

/// Notes the bins that a leaf has.
void LeafMasks::mark(std::size_t leaf, const std::uint16_t* box) {
  for (std::size_t f = 0; f < layout_.n_features(); ++f) {
    const BinFeature& feature = layout_.feature(f);
    const std::size_t s = layout_.slot(f);
    const std::size_t n_bins = at(feature.n_bins);
    for (std::size_t b = 0; b < n_bins; ++b) {
      const std::size_t first = (bin_start_[f] + b) * n_words_;
      if (!feature.ordered) {
        if ((box[s + b / 16] >> (b % 16) & 1U) != 0) set_bit(masks_.data() + first, leaf);
      } else if (box[s] <= box[s + 1]) {
        if (box[s] <= b) set_bit(masks_.data() + from_low_ + first, leaf);
        if (box[s + 1] >= b) set_bit(masks_.data() + to_high_ + first, leaf);
        if (box[s] <= b && b <= box[s + 1]) set_bit(masks_.data() + first, leaf);
      }
    }
    if (feature.ordered && feature.nan && box[s + 2] != 0) {
      set_bit(masks_.data() + (bin_start_[f] + n_bins) * n_words_, leaf);
    }
  }
}

void LeafMasks::meet(std::size_t f, const std::uint16_t* box, std::uint64_t* out, std::size_t first,
                     std::size_t end) const {
  const BinFeature& feature = layout_.feature(f);
  const std::size_t s = layout_.slot(f);
  if (feature.ordered) {
    const bool some = box[s] <= box[s + 1];
    const std::uint64_t* low = masks_.data() + from_low_ + (bin_start_[f] + box[s + 1]) * n_words_;
    const std::uint64_t* high = masks_.data() + to_high_ + (bin_start_[f] + box[s]) * n_words_;
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
