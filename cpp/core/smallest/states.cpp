#include "core/smallest/states.hpp"

#include <algorithm>
#include <bit>

namespace orderless::smallest {

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

}  // namespace orderless::smallest
