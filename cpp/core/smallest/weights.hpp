#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/bins/residual.hpp"

namespace orderless::smallest {

/// Distinct rows over bins (NaN: bin n_bins), one after the other, and how often each is there.
struct WeightedRows {
  std::span<const std::int32_t> bins;
  std::span<const std::int64_t> weight;
};

/// How many rows fall into a box, for the expected number of questions. A context is what that
/// depends on: the rows in the box; or, where every combination of bins counts once, the sides of
/// the features that are still asked about. The weight of a box is counted over those features
/// only, so that boxes which differ elsewhere share their context; `Part::scale` says how many
/// times a side of a split has to be counted.
class Weights {
 public:
  struct Part {
    std::int32_t context = 0;
    std::int64_t scale = 1;
  };
  enum class Kind { none, bins, rows };

  /// Nothing is weighed.
  explicit Weights(Residuals& residuals) : residuals_(residuals), kind_(Kind::none) {}
  /// The rows given.
  Weights(Residuals& residuals, WeightedRows rows);
  /// Every combination of the bins that the whole function tells apart; the first of the bins that
  /// it does not tell apart stands for all of them. `groups`: per unordered feature a mask of the
  /// bins that count.
  Weights(Residuals& residuals, const std::vector<std::int32_t>& groups);

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] std::int32_t root(Residuals::Id id);
  [[nodiscard]] Part side(std::int32_t context, const Residuals::Question& question, bool yes,
                          Residuals::Id left);
  [[nodiscard]] std::int64_t weight(std::int32_t context) const {
    return kind_ == Kind::none ? 0 : weight_[static_cast<std::size_t>(context)];
  }
  /// Questions that a residual asks as it stands, over all rows of its context.
  [[nodiscard]] std::int64_t asked(std::int32_t context, Residuals::Id id) const;
  /// Combinations of bins: a lower bound on the questions that any tree asks over all of them. The
  /// path of a cell has a question for each direction in which its class changes (see Apart).
  /// Cost: leaves x features x leaves, about.
  [[nodiscard]] std::int64_t asked_at_least(std::int32_t context, Residuals::Id id) const;
  /// Calls `use(cell, weight)` for cells of a context, at most `most` of them.
  template <class Use>
  void cells(std::int32_t context, std::size_t most, Use&& use) const;

 private:
  using Key = std::vector<std::uint64_t>;
  struct Side {  // of one feature, packed into a word of the key
    std::int32_t feature, lo, hi, nan;
  };
  [[nodiscard]] static std::uint64_t pack(const Side& side);
  [[nodiscard]] static Side unpack(std::uint64_t word);
  [[nodiscard]] std::int64_t size(const Side& side) const;
  [[nodiscard]] std::int32_t intern(Key key, std::int64_t weight);
  [[nodiscard]] std::vector<Side> sides(std::int32_t context) const;
  [[nodiscard]] Side part(Side side, const Residuals::Question& question, bool yes) const;
  friend class BinWalk;
  [[nodiscard]] bool holds(const Residuals::Question& question, std::int32_t bin) const;
  [[nodiscard]] std::vector<std::int32_t> bins_of(const Side& side) const;

  Residuals& residuals_;
  Kind kind_;
  WeightedRows rows_;
  std::vector<std::vector<std::int32_t>> before_;  // per ordered feature: bins that count below b
  std::vector<std::int32_t> groups_;
  std::unordered_map<Key, std::int32_t, NumbersHash> by_key_;
  std::vector<const Key*> keys_;
  std::vector<std::int64_t> weight_;
};

template <class Use>
void Weights::cells(std::int32_t context, std::size_t most, Use&& use) const {
  if (kind_ == Kind::none) return;
  const Key& key = *keys_[static_cast<std::size_t>(context)];
  const std::size_t n = residuals_.features().size();
  if (kind_ == Kind::rows) {
    for (std::size_t w = 0; w < key.size(); ++w) {
      for (std::size_t b = 0; b < 64; ++b) {
        if ((key[w] >> b & 1U) == 0 || most-- == 0) continue;
        use(rows_.bins.subspan((w * 64 + b) * n, n), rows_.weight[w * 64 + b]);
        if (most == 0) return;
      }
    }
    return;
  }
  std::vector<std::int32_t> cell(n, 0);
  std::vector<std::vector<std::int32_t>> bins;
  std::vector<std::size_t> feature;
  for (const std::uint64_t word : key) {
    const Side side = unpack(word);
    feature.push_back(static_cast<std::size_t>(side.feature));
    bins.push_back(bins_of(side));
    if (bins.back().empty()) return;
    cell[feature.back()] = bins.back().front();
  }
  std::vector<std::size_t> place(bins.size(), 0);
  while (most-- > 0) {
    use(std::span<const std::int32_t>(cell), std::int64_t{1});
    std::size_t k = 0;
    for (; k < place.size(); ++k) {
      place[k] = place[k] + 1 < bins[k].size() ? place[k] + 1 : 0;
      cell[feature[k]] = bins[k][place[k]];
      if (place[k] != 0) break;
    }
    if (k == place.size()) return;
  }
}

}  // namespace orderless::smallest
