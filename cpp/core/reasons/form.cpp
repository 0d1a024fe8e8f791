#include "core/reasons/form.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "core/base/bits.hpp"
#include "core/base/errors.hpp"
#include "core/bins/fragments.hpp"
#include "core/bins/leafmasks.hpp"
#include "core/reasons/cover.hpp"
#include "core/reasons/maximal.hpp"
#include "core/same/overlay.hpp"

namespace orderless::reasons {

namespace {

using BinGroups = std::vector<std::vector<std::int32_t>>;

constexpr std::size_t small = 31;  // nodes

/// Whether the function tells all bins of a feature apart. BinGroups rise.
bool all_apart(const std::vector<std::int32_t>& groups) {
  return groups.size() > 1 && at(groups.back()) + 1 == groups.size();
}

/// The tree with only those thresholds that the function needs: bins of one group are one.
HeldTree without_idle(const TreeView& tree, const HeldSpace& space, const CutTree& cut,
                      const BinGroups& groups) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> threshold(tree.threshold.begin(), tree.threshold.end());
  std::vector<std::uint8_t> nan_true(tree.nan_true.begin(), tree.nan_true.end());
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree.feature[i] < 0) continue;
    const std::size_t k = at(cut.nodes.feature[i]);
    const std::vector<double>& cuts = cut.cuts[k];
    const std::vector<std::int32_t>& group = groups[k];
    if (group.back() == 0) {  // it does not matter: all values go one way
      threshold[i] = -infinity;
      nan_true[i] = 0;
      continue;
    }
    std::int32_t c = cut.nodes.cut[i];
    if (c < 0 || at(c) == cuts.size()) continue;             // below all values, or "is it known?"
    while (c >= 0 && group[at(c)] == group[at(c) + 1]) --c;  // the next cut that matters
    threshold[i] = c < 0 ? -infinity : cuts[at(c)];
  }
  TreeView moved = tree;
  moved.threshold = threshold;
  moved.nan_true = nan_true;
  return hold(moved, space).tree;
}

/// A box over the bins of a tree, over those that the function distinguishes.
void push_moved(const std::uint16_t* box, const BoxLayout& from, const BinGroups& groups,
                BoxList& to) {
  std::vector<std::uint16_t> moved;
  moved.reserve(to.n_slots);
  for (std::size_t k = 0; k < groups.size(); ++k) {
    if (groups[k].back() == 0) continue;
    const std::uint16_t* side = box + from.slot(k);
    if (side[0] > side[1]) {  // NaN alone
      moved.insert(moved.end(), {1, 0});
    } else {
      moved.push_back(static_cast<std::uint16_t>(groups[k][side[0]]));
      moved.push_back(static_cast<std::uint16_t>(groups[k][side[1]]));
    }
    if (from.feature(k).nan) moved.push_back(side[2]);
  }
  to.push(moved.data());
}

}  // namespace

Form::Form(const TreeView& tree, const HeldSpace& space, CutTree cut, std::int32_t n_classes)
    : tree_(tree),
      space_(&space),
      cut_(std::move(cut)),
      layout_(cut_.features),
      n_classes_(n_classes) {}

std::optional<Form> Form::of(const TreeView& tree, const HeldSpace& space, std::int32_t n_classes) {
  std::optional<CutTree> cut = cut_tree(tree, space);
  if (!cut) return std::nullopt;
  return Form(tree, space, std::move(*cut), n_classes);
}

const std::vector<BoxList>& Form::reasons(std::size_t limit, const PollFunction& poll,
                                          Poll signals) {
  if (reasons_.empty() && !settled_ && tree_.size() <= small) {
    try {
      reasons_ = all_reasons(cut_.view(), layout_, n_classes_, limit, poll);
    } catch (const TooMany&) {
      reasons_.clear();  // there may be fewer without splits that do not matter
    }
  }
  if (reasons_.empty()) {
    settle(signals);
    reasons_ = all_reasons(cut_.view(), layout_, n_classes_, limit, poll);
  }
  return reasons_;
}

/// By bin of each feature the group of bins that the function does not tell apart: some reason ends
/// between two bins if, and only if, it does tell them apart. Only after `reasons`.
Form::BinGroups Form::told_apart() const {
  BinGroups out;
  out.reserve(layout_.n_features());
  for (std::size_t k = 0; k < layout_.n_features(); ++k) {
    const BinFeature& feature = layout_.feature(k);
    const std::size_t n_bins = at(feature.n_bins), s = layout_.slot(k);
    std::vector<std::int32_t> group(n_bins + (feature.nan ? 1 : 0), 0);
    bool matters = false;
    for (const BoxList& list : reasons_) {  // first 1 where a group starts
      for (std::size_t i = 0; i < list.size(); ++i) {
        const std::uint16_t* side = list[i] + s;
        matters = matters || (feature.nan && (side[2] == 0 || side[0] > side[1]));
        if (side[0] > side[1]) continue;
        if (side[0] > 0) group[side[0]] = 1;
        if (at(side[1]) + 1 < n_bins) group[at(side[1]) + 1] = 1;
      }
    }
    for (std::size_t b = 1; b < n_bins; ++b) group[b] += group[b - 1];
    if (feature.nan && (matters || group[n_bins - 1] > 0)) group.back() = group[n_bins - 1] + 1;
    out.push_back(std::move(group));
  }
  return out;
}

/// To the function's bins, with the reasons that are found already.
void Form::go_over(const BinGroups& groups, HeldTree smaller) {
  std::optional<CutTree> less = cut_tree(smaller.view(), *space_);
  if (!less) throw std::logic_error("a smaller tree has more bins");
  BoxLayout layout(less->features);
  for (BoxList& list : reasons_) {
    BoxList moved;
    moved.n_slots = layout.n_slots();
    for (std::size_t i = 0; i < list.size(); ++i) push_moved(list[i], layout_, groups, moved);
    list = std::move(moved);
  }
  cut_ = std::move(*less);
  layout_ = std::move(layout);
  leaves_.reset();
  smaller_ = std::move(smaller);
}

void Form::settle(Poll poll) {
  if (settled_) return;
  // Equal hashes are checked leaf by leaf, so that short ones do. Reasons are no hashes.
  for (const bool roughly : {true, false}) {
    const BinGroups groups =
        reasons_.empty() ? function_bins(cut_.view(), cut_.features, roughly) : told_apart();
    if (!std::all_of(groups.begin(), groups.end(), all_apart)) {
      HeldTree smaller = without_idle(tree_, *space_, cut_, groups);
      if (reasons_.empty() &&
          same::first_difference(tree_, smaller.view(), space_->domains, poll)) {
        continue;
      }
      go_over(groups, std::move(smaller));
    }
    settled_ = true;
    return;
  }
  throw std::logic_error("the bins of a function are not those of the tree");
}

std::vector<std::int32_t> Form::rules(std::size_t class_index, const PollFunction& poll) {
  if (reasons_.empty()) throw std::logic_error("rules are chosen among reasons, which come first");
  const BinTree tree = cut_.view();
  if (!leaves_) leaves_ = leaf_boxes(tree, layout_);
  BoxList own;
  own.n_slots = layout_.n_slots();
  std::size_t leaf = 0;
  for (std::size_t i = 0; i < tree.feature.size(); ++i) {
    if (tree.feature[i] >= 0) continue;
    if (at(tree.leaf_class[i]) == class_index) own.push((*leaves_)[leaf]);
    ++leaf;
  }
  return smallest_cover(layout_, own, reasons_.at(class_index), poll);
}

}  // namespace orderless::reasons
