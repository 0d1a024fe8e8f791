#include "core/smallest/states.hpp"

#include <algorithm>
#include <bit>

namespace orderless::smallest {

namespace {

std::int32_t first_of(const Residuals::Mask& mask) {
  for (std::size_t w = 0; w < mask.size(); ++w) {
    if (mask[w] != 0) return static_cast<std::int32_t>(w * 64) + std::countr_zero(mask[w]);
  }
  return -1;
}

}  // namespace

bool Apart::reaches(const Residuals::Node& node, std::int32_t bin, bool yes) const {
  const BinFeature& feature = residuals_.features()[at(node.feature)];
  if (!feature.ordered) return has_bit(residuals_.mask(yes ? node.a : node.b), at(bin));
  const bool holds = bin == feature.n_bins ? node.b == 1 : bin <= node.a;
  return holds == yes;
}

bool Apart::goes(const Residuals::Node& node, bool yes) const {
  if (node.feature == free_) return true;
  const std::int32_t lo = lo_[at(node.feature)];
  const std::int32_t hi = hi_[at(node.feature)];
  return reaches(node, lo, yes) || (hi != lo && reaches(node, hi, yes));
}

// Residuals have live branches only, so the cells need not be cut down on the way.
bool Apart::impure(Id id, std::int32_t label) const {
  const Residuals::Node& node = residuals_.node(id);
  if (node.feature < 0) return node.a != label;
  return (goes(node, true) && impure(node.yes, label)) ||
         (goes(node, false) && impure(node.no, label));
}

std::int32_t Apart::label_of(Id id, std::span<const std::int32_t> cell) const {
  while (!residuals_.is_leaf(id)) {
    const Residuals::Node& node = residuals_.node(id);
    id = reaches(node, cell[at(node.feature)], true) ? node.yes : node.no;
  }
  return residuals_.node(id).a;
}

bool Apart::apart(Id id, const Corner& a, const Corner& b) {
  if (a.label != b.label) return true;
  for (std::size_t f = 0; f < a.cell.size(); ++f) {
    const BinFeature& feature = residuals_.features()[f];
    const bool ordered = feature.ordered;
    if (ordered && (a.cell[f] == feature.n_bins) != (b.cell[f] == feature.n_bins)) return false;
    lo_[f] = std::min(a.cell[f], b.cell[f]);
    hi_[f] = std::max(a.cell[f], b.cell[f]);
  }
  return impure(id, a.label);
}

std::int32_t Apart::questions(Id id, std::span<const std::int32_t> cell) {
  const std::int32_t label = label_of(id, cell);
  lo_.assign(cell.begin(), cell.end());
  hi_ = lo_;
  std::int32_t n = 0;
  for (std::int32_t f = 0; f < static_cast<std::int32_t>(cell.size()); ++f) {
    if (!residuals_.has(id, f)) continue;
    const BinFeature& feature = residuals_.features()[at(f)];
    const std::int32_t bin = cell[at(f)];
    if (!feature.ordered) {
      free_ = f;
      n += impure(id, label);
      free_ = -1;
      continue;
    }
    const auto differs = [&](std::int32_t lo, std::int32_t hi) {
      if (lo > hi) return false;
      lo_[at(f)] = lo;
      hi_[at(f)] = hi;
      const bool found = impure(id, label);
      lo_[at(f)] = hi_[at(f)] = bin;
      return found;
    };
    if (bin == feature.n_bins) {
      n += differs(0, feature.n_bins - 1);
    } else {
      n += differs(0, bin - 1);
      n += differs(bin + 1, feature.n_bins - 1);
    }
  }
  return n;
}

void Apart::corners(Id id, bool low_first) {
  struct Side {
    std::int32_t lo, hi;  // unordered: lo = hi, one of the bins
  };
  corners_.clear();
  std::vector<Side> box(residuals_.features().size());
  for (std::size_t f = 0; f < box.size(); ++f) {
    const BinFeature& feature = residuals_.features()[f];
    box[f] = {0, feature.ordered ? feature.n_bins - 1 : 0};
  }
  for (const Residuals::Live& live : residuals_.live(id)) {
    if (residuals_.features()[at(live.feature)].ordered) continue;
    box[at(live.feature)].lo = box[at(live.feature)].hi = first_of(residuals_.mask(live.side));
  }
  const auto visit = [&](const auto& self, Id here) -> void {
    const Residuals::Node node = residuals_.node(here);
    if (node.feature < 0) {
      Corner corner{Cell(box.size()), node.a};
      for (std::size_t f = 0; f < box.size(); ++f) corner.cell[f] = box[f].lo;
      for (std::size_t f = 0; f < box.size(); ++f) {
        if (box[f].lo == box[f].hi) continue;
        const std::int32_t ends[] = {box[f].lo, box[f].hi};
        const std::int32_t beyond[] = {box[f].lo - 1, box[f].hi + 1};
        const int first = low_first ? 0 : 1;
        corner.cell[f] = ends[first];
        for (const int end : {first, 1 - first}) {
          if (beyond[end] < 0 || beyond[end] >= residuals_.features()[f].n_bins) continue;
          Cell other = corner.cell;
          other[f] = beyond[end];
          if (label_of(id, other) == node.a) continue;
          corner.cell[f] = ends[end];
          break;
        }
      }
      corners_.push_back(std::move(corner));
      return;
    }
    Side& side = box[at(node.feature)];
    const Side saved = side;
    const BinFeature& feature = residuals_.features()[at(node.feature)];
    if (!feature.ordered) {
      side.lo = side.hi = first_of(residuals_.mask(node.a));
      self(self, node.yes);
      box[at(node.feature)].lo = box[at(node.feature)].hi = first_of(residuals_.mask(node.b));
      self(self, node.no);
    } else {
      side.hi = std::min(side.hi, node.a);
      self(self, node.yes);
      box[at(node.feature)] = saved;
      box[at(node.feature)].lo = node.a + 1;
      if (node.a == feature.n_bins - 1) box[at(node.feature)].hi = node.a + 1;  // NaN alone
      self(self, node.no);
    }
    box[at(node.feature)] = saved;
  };
  visit(visit, id);
}

Apart::Bounds Apart::bounds(Id id) {
  Bounds out;
  lo_.assign(residuals_.features().size(), 0);
  hi_ = lo_;
  for (const bool low_first : {true, false}) {
    corners(id, low_first);
    std::vector<const Corner*> chosen;
    for (const Corner& corner : corners_) {
      const bool fits = std::all_of(chosen.begin(), chosen.end(),
                                    [&](const Corner* other) { return apart(id, corner, *other); });
      if (fits) chosen.push_back(&corner);
    }
    out.leaves = std::max(out.leaves, static_cast<std::int64_t>(chosen.size()));
    for (const Corner& corner : corners_) {
      out.depth = std::max(out.depth, questions(id, corner.cell));
    }
  }
  return out;
}

namespace {

using Id = Residuals::Id;
using Question = Residuals::Question;

constexpr std::size_t nodes_per_state = 20;

Value scaled(Value value, std::int64_t scale) {
  const Value leaves = value & ((Value{1} << leaf_bits) - 1);
  return (value - leaves) * scale + leaves;
}

}  // namespace

std::int32_t log2_up(std::int64_t n) {
  return static_cast<std::int32_t>(std::bit_width(static_cast<std::uint64_t>(n - 1)));
}

States::States(Residuals& residuals, Weights& weights, Minimize minimize, std::size_t limit)
    : residuals_(residuals),
      weights_(weights),
      minimize_(minimize),
      limit_(limit),
      most_nodes_(residuals.size() + nodes_per_state * limit) {}

std::int32_t States::of(Id tree, std::int32_t context) {
  const std::uint64_t print =
      residuals_.fingerprint(tree) ^ static_cast<std::uint64_t>(context) * 0x9e3779b97f4a7c15U;
  std::vector<std::int32_t>& known = by_print_[print];
  for (const std::int32_t s : known) {
    State& other = states_[at(s)];
    if (other.context != context) continue;
    if (other.tree != tree) {
      if (residuals_.live(tree) != residuals_.live(other.tree)) continue;
      if (!residuals_.same(tree, other.tree)) continue;
    }
    if (tree != other.given && residuals_.n_leaves(tree) < residuals_.n_leaves(other.given)) {
      if (const Value own = value_of(tree, context); own < other.high) {
        other.high = own;
        other.given = tree;
        other.best = {};
      }
    }
    return s;
  }
  if (states_.size() >= limit_ || residuals_.size() > most_nodes_) {
    throw StopSearch{};
  }
  State fresh;
  fresh.tree = fresh.given = tree;
  fresh.context = context;
  fresh.high = value_of(tree, context);
  const std::int64_t leaves =
      residuals_.is_leaf(tree) ? 1 : std::max(residuals_.n_cuts(tree), 1) + 1;
  fresh.low =
      value(leaves, log2_up(leaves), residuals_.is_leaf(tree) ? 0 : weights_.weight(context));
  known.push_back(static_cast<std::int32_t>(states_.size()));
  states_.push_back(std::move(fresh));
  return known.back();
}

Value States::value(std::int64_t leaves, std::int32_t depth, std::int64_t asked) const {
  if (minimize_ == Minimize::leaves) return leaves;
  return minimize_ == Minimize::depth ? depth : (asked << leaf_bits) + leaves;
}

/// What a residual costs as it stands.
Value States::value_of(Id tree, std::int32_t context) {
  if (minimize_ == Minimize::leaves) return residuals_.n_leaves(tree);
  if (minimize_ == Minimize::depth) return residuals_.depth(tree);
  return (weights_.asked(context, tree) << leaf_bits) + residuals_.n_leaves(tree);
}

Split States::split(const State& from, const Question& question, Id tree) {
  Split out;
  out.question = question;
  const std::int32_t context = from.context;
  for (const bool yes : {true, false}) {
    const Id left = residuals_.side(tree, question, yes);
    const Weights::Part part = weights_.side(context, question, yes, left);
    (yes ? out.yes : out.no) = of(left, part.context);
    (yes ? out.yes_scale : out.no_scale) = part.scale;
  }
  return out;
}

Value States::join(const State& from, const Split& split, Value yes, Value no) const {
  if (minimize_ == Minimize::depth) return 1 + std::max(yes, no);
  if (minimize_ == Minimize::leaves) return yes + no;
  return (weights_.weight(from.context) << leaf_bits) + scaled(yes, split.yes_scale) +
         scaled(no, split.no_scale);
}
Value States::room(const State& from, const Split& split, bool yes, Value budget) const {
  if (minimize_ == Minimize::depth) return budget - 1;
  const Value other = yes ? scaled((*this)[split.no].low, split.no_scale)
                          : scaled((*this)[split.yes].low, split.yes_scale);
  const std::int64_t scale = yes ? split.yes_scale : split.no_scale;
  if (minimize_ == Minimize::leaves) return budget - other;
  const Value rest = budget - other - (weights_.weight(from.context) << leaf_bits);
  if (scale == 1 || rest < 0) return rest;
  if (scale == 0) return endless;
  const std::int64_t asked = rest >> leaf_bits;
  if (asked % scale == 0)
    return (asked / scale << leaf_bits) + (rest & ((Value{1} << leaf_bits) - 1));
  return ((asked / scale + 1) << leaf_bits) - 1;
}

std::int32_t write_node(const Residuals& residuals, SmallestTree& out,
                        const Residuals::Question& question) {
  const auto number = static_cast<std::int32_t>(out.feature.size());
  const bool leaf = question.feature < 0;
  const bool ordered =
      !leaf && residuals.features()[static_cast<std::size_t>(question.feature)].ordered;
  out.feature.push_back(question.feature);
  out.cut.push_back(ordered ? question.a : -1);
  out.nan_true.push_back(ordered && question.b == 1 ? 1 : 0);
  out.when_true.push_back(-1);
  out.when_false.push_back(-1);
  out.leaf_class.push_back(leaf ? question.a : -1);
  if (!leaf && !ordered) {
    const Residuals::Mask& mask = residuals.mask(question.a);
    for (std::size_t w = 0; w < mask.size(); ++w) {
      for (std::uint64_t bits = mask[w]; bits != 0; bits &= bits - 1) {
        out.set_bins.push_back(static_cast<std::int32_t>(w * 64) + std::countr_zero(bits));
      }
    }
  }
  out.set_start.push_back(static_cast<std::int64_t>(out.set_bins.size()));
  return number;
}

SmallestTree as_it_stands(const Residuals& residuals, bool leaves) {
  SmallestTree out;
  write_tree(residuals, out, {-1, residuals.root()},
             [](const TreePart& part) { return PartSplit{{}, part, {}, false}; });
  out.value = leaves ? residuals.n_leaves(residuals.root()) : residuals.depth(residuals.root());
  out.bound = leaves ? 2 : 1;
  return out;
}

}  // namespace orderless::smallest
