#include "core/smallest/weights.hpp"

#include <algorithm>
#include <bit>

#include "core/base/errors.hpp"

namespace orderless::smallest {

namespace {

constexpr std::int64_t most_weight = std::int64_t{1} << 32;

}  // namespace

Weights::Weights(Residuals& residuals, WeightedRows rows)
    : residuals_(residuals), kind_(Kind::rows), rows_(rows) {}

Weights::Weights(Residuals& residuals, const std::vector<std::int32_t>& groups)
    : residuals_(residuals), kind_(Kind::bins), groups_(groups) {
  const std::uint64_t* cuts = residuals.cuts(residuals.root());
  for (std::size_t f = 0; f < residuals.features().size(); ++f) {
    std::vector<std::int32_t> before{0};
    const BinFeature& feature = residuals.features()[f];
    for (std::size_t b = 0; feature.ordered && b < static_cast<std::size_t>(feature.n_bins); ++b) {
      const std::size_t bit = residuals.first_cut(f) + b - 1;
      const bool counts = b == 0 || (cuts[bit / 64] >> (bit % 64) & 1U) != 0;
      before.push_back(before.back() + (counts ? 1 : 0));
    }
    before_.push_back(std::move(before));
  }
}

std::uint64_t Weights::pack(const Side& side) {
  return static_cast<std::uint64_t>(side.feature) << 48 |
         static_cast<std::uint64_t>(side.lo) << 24 | static_cast<std::uint64_t>(side.hi) << 1 |
         static_cast<std::uint64_t>(side.nan);
}

Weights::Side Weights::unpack(std::uint64_t word) {
  return {static_cast<std::int32_t>(word >> 48), static_cast<std::int32_t>(word >> 24 & 0xffffff),
          static_cast<std::int32_t>(word >> 1 & 0x7fffff), static_cast<std::int32_t>(word & 1)};
}

/// Ordered: lo and hi count the bins that count below the side, and up to its end.
std::int64_t Weights::size(const Side& side) const {
  if (residuals_.features()[at(side.feature)].ordered) {
    return std::max(side.hi - side.lo, 0) + side.nan;
  }
  const Residuals::Mask& mask = residuals_.mask(side.lo);
  const Residuals::Mask& counts = residuals_.mask(groups_[at(side.feature)]);
  int n = 0;
  for (std::size_t w = 0; w < mask.size(); ++w) n += std::popcount(mask[w] & counts[w]);
  return n;
}

std::vector<std::int32_t> Weights::bins_of(const Side& side) const {
  std::vector<std::int32_t> bins;
  const BinFeature& feature = residuals_.features()[at(side.feature)];
  for (std::int32_t b = 0; b < feature.n_bins; ++b) {
    if (feature.ordered) {
      const std::vector<std::int32_t>& before = before_[at(side.feature)];
      const bool counts = before[at(b) + 1] > before[at(b)];
      if (counts && before[at(b)] >= side.lo && before[at(b)] < side.hi) bins.push_back(b);
    } else if (has_bit(residuals_.mask(side.lo), at(b)) &&
               has_bit(residuals_.mask(groups_[at(side.feature)]), at(b))) {
      bins.push_back(b);
    }
  }
  if (feature.ordered && side.nan != 0) bins.push_back(feature.n_bins);
  return bins;
}

std::int32_t Weights::intern(Key key, std::int64_t weight) {
  const auto [found, is_new] =
      by_key_.try_emplace(std::move(key), static_cast<std::int32_t>(weight_.size()));
  if (is_new) {
    keys_.push_back(&found->first);
    weight_.push_back(weight);
  }
  return found->second;
}

std::int32_t Weights::root(Residuals::Id id) {
  if (kind_ == Kind::none) return 0;
  Key key;
  std::int64_t total = kind_ == Kind::bins ? 1 : 0;
  if (kind_ == Kind::rows) {
    key.assign((rows_.weight.size() + 63) / 64, 0);
    for (std::size_t r = 0; r < rows_.weight.size(); ++r) {
      key[r / 64] |= std::uint64_t{1} << (r % 64);
      total += rows_.weight[r];
    }
  } else {
    for (const Residuals::Live& live : residuals_.live(id)) {
      const BinFeature& feature = residuals_.features()[at(live.feature)];
      const Side side = feature.ordered
                            ? Side{live.feature, 0, before_[at(live.feature)].back(), live.side}
                            : Side{live.feature, live.side, 0, 0};
      key.push_back(pack(side));
      total *= size(side);
      if (total > most_weight) break;
    }
  }
  if (total > most_weight) throw TooManyCells();
  return intern(std::move(key), total);
}

bool Weights::holds(const Residuals::Question& question, std::int32_t bin) const {
  const BinFeature& feature = residuals_.features()[at(question.feature)];
  if (!feature.ordered) return has_bit(residuals_.mask(question.a), at(bin));
  return bin == feature.n_bins ? question.b == 1 : bin <= question.a;
}

Weights::Side Weights::part(Side side, const Residuals::Question& question, bool yes) const {
  if (!residuals_.features()[at(side.feature)].ordered) {
    side.lo = yes ? question.a : question.b;
    return side;
  }
  const std::int32_t cut = before_[at(side.feature)][at(question.a) + 1];
  if (yes) side.hi = std::min(side.hi, cut);
  if (!yes) side.lo = std::max(side.lo, cut);
  if (side.lo >= side.hi) side.lo = side.hi = 0;
  if (question.b != (yes ? 1 : 0)) side.nan = 0;
  return side;
}

Weights::Part Weights::side(std::int32_t context, const Residuals::Question& question, bool yes,
                            Residuals::Id left) {
  if (kind_ == Kind::none) return {};
  const Key& key = *keys_[at(context)];
  Key part;
  std::int64_t total = 0;
  if (kind_ == Kind::rows) {
    part.assign(key.size(), 0);
    const std::size_t n = residuals_.features().size();
    for (std::size_t w = 0; w < key.size(); ++w) {
      for (std::uint64_t bits = key[w]; bits != 0; bits &= bits - 1) {
        const std::size_t r = w * 64 + static_cast<std::size_t>(std::countr_zero(bits));
        if (holds(question, rows_.bins[r * n + at(question.feature)]) != yes) continue;
        part[w] |= std::uint64_t{1} << (r % 64);
        total += rows_.weight[r];
      }
    }
    return {intern(std::move(part), total), 1};
  }
  std::int64_t scale = 1;
  total = 1;
  for (const std::uint64_t word : key) {
    const Side whole = unpack(word);
    const Side side = whole.feature == question.feature ? this->part(whole, question, yes) : whole;
    if (residuals_.has(left, side.feature)) {
      part.push_back(pack(side));
      total *= size(side);
    } else {
      scale *= size(side);
    }
  }
  return {intern(std::move(part), total), scale};
}

}  // namespace orderless::smallest
