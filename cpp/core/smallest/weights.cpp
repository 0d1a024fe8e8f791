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

// How many questions trees ask over all rows: what a residual asks, and what any tree must ask.

namespace {

using Id = Residuals::Id;

}  // namespace

/// Walks a residual over the sides of a context.
class BinWalk {
 public:
  BinWalk(const Weights& weights, std::int32_t context)
      : weights_(weights), residuals_(weights.residuals_) {
    sides_.resize(residuals_.features().size());
    for (const Weights::Side& side : weights.sides(context)) {
      features_.push_back(side.feature);
      sides_[at(side.feature)] = side;
    }
    whole_ = sides_;
  }

  [[nodiscard]] std::int64_t asked(Id id) {
    const Residuals::Node& node = residuals_.node(id);
    if (node.feature < 0) return 0;
    std::int64_t total = product(-1);
    for_sides(node, [&](Id child) { total += asked(child); });
    return total;
  }

  [[nodiscard]] std::int64_t asked_at_least(Id root) {
    root_ = root;
    std::int64_t total = 0;
    visit_leaves(root, total);
    return total;
  }

 private:
  template <class Use>
  void for_sides(const Residuals::Node& node, Use&& use) {
    const Weights::Side saved = sides_[at(node.feature)];
    for (const bool yes : {true, false}) {
      sides_[at(node.feature)] = weights_.part(saved, node, yes);
      if (weights_.size(sides_[at(node.feature)]) > 0) use(yes ? node.yes : node.no);
    }
    sides_[at(node.feature)] = saved;
  }

  [[nodiscard]] std::int64_t product(std::int32_t but) const {
    std::int64_t total = 1;
    for (const std::int32_t f : features_) {
      if (f != but) total *= weights_.size(sides_[at(f)]);
    }
    return total;
  }

  void visit_leaves(Id id, std::int64_t& total) {
    const Residuals::Node& node = residuals_.node(id);
    if (node.feature >= 0) {
      for_sides(node, [&](Id child) { visit_leaves(child, total); });
      return;
    }
    label_ = node.a;
    for (const std::int32_t f : features_) {
      const Weights::Side own = sides_[at(f)];
      const Weights::Side whole = whole_[at(f)];
      along_ = f;
      if (!residuals_.features()[at(f)].ordered) {
        others_ = residuals_.mask(whole.lo);
        for (std::size_t w = 0; w < others_.size(); ++w) others_[w] &= ~residuals_.mask(own.lo)[w];
        const bool some =
            std::any_of(others_.begin(), others_.end(), [](auto w) { return w != 0; });
        if (some) total += weights_.size(own) * changes();
        continue;
      }
      const std::int64_t width = own.hi - own.lo;
      if (width <= 0) continue;
      for (const auto& [lo, hi] : {std::pair{whole.lo, own.lo}, std::pair{own.hi, whole.hi}}) {
        if (lo >= hi) continue;
        lo_ = lo;
        hi_ = hi;
        total += width * changes();
      }
    }
  }

  /// Over the other features: in how many cells of the leaf the class changes somewhere in the
  /// values of `along_` that are looked at.
  [[nodiscard]] std::int64_t changes() { return product(along_) - unchanged({root_}); }

  /// Cells for which all of these parts of the tree have the leaf's class.
  [[nodiscard]] std::int64_t unchanged(std::vector<Id> open) {
    while (!open.empty()) {
      const Residuals::Node& node = residuals_.node(open.back());
      if (node.feature < 0) {
        if (node.a != label_) return 0;
        open.pop_back();
      } else if (node.feature == along_) {
        open.pop_back();
        if (reaches(node, true)) open.push_back(node.yes);
        if (reaches(node, false)) open.push_back(node.no);
      } else {
        std::int64_t total = 0;
        for_sides(node, [&](Id child) {
          open.back() = child;
          total += unchanged(open);
        });
        return total;
      }
    }
    return product(along_);
  }

  [[nodiscard]] bool reaches(const Residuals::Node& node, bool yes) const {
    if (residuals_.features()[at(along_)].ordered) {
      const std::int32_t cut = weights_.before_[at(along_)][at(node.a) + 1];
      return yes ? lo_ < cut : hi_ > cut;
    }
    const Residuals::Mask& mask = residuals_.mask(yes ? node.a : node.b);
    for (std::size_t w = 0; w < mask.size(); ++w) {
      if ((mask[w] & others_[w]) != 0) return true;
    }
    return false;
  }

  const Weights& weights_;
  const Residuals& residuals_;
  std::vector<std::int32_t> features_;
  std::vector<Weights::Side> sides_, whole_;
  Id root_ = 0;
  std::int32_t label_ = 0;
  std::int32_t along_ = -1;  // the feature whose other values are looked at
  std::int32_t lo_ = 0, hi_ = 0;
  Residuals::Mask others_;
};

std::vector<Weights::Side> Weights::sides(std::int32_t context) const {
  std::vector<Side> out;
  for (const std::uint64_t word : *keys_[at(context)]) out.push_back(unpack(word));
  return out;
}

std::int64_t Weights::asked_at_least(std::int32_t context, Id id) const {
  return BinWalk(*this, context).asked_at_least(id);
}

std::int64_t Weights::asked(std::int32_t context, Id id) const {
  if (kind_ == Kind::bins) return BinWalk(*this, context).asked(id);
  const std::size_t n = residuals_.features().size();
  const Key& key = *keys_[at(context)];
  std::int64_t total = 0;
  for (std::size_t w = 0; w < key.size(); ++w) {
    for (std::uint64_t bits = key[w]; bits != 0; bits &= bits - 1) {
      const std::size_t r = w * 64 + static_cast<std::size_t>(std::countr_zero(bits));
      for (Id here = id; !residuals_.is_leaf(here);) {
        const Residuals::Node& node = residuals_.node(here);
        total += rows_.weight[r];
        here = holds(node, rows_.bins[r * n + at(node.feature)]) ? node.yes : node.no;
      }
    }
  }
  return total;
}

}  // namespace orderless::smallest
