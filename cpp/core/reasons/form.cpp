#include "core/reasons/form.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "core/base/bits.hpp"
#include "core/bins/fragments.hpp"
#include "core/bins/leafmasks.hpp"
#include "core/reasons/cover.hpp"
#include "core/reasons/maximal.hpp"
#include "core/same/overlay.hpp"

namespace orderless::reasons {

namespace {

using BinGroups = std::vector<std::vector<std::int32_t>>;

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

}  // namespace

Form::Form(CutTree cut, std::int32_t n_classes)
    : cut_(std::move(cut)), layout_(cut_.features), n_classes_(n_classes) {}

std::optional<Form> Form::of(const TreeView& tree, const HeldSpace& space, std::int32_t n_classes,
                             Poll poll) {
  std::optional<CutTree> cut = cut_tree(tree, space);
  if (!cut) return std::nullopt;
  // Equal hashes are checked leaf by leaf, so that short ones do.
  for (const bool roughly : {true, false}) {
    const BinGroups groups = function_bins(cut->view(), cut->features, roughly);
    if (std::all_of(groups.begin(), groups.end(), all_apart)) {
      return Form(std::move(*cut), n_classes);
    }
    HeldTree smaller = without_idle(tree, space, *cut, groups);
    if (same::first_difference(tree, smaller.view(), space.domains, poll)) continue;
    std::optional<CutTree> less = cut_tree(smaller.view(), space);
    if (!less) break;
    Form form(std::move(*less), n_classes);
    form.smaller_ = std::move(smaller);
    return form;
  }
  throw std::logic_error("the bins of a function are not those of the tree");
}

const std::vector<BoxList>& Form::reasons(std::size_t limit, const PollFunction& poll) {
  if (!reasons_) reasons_ = all_reasons(cut_.view(), layout_, n_classes_, limit, poll);
  return *reasons_;
}

std::vector<std::int32_t> Form::rules(std::size_t class_index, const PollFunction& poll) {
  if (!reasons_) throw std::logic_error("rules are chosen among reasons, which come first");
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
  return smallest_cover(layout_, own, reasons_->at(class_index), poll);
}

}  // namespace orderless::reasons
