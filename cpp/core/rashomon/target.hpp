#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/machine.hpp"

namespace orderless::rashomon {

/// What a leaf says of rows and misses of them.
struct Leaf {
  std::int32_t label = 0;
  std::int64_t errors = 0;
  std::int64_t weight = 0;
};

/// What makes a leaf wrong: another class, the square of the distance, or the distance.
enum class Loss : std::uint8_t { classes, squared, absolute };

/// What leaves say, and what that costs, from a few weights that add up over rows.
///
/// Classes: the weight of each class. A leaf says the heaviest, of several the largest number.
///
/// Squared: the weight n and the sum s of the rows' numbers, which are whole and from 0 on. A leaf
/// says the multiple of 1 / fine that is nearest to the mean, upwards where two are: its label is
/// that number in 1 / fine-ths. Its errors are the sum of squares, in 1 / fine^2-ths, around that
/// number, plus n x `most` less the sum of the squares of the rows around `middle`: so a tree's
/// errors are its loss plus what is the same for every tree, and n and s are enough. No row is
/// farther than the root of `most` from `middle`, so errors are never negative.
/// Invariant: weight x `most` <= 2^51, and 4 x weight x (the largest label) <= 2^52, so that
/// doubles compute all of it exactly.
///
/// Absolute: the weight of each of the rows' numbers. A leaf says the lower median, by its position
/// among the numbers.
struct Target {
  Loss loss = Loss::classes;
  std::int64_t fine = 1, middle = 0, most = 0;  // squared; the latter in 1 / fine-ths
  std::vector<std::int64_t> gaps;               // absolute: to the next number; 0 after the last

  [[nodiscard]] static Target squared(std::int64_t fine, std::int64_t largest);
  [[nodiscard]] static Target absolute(std::span<const std::int64_t> numbers);
  [[nodiscard]] bool has_numbers() const { return loss != Loss::classes; }
  [[nodiscard]] Leaf leaf(const std::int64_t* weights, std::size_t n_classes) const;
};

/// The errors of a leaf on numbers of weight n and sum s; 0 where there are none.
struct SquaredErrors {
  double fine, middle, most;
  explicit SquaredErrors(const Target& target)
      : fine(static_cast<double>(target.fine)),
        middle(static_cast<double>(target.middle)),
        most(static_cast<double>(target.most)) {}

  ORDERLESS_INLINE std::int64_t of(std::int64_t n, std::int64_t s) const {
    const auto weight = static_cast<double>(n);
    const double sum = fine * static_cast<double>(s);
    const double said = std::floor(sum / (weight < 1 ? 1 : weight) + 0.5) - middle;
    const double rest = sum - weight * middle;
    return static_cast<std::int64_t>(weight * most - said * (2 * rest - weight * said));
  }
};

}  // namespace orderless::rashomon
