#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/ensembles/alive.hpp"
#include "core/ensembles/objective.hpp"

namespace orderless::ensembles {

/// Boxes that do not meet each other, with values: the leaves of a tree, or of several.
struct Factor {
  std::size_t leaves, n_leaves;      // the largest value first
  std::size_t features, n_features;  // that its boxes say something about
  std::size_t sides;                 // n_features for each leaf
};

/// Factors, of which one box of each is chosen; all that are chosen must meet. Their values are
/// added up.
class Lists {
 public:
  Lists() = default;
  /// The leaves of the local trees.
  Lists(const Objective& objective, Words& words);

  [[nodiscard]] const std::vector<Factor>& factors() const { return factors_; }
  [[nodiscard]] const std::int64_t* values(const Factor& own) const { return &values_[own.leaves]; }
  [[nodiscard]] std::span<const std::uint16_t> features(const Factor& own) const {
    return std::span(features_).subspan(own.features, own.n_features);
  }
  [[nodiscard]] const Side* sides(const Factor& own, std::size_t leaf) const {
    return &sides_[own.sides + leaf * own.n_features];
  }
  /// No choice has more.
  [[nodiscard]] std::int64_t bound() const;

  /// Takes what meets a box, and is at most `regret` below the best of its factor. What becomes
  /// constant is only counted. False if a factor has nothing left. `from` may be this.
  bool take(const Lists& from, const Alive& alive, const Words& words, std::int64_t regret);

  /// About how much room it takes.
  [[nodiscard]] std::size_t bytes() const;

 private:
  void put(const Lists& from, const Factor& own, const Alive& alive, const Words& words);

  std::int64_t constant_ = 0;
  std::vector<Factor> factors_;
  std::vector<std::uint16_t> features_;
  std::vector<std::int64_t> values_;
  std::vector<Side> sides_;
  std::vector<std::size_t> kept_;  // leaves of the factor at hand
};

/// What choosing costs: per local bin how much less the sum of the bounds is if a cell must have
/// it, and for each way of cutting a feature in two what each half costs.
class Regrets {
 public:
  explicit Regrets(const Local& local);
  void find(const Lists& lists, const Alive& alive, const Words& words);
  /// Whether no choice meets a bin.
  [[nodiscard]] bool dead(std::size_t f, std::int32_t bin) const {
    return dead_[place(f, bin)] != 0;
  }
  [[nodiscard]] std::int64_t of(std::size_t f, std::int32_t bin) const {
    return regret_[place(f, bin)];
  }

 private:
  struct Gap {
    std::int32_t low, high;
  };
  [[nodiscard]] std::size_t place(std::size_t f, std::int32_t bin) const {
    return local_->features()[f].first + f + at(bin);
  }
  void ordered(const Lists& lists, const Factor& own, std::size_t k, const Alive& alive);
  void unordered(const Lists& lists, const Factor& own, std::size_t k, const Alive& alive,
                 const Words& words);
  void cover(std::size_t f, std::int32_t low, std::int32_t high, std::int64_t regret,
             const Alive& alive);

  const Local* local_;
  std::vector<std::int64_t> regret_;
  std::vector<std::int32_t> dead_;
  std::vector<Gap> gaps_, fewer_;
};

}  // namespace orderless::ensembles
