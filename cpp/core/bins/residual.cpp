#include "core/bins/residual.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace orderless {

/// Makes the residual of a whole tree, from the leaves up. Without recursion: trees can be as deep
/// as they have leaves.
class ResidualBuilder {
 public:
  ResidualBuilder(Residuals& residuals, const BinTree& tree);
  [[nodiscard]] Residuals::Id run();

 private:
  struct Side {
    std::int32_t lo, hi, nan;  // ordered; else the mask is in lo
  };
  /// What a node asks inside the box: the question, and the sides that are left.
  struct Asked {
    Residuals::Question question;
    Side yes, no;
    bool some_yes = false, some_no = false;
    bool turned = false;  // whether yes is where the node's condition does not hold
  };
  struct Frame {
    Residuals::Question question;
    std::int32_t second;  // the child for no
    Side saved, second_side;
    bool first_done = false;
    Residuals::Id yes = -1;
  };
  [[nodiscard]] Asked ask_cut(std::size_t node, const Side& here) const;
  [[nodiscard]] Asked ask_set(std::size_t node, const Side& here);
  /// Goes down from a node to the first leaf.
  [[nodiscard]] Residuals::Id descend(std::int32_t node);

  Residuals& residuals_;
  const BinTree& tree_;
  std::vector<Side> box_;  // by feature
  std::vector<Frame> stack_;
};

/// The fingerprint of a residual. As for whole trees (core/same/fingerprint.hpp), but modulo 2^64:
/// a bin weighs F(b) - F(b - 1), the bins of a box's side weigh 1 together, and the function is the
/// sum over leaves of value(class) x weight(box), which does not depend on the tree.
class ResidualPrint {
 public:
  explicit ResidualPrint(const Residuals& residuals) : residuals_(residuals) {}
  [[nodiscard]] std::uint64_t of(Residuals::Id id);
  [[nodiscard]] static std::uint64_t of_leaf(std::int32_t label);

 private:
  struct Part {
    std::int32_t feature;
    std::uint64_t low, high, nan;  // ordered: F at both ends, and NaN's weight
    std::uint64_t sum;             // unordered: weight of the bins
    std::uint64_t rest;            // unordered: what the first bin weighs more than its own
    std::size_t first;
  };
  [[nodiscard]] Part open(const Residuals::Node& node) const;
  [[nodiscard]] std::uint64_t sum_of(std::int32_t mask, const Part& part) const;

  const Residuals& residuals_;
  std::vector<Part> parts_;
};

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

namespace {

std::uint64_t weight_of_bin(std::int32_t feature, std::int32_t bin) {
  return scatter(static_cast<std::uint64_t>(feature) << 32 | static_cast<std::uint32_t>(bin));
}

}  // namespace

std::uint64_t ResidualPrint::of_leaf(std::int32_t label) {
  return scatter(~static_cast<std::uint64_t>(label));
}

std::uint64_t ResidualPrint::sum_of(std::int32_t mask, const Part& part) const {
  std::uint64_t sum = 0;
  each_bit(residuals_.mask(mask), [&](std::size_t b) {
    sum += weight_of_bin(part.feature, static_cast<std::int32_t>(b));
    if (b == part.first) sum += part.rest;
  });
  return sum;
}

/// The whole side of a feature, at the first question about it.
ResidualPrint::Part ResidualPrint::open(const Residuals::Node& node) const {
  Part part{node.feature, 0, 1, 0, 0, 0, ~std::size_t{0}};
  if (residuals_.ordered(node.feature)) {
    if (node.b != 2) part.nan = weight_of_bin(node.feature, residuals_.last(node.feature) + 1);
    part.high -= part.nan;
    return part;
  }
  const std::uint64_t all = sum_of(node.a, part) + sum_of(node.b, part);
  for (const std::int32_t mask : {node.a, node.b}) {
    each_bit(residuals_.mask(mask), [&](std::size_t b) { part.first = std::min(part.first, b); });
  }
  part.rest = 1 - all;
  return part;
}

std::uint64_t ResidualPrint::of(Residuals::Id id) {
  const Residuals::Node node = residuals_.node(id);
  if (node.feature < 0) {
    std::uint64_t product = of_leaf(node.a);
    for (const Part& part : parts_) {
      product *= residuals_.ordered(part.feature) ? part.high - part.low + part.nan : part.sum;
    }
    return product;
  }
  std::size_t k = 0;
  while (k < parts_.size() && parts_[k].feature != node.feature) ++k;
  const bool is_new = k == parts_.size();
  if (is_new) parts_.push_back(open(node));
  const Part saved = parts_[k];
  std::uint64_t total = 0;
  if (!residuals_.ordered(node.feature)) {
    parts_[k].sum = sum_of(node.a, saved);
    total += of(node.yes);
    parts_[k].sum = sum_of(node.b, saved);
    total += of(node.no);
  } else {
    const bool known = node.a == residuals_.last(node.feature);
    const std::uint64_t cut = known ? saved.high : weight_of_bin(node.feature, node.a);
    parts_[k].high = cut;
    parts_[k].nan = node.b == 1 ? saved.nan : 0;
    total += of(node.yes);
    parts_[k] = saved;
    parts_[k].low = cut;
    parts_[k].nan = node.b == 0 ? saved.nan : 0;
    total += of(node.no);
  }
  parts_[k] = saved;
  if (is_new) parts_.pop_back();
  return total;
}

std::uint64_t Residuals::fingerprint(Id id) {
  if (print_known_[at(id)] == 0) {
    print_[at(id)] = ResidualPrint(*this).of(id);
    print_known_[at(id)] = 1;
  }
  return print_[at(id)];
}

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
