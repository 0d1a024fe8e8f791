#include "core/bins/bins.hpp"

#include <bit>

namespace orderless {

BoxLayout::BoxLayout(std::vector<BinFeature> features) : features_(std::move(features)) {
  for (const BinFeature& feature : features_) {
    slot_.push_back(n_slots_);
    n_slots_ += feature.ordered ? (feature.nan ? 3U : 2U)
                                : (static_cast<std::size_t>(feature.n_bins) + 15) / 16;
  }
  slot_.push_back(n_slots_);
}

std::vector<std::uint16_t> BoxLayout::whole() const {
  std::vector<std::uint16_t> box(n_slots_, 0);
  for (std::size_t f = 0; f < n_features(); ++f) {
    const std::size_t s = slot(f);
    if (features_[f].ordered) {
      box[s + 1] = static_cast<std::uint16_t>(features_[f].n_bins - 1);
      if (features_[f].nan) box[s + 2] = 1;
    } else {
      for (std::size_t b = 0; b < static_cast<std::size_t>(features_[f].n_bins); ++b) {
        box[s + b / 16] = static_cast<std::uint16_t>(box[s + b / 16] | 1U << (b % 16));
      }
    }
  }
  return box;
}

std::int32_t BoxLayout::n_conditions(const std::uint16_t* box) const {
  std::int32_t n = 0;
  for (std::size_t f = 0; f < n_features(); ++f) {
    const std::size_t s = slot(f);
    const BinFeature& feature = features_[f];
    if (!feature.ordered) {
      int bins = 0;
      for (std::size_t i = s; i < slot_[f + 1]; ++i) bins += std::popcount(box[i]);
      n += bins != feature.n_bins;
      continue;
    }
    if (box[s] > box[s + 1]) {  // NaN alone: "is missing"
      ++n;
      continue;
    }
    const int bounds = (box[s] > 0) + (box[s + 1] < feature.n_bins - 1);
    // A bound leaves NaN out by itself; without one, "is known" is a condition of its own.
    n += bounds == 0 && feature.nan && box[s + 2] == 0 ? 1 : bounds;
  }
  return n;
}

}  // namespace orderless
