#include "core/rashomon/target.hpp"

#include <algorithm>

namespace orderless::rashomon {

namespace {

Leaf heaviest(const std::int64_t* weights, std::size_t n_classes) {
  Leaf leaf;
  std::int64_t most = -1;
  for (std::size_t c = 0; c < n_classes; ++c) {
    leaf.weight += weights[c];
    if (weights[c] < most) continue;
    most = weights[c];
    leaf.label = static_cast<std::int32_t>(c);
  }
  leaf.errors = leaf.weight - std::max<std::int64_t>(most, 0);
  return leaf;
}

Leaf mean(const Target& target, std::int64_t weight, std::int64_t sum) {
  Leaf leaf;
  leaf.weight = weight;
  if (weight == 0) return leaf;
  leaf.label = static_cast<std::int32_t>((2 * target.fine * sum + weight) / (2 * weight));
  leaf.errors = SquaredErrors(target).of(weight, sum);
  return leaf;
}

/// Between two neighbouring numbers lie as many distances as rows on the lighter side.
Leaf median(const Target& target, const std::int64_t* weights, std::size_t n_classes) {
  Leaf leaf;
  for (std::size_t c = 0; c < n_classes; ++c) leaf.weight += weights[c];
  std::int64_t up_to = 0;
  for (std::size_t c = 0; c < n_classes; ++c) {
    if (2 * up_to < leaf.weight) leaf.label = static_cast<std::int32_t>(c);
    up_to += weights[c];
    leaf.errors += target.gaps[c] * std::min(up_to, leaf.weight - up_to);
  }
  return leaf;
}

}  // namespace

Target Target::squared(std::int64_t fine, std::int64_t largest) {
  Target target;
  target.loss = Loss::squared;
  target.fine = fine;
  target.middle = fine * largest / 2;
  const std::int64_t far = fine * largest - target.middle;
  target.most = far * far;
  return target;
}

Target Target::absolute(std::span<const std::int64_t> numbers) {
  Target target;
  target.loss = Loss::absolute;
  for (std::size_t c = 0; c + 1 < numbers.size(); ++c) {
    target.gaps.push_back(numbers[c + 1] - numbers[c]);
  }
  target.gaps.push_back(0);
  return target;
}

Leaf Target::leaf(const std::int64_t* weights, std::size_t n_classes) const {
  switch (loss) {
    case Loss::squared:
      return mean(*this, weights[0], weights[1]);
    case Loss::absolute:
      return median(*this, weights, n_classes);
    case Loss::classes:
      break;
  }
  return heaviest(weights, n_classes);
}

}  // namespace orderless::rashomon
