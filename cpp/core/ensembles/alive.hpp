#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/ensembles/local.hpp"

namespace orderless::ensembles {

/// A box of local bins in a search, and which sides meet it.
class Alive {
 public:
  explicit Alive(const Local& local) : local_(&local), bins_(local.n_bins(), 1) { count(); }

  [[nodiscard]] bool has(std::size_t f, std::int32_t bin) const {
    return bins_[local_->features()[f].first + at(bin)] != 0;
  }
  void drop(std::size_t f, std::int32_t bin) { bins_[local_->features()[f].first + at(bin)] = 0; }
  /// After bins were dropped.
  void count();
  /// How many bins a feature has.
  [[nodiscard]] std::int32_t n(std::size_t f) const {
    return before_[first(f) + at(local_->features()[f].width)];
  }
  /// How many of the bins low .. high there are.
  [[nodiscard]] std::int32_t between(std::size_t f, std::int32_t low, std::int32_t high) const {
    return before_[first(f) + at(high) + 1] - before_[first(f) + at(low)];
  }
  /// How many bins of a side there are.
  [[nodiscard]] std::int32_t meets(std::size_t f, const Side& side, const Words& words) const {
    const LocalFeature& own = local_->features()[f];
    if (!own.ordered) return meets_set(f, &words[side.more]);
    std::int32_t some = side.low <= side.high ? between(f, side.low, side.high) : 0;
    if (side.more != 0) some += bins_[own.first + at(own.width) - 1];
    return some;
  }
  /// Leaves out what is not in a box of some features' sides.
  void cut(std::span<const std::uint16_t> features, const Side* sides, const Words& words);
  [[nodiscard]] bool empty() const { return empty_; }

 private:
  [[nodiscard]] std::size_t first(std::size_t f) const { return local_->features()[f].first + f; }
  void count(std::size_t f);
  [[nodiscard]] std::int32_t meets_set(std::size_t f, const std::uint64_t* set) const;

  const Local* local_;
  std::vector<std::uint8_t> bins_;
  std::vector<std::int32_t> before_;  // by feature: its width and one more
  bool empty_ = false;
};

}  // namespace orderless::ensembles
