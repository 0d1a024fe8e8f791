// How many questions trees ask over all rows: what a residual asks, and what any tree must ask.

#include <algorithm>
#include <bit>

#include "core/smallest/weights.hpp"

namespace orderless::smallest {

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
