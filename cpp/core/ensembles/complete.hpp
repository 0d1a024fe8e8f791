#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/ensembles/sum.hpp"

namespace orderless::ensembles {

/// Adds up many complete cells as the library does: tree after tree for some cells at a time, which
/// walk side by side, each condition one comparison of small numbers.
/// Cost: the depth of each tree.
class Complete {
 public:
  explicit Complete(const Sum& sum);
  /// The same for a sum with facts, which complete cells do not ask.
  Complete(const Complete& other, const Sum& sum) : Complete(other) { sum_ = &sum; }

  /// `cells`: n x features; `sums`: n x scores. Gives the classes as `replay` does.
  void run(std::span<const std::int32_t> cells, std::size_t n, std::span<double> sums,
           std::span<std::int32_t> label) const;

 private:
  /// The condition holds for codes up to `cut`; then the next step follows. A leaf asks about a
  /// code that is above all cuts, and stays where it is.
  struct Step {
    std::uint16_t feature, cut;
    std::int32_t no;
  };

  int write(std::int32_t node);  // gives the depth
  void walk(std::size_t tree, const std::uint16_t* codes, std::int32_t* out) const;
  template <class T>
  void add(std::span<const std::uint16_t> codes, std::size_t n, std::span<T> sums) const;
  void add_all(std::span<const std::uint16_t> codes, std::size_t n, std::vector<float>& floats,
               std::span<double> sums) const;
  [[nodiscard]] std::int32_t label_of(std::span<const std::int32_t> cell,
                                      std::span<const double> sums) const;

  const Sum* sum_;
  bool quick_;        // no unordered feature, nor too many
  bool nan_ = false;  // NaN is a value of some feature
  std::size_t width_ = 0;
  std::vector<Step> steps_;
  std::vector<std::int32_t> leaf_;  // by step: of a leaf its place in the values
  std::vector<double> value_;       // by step: of a leaf what it adds to the first score
  std::vector<std::int32_t> roots_;
  std::vector<int> depth_;
};

}  // namespace orderless::ensembles
