#include "core/bins/leafmasks.hpp"

#include <algorithm>
#include <array>
#include <set>

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

}  // namespace

LeafMasks::LeafMasks(const BinTree& tree, const BoxLayout& layout, std::int32_t n_classes)
    : layout_(layout) {
  const std::size_t n = tree.feature.size();
  first_.assign(n, 0);
  end_.assign(n, 0);
  region_.resize(n);
  active_.resize(n);
  const std::vector<std::int32_t> up = children_first(tree);

  // Down: regions, and the numbers of the leaves.
  region_[0] = layout.whole();
  std::vector<std::size_t> leaves;
  for (auto it = up.rbegin(); it != up.rend(); ++it) {
    const auto node = static_cast<std::size_t>(*it);
    if (tree.feature[node] < 0) {
      first_[node] = leaves.size();
      leaves.push_back(node);
      end_[node] = leaves.size();
      continue;
    }
    const auto f = static_cast<std::size_t>(tree.feature[node]);
    const std::size_t s = layout.slot(f);
    auto yes = region_[node];
    auto no = region_[node];
    if (layout.feature(f).ordered) {
      const auto cut = static_cast<std::uint16_t>(tree.cut[node]);
      // A side may be NaN alone: its interval is then empty, written as lowest > highest.
      const bool some = yes[s] <= yes[s + 1];
      if (some && cut < yes[s + 1]) yes[s + 1] = cut;
      if (some && cut >= no[s]) no[s] = static_cast<std::uint16_t>(cut + 1);
      if (tree.cut[node] < 0) {
        yes[s] = 1;
        yes[s + 1] = 0;
        no = region_[node];
      }
      const auto tidy = [s](std::vector<std::uint16_t>& side) {
        if (side[s] > side[s + 1]) side[s] = 1, side[s + 1] = 0;
      };
      tidy(yes);
      tidy(no);
      if (layout.feature(f).nan) (tree.nan_true[node] != 0 ? no : yes)[s + 2] = 0;
    } else {
      std::vector<std::uint16_t> inside(layout.slots_of(f), 0);
      for (auto k = tree.set_start[node]; k < tree.set_start[node + 1]; ++k) {
        const auto b = static_cast<std::size_t>(tree.set_bins[static_cast<std::size_t>(k)]);
        inside[b / 16] = static_cast<std::uint16_t>(inside[b / 16] | 1U << (b % 16));
      }
      for (std::size_t i = 0; i < inside.size(); ++i) {
        yes[s + i] = static_cast<std::uint16_t>(yes[s + i] & inside[i]);
        no[s + i] = static_cast<std::uint16_t>(no[s + i] & ~inside[i]);
      }
    }
    region_[static_cast<std::size_t>(tree.when_true[node])] = std::move(yes);
    region_[static_cast<std::size_t>(tree.when_false[node])] = std::move(no);
  }

  // Up: which leaves and features are below.
  for (const std::int32_t i : up) {
    const auto node = static_cast<std::size_t>(i);
    if (tree.feature[node] < 0) continue;
    const auto yes = static_cast<std::size_t>(tree.when_true[node]);
    const auto no = static_cast<std::size_t>(tree.when_false[node]);
    first_[node] = first_[yes];
    end_[node] = end_[no];
    std::set<std::uint32_t> below(active_[yes].begin(), active_[yes].end());
    below.insert(active_[no].begin(), active_[no].end());
    below.insert(static_cast<std::uint32_t>(tree.feature[node]));
    active_[node].assign(below.begin(), below.end());
  }

  n_leaves_ = leaves.size();
  n_words_ = (n_leaves_ + 63) / 64;
  bin_start_.assign(layout.n_features() + 1, 0);
  for (std::size_t f = 0; f < layout.n_features(); ++f) {
    const BinFeature& feature = layout.feature(f);
    bin_start_[f + 1] = bin_start_[f] + static_cast<std::size_t>(feature.n_bins) +
                        (feature.ordered && feature.nan ? 1 : 0);
  }
  bins_.assign(bin_start_.back() * n_words_, 0);
  from_low_.assign(bin_start_.back() * n_words_, 0);
  to_high_.assign(bin_start_.back() * n_words_, 0);
  not_class_.assign(static_cast<std::size_t>(n_classes) * n_words_, 0);
  for (std::size_t leaf = 0; leaf < n_leaves_; ++leaf) {
    const std::size_t word = leaf / 64;
    const std::uint64_t bit = std::uint64_t{1} << (leaf % 64);
    const auto label = tree.leaf_class[leaves[leaf]];
    for (std::int32_t c = 0; c < n_classes; ++c) {
      if (c != label) not_class_[static_cast<std::size_t>(c) * n_words_ + word] |= bit;
    }
    const std::vector<std::uint16_t>& box = region_[leaves[leaf]];
    for (std::size_t f = 0; f < layout.n_features(); ++f) {
      const BinFeature& feature = layout.feature(f);
      const std::size_t s = layout.slot(f);
      const auto n_bins = static_cast<std::size_t>(feature.n_bins);
      for (std::size_t b = 0; b < n_bins; ++b) {
        const std::size_t at = (bin_start_[f] + b) * n_words_ + word;
        if (!feature.ordered) {
          if ((box[s + b / 16] >> (b % 16) & 1U) != 0) bins_[at] |= bit;
        } else if (box[s] <= box[s + 1]) {
          if (box[s] <= b) from_low_[at] |= bit;
          if (box[s + 1] >= b) to_high_[at] |= bit;
          if (box[s] <= b && b <= box[s + 1]) bins_[at] |= bit;
        }
      }
      if (feature.ordered && feature.nan && box[s + 2] != 0) {
        bins_[(bin_start_[f] + n_bins) * n_words_ + word] |= bit;
      }
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
