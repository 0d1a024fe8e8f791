#include <algorithm>

#include "core/bins/residual_parts.hpp"

namespace orderless {

ResidualBuilder::ResidualBuilder(Residuals& residuals, const BinTree& tree)
    : residuals_(residuals), tree_(tree) {
  for (const BinFeature& feature : residuals.features_) {
    if (feature.ordered) {
      box_.push_back({0, feature.n_bins - 1, feature.nan ? 1 : 0});
      continue;
    }
    Words all = first_bits(at(feature.n_bins));
    all.resize(residuals.n_mask_words_, 0);
    box_.push_back({residuals.mask_of(all), 0, 0});
  }
}

ResidualBuilder::Asked ResidualBuilder::ask_set(std::size_t node, const Side& here) {
  Words inside(residuals_.n_mask_words_, 0);
  for (auto k = tree_.set_start[node]; k < tree_.set_start[node + 1]; ++k) {
    set_bit(inside, at(tree_.set_bins[static_cast<std::size_t>(k)]));
  }
  Words outside = residuals_.mask(here.lo);
  for (std::size_t w = 0; w < inside.size(); ++w) {
    inside[w] &= outside[w];
    outside[w] &= ~inside[w];
  }
  Asked out{{tree_.feature[node], 0, 0}, here, here};
  out.yes.lo = out.question.a = residuals_.mask_of(inside);
  out.no.lo = out.question.b = residuals_.mask_of(outside);
  out.some_yes = !residuals_.empty(out.yes.lo);
  out.some_no = !residuals_.empty(out.no.lo);
  return out;
}

ResidualBuilder::Asked ResidualBuilder::ask_cut(std::size_t node, const Side& here) const {
  const std::int32_t cut = tree_.cut[node];
  const std::int32_t route = here.nan == 0 ? 2 : tree_.nan_true[node] != 0 ? 1 : 0;
  Asked out{{tree_.feature[node], cut, route}, here, here};
  out.yes.hi = std::min(here.hi, cut);
  out.no.lo = std::max(here.lo, cut + 1);
  out.yes.nan = route == 1;
  out.no.nan = route == 0;
  const bool low = out.yes.lo <= out.yes.hi;
  const bool high = out.no.lo <= out.no.hi;
  out.some_yes = low || route == 1;
  out.some_no = high || route == 0;
  if (out.some_yes && out.some_no &&
      !(low && high)) {  // NaN parts from the numbers: "is it known?"
    out.question = {tree_.feature[node], residuals_.last(tree_.feature[node]), 0};
    out.turned = high;
    if (high) std::swap(out.yes, out.no);
  }
  return out;
}

Residuals::Id ResidualBuilder::descend(std::int32_t node) {
  while (tree_.feature[at(node)] >= 0) {
    const std::int32_t on_true = tree_.when_true[at(node)];
    const std::int32_t on_false = tree_.when_false[at(node)];
    const std::int32_t feature = tree_.feature[at(node)];
    Side& here = box_[at(feature)];
    const Asked asked =
        residuals_.ordered(feature) ? ask_cut(at(node), here) : ask_set(at(node), here);
    if (!asked.some_yes || !asked.some_no) {
      node = asked.some_yes ? on_true : on_false;
      continue;
    }
    stack_.push_back({asked.question, asked.turned ? on_true : on_false, here, asked.no});
    here = asked.yes;
    node = asked.turned ? on_false : on_true;
  }
  return residuals_.leaf(tree_.leaf_class[at(node)]);
}

Residuals::Id ResidualBuilder::run() {
  Residuals::Id made = descend(0);
  while (!stack_.empty()) {
    Frame& top = stack_.back();
    Side& side = box_[at(top.question.feature)];
    if (!top.first_done) {
      top.first_done = true;
      top.yes = made;
      side = top.second_side;
      made = descend(top.second);
      continue;
    }
    side = top.saved;
    made = residuals_.make(top.question, top.yes, made);
    stack_.pop_back();
  }
  return made;
}

}  // namespace orderless
