#include "core/ensembles/leaves.hpp"

#include <algorithm>

namespace orderless::ensembles {

Leaves::Leaves(const Objective& objective, Words& words)
    : objective_(objective),
      local_(objective.local()),
      words_(words),
      place_(objective.local().features().size(), -1) {}

void Leaves::find(std::int32_t root) {
  values.clear();
  sides.clear();
  features.clear();
  asked(root);
  std::ranges::sort(features);
  now_.clear();
  for (std::size_t k = 0; k < features.size(); ++k) {
    place_[features[k]] = static_cast<std::int32_t>(k);
    now_.push_back(whole(features[k]));
  }
  walk(root);
  for (const std::uint16_t f : features) place_[f] = -1;
}

void Leaves::asked(std::int32_t i) {
  const LocalNode& node = local_.nodes()[at(i)];
  if (node.feature < 0) return;
  if (place_[at(node.feature)] < 0) {
    place_[at(node.feature)] = 0;
    features.push_back(static_cast<std::uint16_t>(node.feature));
  }
  asked(node.yes);
  asked(node.no);
}

Side Leaves::whole(std::size_t f) {
  const LocalFeature& own = local_.features()[f];
  if (own.ordered) {
    return {0, static_cast<std::uint16_t>(own.n_numbers() - 1), own.nan ? 1U : 0U};
  }
  const auto begin = static_cast<std::uint32_t>(words_.size());
  const Words all = first_bits(at(own.width));
  words_.insert(words_.end(), all.begin(), all.end());
  return {1, 0, begin};
}

void Leaves::walk(std::int32_t i) {
  const LocalNode& node = local_.nodes()[at(i)];
  if (node.feature < 0) {
    values.push_back(objective_.value(i));
    sides.insert(sides.end(), now_.begin(), now_.end());
    return;
  }
  const std::size_t k = at(place_[at(node.feature)]);
  const Side before = now_[k];
  now_[k] = part(before, node, true);
  walk(node.yes);
  now_[k] = part(before, node, false);
  walk(node.no);
  now_[k] = before;
}

Side Leaves::part(const Side& side, const LocalNode& node, bool yes) {
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

}  // namespace orderless::ensembles
