#include "core/ensembles/alive.hpp"

namespace orderless::ensembles {

void Alive::count() {
  before_.resize(local_->n_bins() + local_->features().size());
  empty_ = false;
  for (std::size_t f = 0; f < local_->features().size(); ++f) {
    count(f);
    empty_ = empty_ || n(f) == 0;
  }
}

void Alive::count(std::size_t f) {
  const LocalFeature& own = local_->features()[f];
  std::int32_t* before = &before_[first(f)];
  before[0] = 0;
  for (std::int32_t b = 0; b < own.width; ++b) before[b + 1] = before[b] + bins_[own.first + at(b)];
}

void Alive::cut(std::span<const std::uint16_t> features, const Side* sides, const Words& words) {
  for (std::size_t k = 0; k < features.size(); ++k) {
    const std::size_t f = features[k];
    const LocalFeature& own = local_->features()[f];
    const Side& side = sides[k];
    for (std::int32_t b = 0; b < own.width; ++b) {
      const bool inside = !own.ordered                    ? has_bit(&words[side.more], at(b))
                          : own.nan && b == own.width - 1 ? side.more != 0
                                                          : side.low <= b && b <= side.high;
      if (!inside) bins_[own.first + at(b)] = 0;
    }
    count(f);
  }
}

std::int32_t Alive::meets_set(std::size_t f, const std::uint64_t* set) const {
  const LocalFeature& own = local_->features()[f];
  std::int32_t some = 0;
  for (std::int32_t b = 0; b < own.width; ++b) {
    if (bins_[own.first + at(b)] != 0 && has_bit(set, at(b))) ++some;
  }
  return some;
}

}  // namespace orderless::ensembles
