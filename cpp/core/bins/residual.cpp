#include "core/bins/residual.hpp"

#include <algorithm>
#include <bit>

#include "core/bins/residual_parts.hpp"

namespace orderless {

Residuals::Residuals(const BinTree& tree, std::vector<BinFeature> features)
    : features_(std::move(features)) {
  std::size_t n_cuts = 0;
  for (const BinFeature& feature : features_) {
    first_cut_.push_back(n_cuts);
    if (feature.ordered) {
      n_cuts += static_cast<std::size_t>(feature.n_bins) - 1;
    } else {
      n_mask_words_ = std::max(n_mask_words_, words_for(at(feature.n_bins)));
    }
  }
  first_cut_.push_back(n_cuts);
  n_cut_words_ = words_for(n_cuts);
  n_feature_words_ = words_for(features_.size());
  (void)mask_of(Mask(n_mask_words_, 0));  // mask 0 is empty
  root_ = ResidualBuilder(*this, tree).run();
}

std::int32_t Residuals::mask_of(const Mask& mask) {
  const auto [found, is_new] = by_mask_.try_emplace(mask, static_cast<std::int32_t>(masks_.size()));
  if (is_new) masks_.push_back(mask);
  return found->second;
}

std::int32_t Residuals::meet(std::int32_t a, std::int32_t b) {
  const auto [found, is_new] = met_.try_emplace({a, b}, 0);
  if (is_new) {
    Mask both = masks_[at(a)];
    for (std::size_t w = 0; w < both.size(); ++w) both[w] &= masks_[at(b)][w];
    found->second = mask_of(both);
  }
  return found->second;
}

bool Residuals::has(Id id, std::int32_t feature) const {
  return has_bit(has_.data() + at(id) * n_feature_words_, at(feature));
}

Residuals::Id Residuals::leaf(std::int32_t label) {
  const auto [found, is_new] =
      by_node_.try_emplace({-1, label, 0, -1, -1}, static_cast<Id>(nodes_.size()));
  if (is_new) {
    Node node;
    node.a = label;
    nodes_.push_back(node);
    leaves_.push_back(1);
    depth_.push_back(0);
    has_.resize(has_.size() + n_feature_words_, 0);
    cuts_.resize(cuts_.size() + n_cut_words_, 0);
    cuts_known_.push_back(1);
    print_.push_back(ResidualPrint::of_leaf(label));
    print_known_.push_back(1);
  }
  return found->second;
}

Residuals::Id Residuals::make(Question question, Id yes, Id no) {
  if (yes == no) return yes;
  const auto [found, is_new] = by_node_.try_emplace(
      {question.feature, question.a, question.b, yes, no}, static_cast<Id>(nodes_.size()));
  if (!is_new) return found->second;
  Node node;
  static_cast<Question&>(node) = question;
  node.yes = yes;
  node.no = no;
  nodes_.push_back(node);
  leaves_.push_back(leaves_[at(yes)] + leaves_[at(no)]);
  depth_.push_back(1 + std::max(depth_[at(yes)], depth_[at(no)]));
  for (std::size_t w = 0; w < n_feature_words_; ++w) {
    has_.push_back(has_[at(yes) * n_feature_words_ + w] | has_[at(no) * n_feature_words_ + w]);
  }
  set_bit(has_.data() + has_.size() - n_feature_words_, at(question.feature));
  cuts_.resize(cuts_.size() + n_cut_words_, 0);
  cuts_known_.push_back(0);
  print_.push_back(0);
  print_known_.push_back(0);
  return found->second;
}

std::int32_t Residuals::keep_of(Keep keep) {
  const auto [found, is_new] = by_keep_.try_emplace({keep.feature, keep.lo, keep.hi, keep.nan},
                                                    static_cast<std::int32_t>(keeps_.size()));
  if (is_new) keeps_.push_back(keep);
  return found->second;
}

Residuals::Id Residuals::restrict(Id id, std::int32_t keep) {
  if (!has(id, keeps_[at(keep)].feature)) return id;
  if (const auto found = restricted_.find({id, keep}); found != restricted_.end()) {
    return found->second;
  }
  const Node node = nodes_[at(id)];
  Id out = 0;
  if (node.feature == keeps_[at(keep)].feature) {
    out = restrict_own(node, keep);
  } else {
    const Id yes = restrict(node.yes, keep);
    out = make(node, yes, restrict(node.no, keep));
  }
  restricted_.emplace(std::array<std::int32_t, 2>{id, keep}, out);
  return out;
}

Residuals::Id Residuals::restrict_own(const Node& node, std::int32_t keep) {
  const Keep part = keeps_[at(keep)];
  if (!ordered(node.feature)) {
    const std::int32_t yes = meet(node.a, part.lo);
    const std::int32_t no = meet(node.b, part.lo);
    if (empty(yes)) return restrict(node.no, keep);
    if (empty(no)) return restrict(node.yes, keep);
    const Id first = restrict(node.yes, keep);
    return make({node.feature, yes, no}, first, restrict(node.no, keep));
  }
  const bool nan = node.b != 2 && part.nan != 0;
  const bool some = part.lo <= part.hi;
  const bool low = some && part.lo <= node.a;
  const bool high = some && part.hi > node.a;
  if (low && high) {
    const Id yes = restrict(node.yes, keep);
    return make({node.feature, node.a, nan ? node.b : 2}, yes, restrict(node.no, keep));
  }
  const bool yes = low || (nan && node.b == 1);
  const bool no = high || (nan && node.b == 0);
  if (!(yes && no)) return restrict(yes ? node.yes : node.no, keep);
  // NaN parts from the numbers: its side has no numbers any more.
  const std::int32_t alone = keep_of({node.feature, 1, 0, 1});
  const Id with_numbers = restrict(low ? node.yes : node.no, keep);
  const Id missing = restrict(low ? node.no : node.yes, alone);
  return make({node.feature, last(node.feature), 0}, with_numbers, missing);
}

Residuals::Id Residuals::side(Id id, const Question& question, bool yes) {
  const std::int32_t f = question.feature;
  if (!ordered(f)) return restrict(id, keep_of({f, yes ? question.a : question.b, 0, 0}));
  if (yes) return restrict(id, keep_of({f, 0, question.a, question.b == 1}));
  const bool some = question.a < last(f);
  return restrict(id, keep_of({f, some ? question.a + 1 : 1, some ? last(f) : 0, question.b == 0}));
}

Residuals::Id Residuals::slice(Id id, std::int32_t feature, std::int32_t bin) {
  if (!ordered(feature)) {
    Mask one(n_mask_words_, 0);
    set_bit(one, at(bin));
    return restrict(id, keep_of({feature, mask_of(one), 0, 0}));
  }
  if (bin > last(feature)) return restrict(id, keep_of({feature, 1, 0, 1}));
  return restrict(id, keep_of({feature, bin, bin, 0}));
}

Residuals::Id Residuals::numbers(Id id, std::int32_t feature) {
  return restrict(id, keep_of({feature, 0, last(feature), 0}));
}

std::vector<Residuals::Live> Residuals::live(Id id) {
  std::vector<Live> out;
  for (std::int32_t f = 0; f < static_cast<std::int32_t>(features_.size()); ++f) {
    if (!has(id, f)) continue;
    Id here = id;  // the first question about f on a path shows its whole side
    while (node(here).feature != f) here = has(node(here).yes, f) ? node(here).yes : node(here).no;
    const Node& found = node(here);
    if (ordered(f)) {
      out.push_back({f, found.b != 2});
      continue;
    }
    Mask both = mask(found.a);
    for (std::size_t w = 0; w < both.size(); ++w) both[w] |= mask(found.b)[w];
    out.push_back({f, mask_of(both)});
  }
  return out;
}

const std::uint64_t* Residuals::cuts(Id id) {
  if (cuts_known_[at(id)] == 0) {
    const Node own = nodes_[at(id)];
    (void)cuts(own.yes);
    (void)cuts(own.no);
    // Neighbours across a cut go the same way up to a question that asks this very cut, so it is
    // enough to look at each such question by itself.
    const bool differs =
        ordered(own.feature) && own.a < last(own.feature) &&
        !same(slice(own.yes, own.feature, own.a), slice(own.no, own.feature, own.a + 1));
    for (std::size_t w = 0; w < n_cut_words_; ++w) {
      cuts_[at(id) * n_cut_words_ + w] =
          cuts_[at(own.yes) * n_cut_words_ + w] | cuts_[at(own.no) * n_cut_words_ + w];
    }
    if (differs) {
      set_bit(cuts_.data() + at(id) * n_cut_words_, first_cut_[at(own.feature)] + at(own.a));
    }
    cuts_known_[at(id)] = 1;
  }
  return cuts_.data() + at(id) * n_cut_words_;
}

int Residuals::n_cuts(Id id) {
  const std::uint64_t* bits = cuts(id);
  int n = 0;
  for (std::size_t w = 0; w < n_cut_words_; ++w) n += std::popcount(bits[w]);
  return n;
}

bool Residuals::same(Id a, Id b) {
  return a == b || (fingerprint(a) == fingerprint(b) && equal(a, b));
}

bool Residuals::equal(Id a, Id b) {
  if (a == b) return true;
  if (is_leaf(a)) std::swap(a, b);
  if (is_leaf(a)) return false;
  const Node top = nodes_[at(a)];
  return equal(top.yes, side(b, top, true)) && equal(top.no, side(b, top, false));
}

}  // namespace orderless
