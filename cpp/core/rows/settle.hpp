#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/bits.hpp"
#include "core/base/errors.hpp"

namespace orderless::rows {

/// Leaves over bins: what each leaves of every feature, and which of them keep a row open.
struct OpenLeaves {
  std::size_t n_words;                   // of a leaf: its features' bins, one feature after another
  std::span<const std::int32_t> start;   // by feature its first word, and the end
  std::span<const std::uint64_t> sides;  // leaves x n_words
  std::span<const std::int32_t> label;   // by leaf
  std::span<const std::int32_t> reach;   // by label the last that is near: two labels keep a row
                                         // open if the larger is beyond the reach of the smaller

  [[nodiscard]] std::size_t n_features() const { return start.size() - 1; }
  [[nodiscard]] std::size_t mask_words() const { return words_for(n_features()); }
};

/// What settles a row whatever the values are: the first of the smallest sets of features that
/// separate any two of its leaves that keep it open (two leaves are separated by a feature if
/// nothing is left that both have). First: in the order of the features.
/// `reached`: by leaf, nonzero where the row can reach it. `known`: empty, or n_words, what the row
/// allows of the bins. `limit`: steps; TooMany beyond. Gives mask_words words. Exact; cost: the
/// pairs of reached leaves x words, and a search that is exponential in the size of the sets.
[[nodiscard]] Words settling_set(const OpenLeaves& leaves, std::span<const std::uint8_t> reached,
                                 std::span<const std::uint64_t> known, std::size_t limit,
                                 const PollFunction& poll);

}  // namespace orderless::rows
