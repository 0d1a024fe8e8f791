#include "core/rashomon/monotone.hpp"

#include <algorithm>
#include <bit>

namespace orderless::rashomon {

namespace {

class MonotoneCheck {
 public:
  MonotoneCheck(const SpaceMeasure& measure, std::span<const Direction> directions)
      : measure_(measure), directions_(directions), n_words_(measure.n_words()) {
    for (const Direction& direction : directions) {
      const std::uint64_t* bins = measure.feature_bins(direction.column);
      Words ordered(bins, bins + n_words_);
      if (direction.has_nan) ordered[last_bit(ordered) / 64] ^= bit(last_bit(ordered));
      ordered_.push_back(std::move(ordered));
    }
  }

  /// Of one tree, in preorder.
  bool holds(std::span<const std::int32_t> column, std::span<const std::int32_t> label) {
    leaves_.clear();
    asked_.clear();
    for (const std::int32_t each : column) {
      if (each >= 0) asked_.push_back(static_cast<std::size_t>(each));
    }
    std::size_t at = 0;
    read(column, label, at, measure_.whole());
    for (std::size_t a = 0; a < leaves_.size(); ++a) {
      for (std::size_t b = 0; b < leaves_.size(); ++b) {
        if (leaves_[a].label > leaves_[b].label && clash(leaves_[a].box, leaves_[b].box)) {
          return false;
        }
      }
    }
    return true;
  }

  [[nodiscard]] std::size_t work() const { return leaves_.size() * leaves_.size() * n_words_; }

 private:
  struct Box {
    Words box;
    std::int32_t label;
  };

  static std::uint64_t bit(std::size_t i) { return std::uint64_t{1} << (i % 64); }

  static std::size_t last_bit(std::span<const std::uint64_t> words) {
    for (std::size_t w = words.size(); w-- > 0;) {
      if (words[w] != 0) return w * 64 + 63 - static_cast<std::size_t>(std::countl_zero(words[w]));
    }
    return 0;
  }

  /// The boxes of the leaves that some point of the space reaches.
  void read(std::span<const std::int32_t> column, std::span<const std::int32_t> label,
            std::size_t& at, Words box) {
    const std::size_t own = at++;
    if (column[own] < 0) {
      leaves_.push_back({std::move(box), label[own]});
      return;
    }
    const auto asked = static_cast<std::size_t>(column[own]);
    Words side(n_words_);
    for (const bool is_one : {true, false}) {
      measure_.cut(box.data(), asked, is_one, side.data());
      if (meets(side, side, measure_.feature_bins(asked))) {
        read(column, label, at, side);
      } else {
        pass(column, at);
      }
    }
  }

  /// Goes past a subtree.
  static void pass(std::span<const std::int32_t> column, std::size_t& at) {
    for (std::size_t due = 1; due > 0; --due) {
      if (column[at++] >= 0) due += 2;
    }
  }

  [[nodiscard]] bool meets(const Words& a, const Words& b, const std::uint64_t* within) const {
    for (std::size_t w = 0; w < n_words_; ++w) {
      if ((a[w] & b[w] & within[w]) != 0) return true;
    }
    return false;
  }

  /// Whether a point of the leaf with the larger label and one of the other forbid each other.
  [[nodiscard]] bool clash(const Words& larger, const Words& smaller) const {
    for (std::size_t d = 0; d < directions_.size(); ++d) {
      const Words& less = directions_[d].rises ? larger : smaller;  // should have more, has less
      const Words& more = directions_[d].rises ? smaller : larger;
      if (first_of(less, ordered_[d]) < last_of(more, ordered_[d]) && meet_beside(less, more, d)) {
        return true;
      }
    }
    return false;
  }

  /// The first and the last bin of a feature in a box: beyond all, before all if there is none.
  [[nodiscard]] std::int64_t first_of(const Words& box, const Words& bins) const {
    for (std::size_t w = 0; w < n_words_; ++w) {
      const std::uint64_t own = box[w] & bins[w];
      if (own != 0) return static_cast<std::int64_t>(w) * 64 + std::countr_zero(own);
    }
    return std::int64_t{1} << 62U;
  }
  [[nodiscard]] std::int64_t last_of(const Words& box, const Words& bins) const {
    for (std::size_t w = n_words_; w-- > 0;) {
      const std::uint64_t own = box[w] & bins[w];
      if (own != 0) return static_cast<std::int64_t>(w) * 64 + 63 - std::countl_zero(own);
    }
    return -1;
  }

  /// Whether two boxes share values of all features but one.
  [[nodiscard]] bool meet_beside(const Words& a, const Words& b, std::size_t d) const {
    const std::uint64_t* own = measure_.feature_bins(directions_[d].column);
    return std::all_of(asked_.begin(), asked_.end(), [&](std::size_t column) {
      const std::uint64_t* bins = measure_.feature_bins(column);
      return std::equal(bins, bins + n_words_, own) || meets(a, b, bins);
    });
  }

  const SpaceMeasure& measure_;
  std::span<const Direction> directions_;
  std::size_t n_words_;
  std::vector<Words> ordered_;  // per direction: the bins that have an order
  std::vector<Box> leaves_;
  std::vector<std::size_t> asked_;  // columns
};

}  // namespace

std::vector<std::uint8_t> monotone(const FlatTreesView& trees, const SpaceMeasure& measure,
                                   std::span<const Direction> directions, Meter& meter) {
  MonotoneCheck check(measure, directions);
  std::vector<std::uint8_t> out;
  for (std::size_t t = 0; t + 1 < trees.offsets.size(); ++t) {
    const auto begin = static_cast<std::size_t>(trees.offsets[t]);
    const auto n = static_cast<std::size_t>(trees.offsets[t + 1]) - begin;
    out.push_back(check.holds(trees.column.subspan(begin, n), trees.label.subspan(begin, n)) ? 1
                                                                                             : 0);
    meter.step(check.work() + 16);
  }
  return out;
}

}  // namespace orderless::rashomon
