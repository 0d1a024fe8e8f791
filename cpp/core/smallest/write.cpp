#include "core/smallest/write.hpp"

#include <bit>

namespace orderless::smallest {

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
