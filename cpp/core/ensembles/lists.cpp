#include "core/ensembles/lists.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace orderless::ensembles {

namespace {

/// The leaves of one local tree, as boxes.
class Leaves {
 public:
  Leaves(const Objective& objective, Words& words)
      : objective_(objective), local_(objective.local()), words_(words) {
    place_.assign(local_.features().size(), -1);
  }

  void find(std::int32_t root) {
    values.clear();
    sides.clear();
    features.clear();
    asked(root);
    std::sort(features.begin(), features.end());
    now_.clear();
    for (std::size_t k = 0; k < features.size(); ++k) {
      place_[features[k]] = static_cast<std::int32_t>(k);
      now_.push_back(whole(features[k]));
    }
    walk(root);
    for (const std::uint16_t f : features) place_[f] = -1;
  }

  std::vector<std::uint16_t> features;
  std::vector<std::int64_t> values;
  std::vector<Side> sides;

 private:
  void asked(std::int32_t i) {
    const LocalNode& node = local_.nodes()[at(i)];
    if (node.feature < 0) return;
    if (place_[at(node.feature)] < 0) {
      place_[at(node.feature)] = 0;
      features.push_back(static_cast<std::uint16_t>(node.feature));
    }
    asked(node.yes);
    asked(node.no);
  }

  Side whole(std::size_t f) {
    const LocalFeature& own = local_.features()[f];
    if (own.ordered) {
      return {0, static_cast<std::uint16_t>(own.n_numbers() - 1), own.nan ? 1U : 0U};
    }
    const auto begin = static_cast<std::uint32_t>(words_.size());
    const Words all = first_bits(at(own.width));
    words_.insert(words_.end(), all.begin(), all.end());
    return {1, 0, begin};
  }

  void walk(std::int32_t i) {
    const LocalNode& node = local_.nodes()[at(i)];
    if (node.feature < 0) {
      values.push_back(objective_.value(i));
      sides.insert(sides.end(), now_.begin(), now_.end());
      return;
    }
    Side& side = now_[at(place_[at(node.feature)])];
    const Side before = side;
    side = part(before, node, true);
    walk(node.yes);
    now_[at(place_[at(node.feature)])] = part(before, node, false);
    walk(node.no);
    now_[at(place_[at(node.feature)])] = before;
  }

  Side part(const Side& side, const LocalNode& node, bool yes) {
    const LocalFeature& own = local_.features()[at(node.feature)];
    if (own.ordered) {
      const std::uint32_t nan = side.more != 0 && node.nan_true == yes ? 1 : 0;
      const std::int32_t low = yes ? side.low : std::max<std::int32_t>(side.low, node.cut + 1);
      const std::int32_t high = yes ? std::min<std::int32_t>(side.high, node.cut) : side.high;
      if (low > high) return {1, 0, nan};
      return {static_cast<std::uint16_t>(low), static_cast<std::uint16_t>(high), nan};
    }
    const auto begin = static_cast<std::uint32_t>(words_.size());
    for (std::size_t w = 0; w < own.n_words; ++w) {
      const std::uint64_t inside = local_.words()[at(node.cut) + w];
      words_.push_back(words_[side.more + w] & (yes ? inside : ~inside));
    }
    return {1, 0, begin};
  }

  const Objective& objective_;
  const Local& local_;
  Words& words_;
  std::vector<std::int32_t> place_;
  std::vector<Side> now_;
};

}  // namespace

Lists::Lists(const Objective& objective, Words& words) : constant_(objective.constant()) {
  Leaves leaves(objective, words);
  std::vector<std::size_t> order;
  for (const std::int32_t root : objective.local().roots()) {
    leaves.find(root);
    const std::size_t width = leaves.features.size();
    order.resize(leaves.values.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return leaves.values[a] > leaves.values[b];
    });
    factors_.push_back({values_.size(), order.size(), features_.size(), width, sides_.size()});
    features_.insert(features_.end(), leaves.features.begin(), leaves.features.end());
    for (const std::size_t i : order) {
      values_.push_back(leaves.values[i]);
      const Side* begin = leaves.sides.data() + i * width;
      sides_.insert(sides_.end(), begin, begin + width);
    }
  }
}

std::int64_t Lists::bound() const {
  std::int64_t sum = constant_;
  for (const Factor& own : factors_) sum += values_[own.leaves];
  return sum;
}

std::size_t Lists::bytes() const {
  return factors_.capacity() * sizeof(Factor) + features_.capacity() * sizeof(std::uint16_t) +
         values_.capacity() * sizeof(std::int64_t) + sides_.capacity() * sizeof(Side);
}

bool Lists::take(const Lists& from, const Alive& alive, const Words& words, std::int64_t regret) {
  const std::size_t n_factors = from.factors_.size();
  if (this != &from) {
    features_.resize(from.features_.size());
    values_.resize(from.values_.size());
    sides_.resize(from.sides_.size());
    factors_.reserve(n_factors);
  }
  std::vector<Factor> given;
  if (this == &from) given.swap(factors_);
  const std::vector<Factor>& old = this == &from ? given : from.factors_;
  constant_ = from.constant_;
  factors_.clear();
  for (const Factor& own : old) {
    kept_.clear();
    const std::int64_t* values = from.values(own);
    const std::span<const std::uint16_t> features = from.features(own);
    for (std::size_t i = 0; i < own.n_leaves; ++i) {
      if (!kept_.empty() && values[kept_[0]] - values[i] > regret) break;
      const Side* sides = from.sides(own, i);
      bool meets = true;
      for (std::size_t k = 0; k < features.size() && meets; ++k) {
        meets = alive.meets(features[k], sides[k], words) > 0;
      }
      if (meets) kept_.push_back(i);
    }
    if (kept_.empty()) return false;
    put(from, own, alive, words);
  }
  if (!factors_.empty()) {
    const Factor& last = factors_.back();
    features_.resize(last.features + last.n_features);
    values_.resize(last.leaves + last.n_leaves);
    sides_.resize(last.sides + last.n_leaves * last.n_features);
  }
  return true;
}

/// Puts the leaves that were kept behind what there is: never beyond where they are read from.
void Lists::put(const Lists& from, const Factor& own, const Alive& alive, const Words& words) {
  const std::span<const std::uint16_t> features = from.features(own);
  std::vector<std::size_t> said;
  for (std::size_t k = 0; k < features.size(); ++k) {
    const std::size_t f = features[k];
    if (alive.n(f) == 1) continue;
    const bool all = std::ranges::all_of(kept_, [&](std::size_t i) {
      return alive.meets(f, from.sides(own, i)[k], words) == alive.n(f);
    });
    if (!all) said.push_back(k);
  }
  if (said.empty()) {
    constant_ += from.values(own)[kept_[0]];
    return;
  }
  Factor next{0, kept_.size(), 0, said.size(), 0};
  if (!factors_.empty()) {
    const Factor& last = factors_.back();
    next.leaves = last.leaves + last.n_leaves;
    next.features = last.features + last.n_features;
    next.sides = last.sides + last.n_leaves * last.n_features;
  }
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    values_[next.leaves + i] = from.values(own)[kept_[i]];
    for (std::size_t k = 0; k < said.size(); ++k) {
      sides_[next.sides + i * said.size() + k] = from.sides(own, kept_[i])[said[k]];
    }
  }
  for (std::size_t k = 0; k < said.size(); ++k) features_[next.features + k] = features[said[k]];
  factors_.push_back(next);
}

}  // namespace orderless::ensembles
