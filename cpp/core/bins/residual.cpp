#include "core/bins/residual.hpp"

#include <algorithm>
#include <bit>

namespace orderless {

namespace {

std::uint64_t weight(std::int32_t feature, std::int32_t bin) {
  return scatter(static_cast<std::uint64_t>(feature) << 32 | static_cast<std::uint32_t>(bin));
}

}  // namespace

Residuals::Residuals(const BinTree& tree, std::vector<BinFeature> features)
    : features_(std::move(features)) {
  std::size_t n_cuts = 0;
  for (const BinFeature& feature : features_) {
    first_cut_.push_back(n_cuts);
    if (feature.ordered) {
      n_cuts += static_cast<std::size_t>(feature.n_bins) - 1;
    } else {
      n_mask_words_ = std::max(n_mask_words_, (static_cast<std::size_t>(feature.n_bins) + 63) / 64);
    }
  }
  first_cut_.push_back(n_cuts);
  n_cut_words_ = (n_cuts + 63) / 64;
  n_feature_words_ = (features_.size() + 63) / 64;
  (void)mask_of(Mask(n_mask_words_, 0));  // mask 0 is empty
  root_ = build(tree);
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
  const auto f = static_cast<std::size_t>(feature);
  return (has_[at(id) * n_feature_words_ + f / 64] >> (f % 64) & 1U) != 0;
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
    print_.push_back(scatter(~static_cast<std::uint64_t>(label)));
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
  const auto f = static_cast<std::size_t>(question.feature);
  has_[has_.size() - n_feature_words_ + f / 64] |= std::uint64_t{1} << (f % 64);
  cuts_.resize(cuts_.size() + n_cut_words_, 0);
  cuts_known_.push_back(0);
  print_.push_back(0);
  print_known_.push_back(0);
  return found->second;
}

Residuals::Id Residuals::build(const BinTree& tree) {
  struct Live {
    std::int32_t lo, hi, nan;  // ordered; else the mask is in lo
  };
  struct Frame {
    std::size_t node;
    Question question;
    std::int32_t first, second;  // children for yes and no
    Live saved, second_side;
    int stage;
    Id yes;
  };
  std::vector<Live> live;
  for (const BinFeature& feature : features_) {
    Mask all(n_mask_words_, 0);
    for (std::size_t b = 0; !feature.ordered && b < static_cast<std::size_t>(feature.n_bins); ++b) {
      all[b / 64] |= std::uint64_t{1} << (b % 64);
    }
    live.push_back(feature.ordered ? Live{0, feature.n_bins - 1, feature.nan ? 1 : 0}
                                   : Live{mask_of(all), 0, 0});
  }
  std::vector<Frame> stack;
  std::int32_t next = 0;  // node to visit; -1: `made` is ready
  Id made = 0;
  while (true) {
    if (next >= 0) {
      const auto node = static_cast<std::size_t>(next);
      const std::int32_t feature = tree.feature[node];
      if (feature < 0) {
        made = leaf(tree.leaf_class[node]);
        next = -1;
        continue;
      }
      const auto f = static_cast<std::size_t>(feature);
      Live& here = live[f];
      Frame frame{node, {feature, 0, 0}, tree.when_true[node], tree.when_false[node], here, here, 0,
                  -1};
      Live yes = here;
      Live no = here;
      bool some_yes = false;
      bool some_no = false;
      if (!features_[f].ordered) {
        Mask inside(n_mask_words_, 0);
        for (auto k = tree.set_start[node]; k < tree.set_start[node + 1]; ++k) {
          const auto b = static_cast<std::size_t>(tree.set_bins[static_cast<std::size_t>(k)]);
          inside[b / 64] |= std::uint64_t{1} << (b % 64);
        }
        Mask outside = masks_[at(here.lo)];
        for (std::size_t w = 0; w < inside.size(); ++w) {
          inside[w] &= outside[w];
          outside[w] &= ~inside[w];
        }
        yes.lo = frame.question.a = mask_of(inside);
        no.lo = frame.question.b = mask_of(outside);
        some_yes = !empty(yes.lo);
        some_no = !empty(no.lo);
      } else {
        const std::int32_t cut = tree.cut[node];
        const std::int32_t route = here.nan == 0 ? 2 : tree.nan_true[node] != 0 ? 1 : 0;
        yes.hi = std::min(here.hi, cut);
        no.lo = std::max(here.lo, cut + 1);
        yes.nan = route == 1;
        no.nan = route == 0;
        const bool low = yes.lo <= yes.hi;
        const bool high = no.lo <= no.hi;
        some_yes = low || route == 1;
        some_no = high || route == 0;
        frame.question.a = cut;
        frame.question.b = route;
        if (some_yes && some_no && !(low && high)) {  // NaN parts from the numbers: "is it known?"
          frame.question.a = last(feature);
          frame.question.b = 0;
          if (high) {
            std::swap(yes, no);
            std::swap(frame.first, frame.second);
          }
        }
      }
      if (!some_yes || !some_no) {
        next = some_yes ? tree.when_true[node] : tree.when_false[node];
        continue;
      }
      frame.second_side = no;
      here = yes;
      next = frame.first;
      stack.push_back(frame);
      continue;
    }
    if (stack.empty()) return made;
    Frame& top = stack.back();
    if (top.stage == 0) {
      top.yes = made;
      top.stage = 1;
      live[at(top.question.feature)] = top.second_side;
      next = top.second;
      continue;
    }
    live[at(top.question.feature)] = top.saved;
    made = make(top.question, top.yes, made);
    stack.pop_back();
  }
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
    one[at(bin) / 64] |= std::uint64_t{1} << (at(bin) % 64);
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
      const std::size_t bit = first_cut_[at(own.feature)] + at(own.a);
      cuts_[at(id) * n_cut_words_ + bit / 64] |= std::uint64_t{1} << (bit % 64);
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

/// As for whole trees (core/same/fingerprint.hpp), but modulo 2^64: a bin weighs F(b) - F(b - 1),
/// the bins of a box's side weigh 1 together, and the function is the sum over leaves of
/// value(class) x weight(box), which does not depend on the tree.
std::uint64_t Residuals::fingerprint(Id id) {
  if (print_known_[at(id)] != 0) return print_[at(id)];
  struct Part {
    std::int32_t feature;
    std::uint64_t low, high, nan;  // ordered: F at both ends, and NaN's weight
    std::uint64_t sum;             // unordered: weight of the bins
    std::uint64_t rest;            // unordered: what the first bin weighs more than its own
    std::int32_t first;
  };
  std::vector<Part> parts;
  const auto sum_of = [&](std::int32_t f, std::int32_t which, const Part& part) {
    std::uint64_t sum = 0;
    for (std::size_t w = 0; w < n_mask_words_; ++w) {
      for (std::uint64_t bits = mask(which)[w]; bits != 0; bits &= bits - 1) {
        const auto b = static_cast<std::int32_t>(w * 64) + std::countr_zero(bits);
        sum += weight(f, b) + (b == part.first ? part.rest : 0);
      }
    }
    return sum;
  };
  const auto open = [&](const Node& node) {
    Part part{node.feature, 0, 1, 0, 0, 0, -1};
    if (ordered(node.feature)) {
      if (node.b != 2) part.nan = weight(node.feature, last(node.feature) + 1);
      part.high -= part.nan;
    } else {
      const std::uint64_t all =
          sum_of(node.feature, node.a, part) + sum_of(node.feature, node.b, part);
      for (std::size_t w = n_mask_words_; w-- > 0;) {
        const std::uint64_t bits = mask(node.a)[w] | mask(node.b)[w];
        if (bits != 0) part.first = static_cast<std::int32_t>(w * 64) + std::countr_zero(bits);
      }
      part.rest = 1 - all;
    }
    parts.push_back(part);
  };
  const auto walk = [&](const auto& self, Id here) -> std::uint64_t {
    const Node node = nodes_[at(here)];
    if (node.feature < 0) {
      std::uint64_t product = print_[at(here)];
      for (const Part& part : parts) {
        product *= ordered(part.feature) ? part.high - part.low + part.nan : part.sum;
      }
      return product;
    }
    std::size_t k = 0;
    while (k < parts.size() && parts[k].feature != node.feature) ++k;
    const bool is_new = k == parts.size();
    if (is_new) open(node);
    const Part saved = parts[k];
    std::uint64_t total = 0;
    if (!ordered(node.feature)) {
      parts[k].sum = sum_of(node.feature, node.a, saved);
      total += self(self, node.yes);
      parts[k].sum = sum_of(node.feature, node.b, saved);
      total += self(self, node.no);
    } else {
      const bool known = node.a == last(node.feature);
      const std::uint64_t cut = known ? saved.high : weight(node.feature, node.a);
      parts[k].high = cut;
      parts[k].nan = node.b == 1 ? saved.nan : 0;
      total += self(self, node.yes);
      parts[k] = saved;
      parts[k].low = cut;
      parts[k].nan = node.b == 0 ? saved.nan : 0;
      total += self(self, node.no);
    }
    parts[k] = saved;
    if (is_new) parts.pop_back();
    return total;
  };
  const std::uint64_t total = walk(walk, id);
  print_[at(id)] = total;
  print_known_[at(id)] = 1;
  return total;
}

}  // namespace orderless
