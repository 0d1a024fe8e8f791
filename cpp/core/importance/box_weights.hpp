#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "core/importance/permuted.hpp"

namespace orderless::importance {

using Literal = std::uint32_t;  // 2 x column + value
using Literals = std::vector<Literal>;

/// Distinct rows over the columns that the trees ask about, as bits; rows of one class fill whole
/// words, so that the classes of a box are sums over ranges of words.
template <class Weight>
class BoxWeights {
  using Bits = std::vector<std::uint64_t>;

 public:
  BoxWeights(const BinaryRows& rows, std::span<const Weight> weight, std::span<const char> used)
      : n_classes_(rows.n_classes) {
    const std::size_t n_columns = used.size();
    std::vector<std::size_t> asked;
    for (std::size_t j = 0; j < n_columns; ++j) {
      if (used[j] != 0) asked.push_back(j);
    }
    const std::size_t width = (asked.size() + 63) / 64;
    std::vector<std::uint32_t> order;
    Bits packed(rows.label.size() * width, 0);
    for (std::size_t r = 0; r < rows.label.size(); ++r) {
      if (weight[r] == 0) continue;
      order.push_back(static_cast<std::uint32_t>(r));
      for (std::size_t k = 0; k < asked.size(); ++k) {
        if (rows.cells[r * n_columns + asked[k]] != 0) {
          packed[r * width + k / 64] |= std::uint64_t{1} << (k % 64);
        }
      }
    }
    const auto compare = [&](std::uint32_t a, std::uint32_t b) {
      if (rows.label[a] != rows.label[b]) return rows.label[a] < rows.label[b] ? -1 : 1;
      for (std::size_t w = 0; w < width; ++w) {
        const std::uint64_t x = packed[a * width + w];
        const std::uint64_t y = packed[b * width + w];
        if (x != y) return x < y ? -1 : 1;
      }
      return 0;
    };
    // Equal rows stay in their order, so that sums of doubles do not depend on the sort.
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      const int which = compare(a, b);
      return which != 0 ? which < 0 : a < b;
    });
    std::vector<std::uint32_t> place;  // of the first of equal rows
    first_word_.assign(n_classes_ + 1, 0);
    std::size_t label = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i > 0 && compare(order[i - 1], order[i]) == 0) {
        weight_[place.back()] += weight[order[i]];
        continue;
      }
      for (; label < static_cast<std::size_t>(rows.label[order[i]]); ++label) {
        weight_.resize((weight_.size() + 63) / 64 * 64, 0);
        first_word_[label + 1] = weight_.size() / 64;
      }
      place.push_back(static_cast<std::uint32_t>(weight_.size()));
      weight_.push_back(weight[order[i]]);
      distinct_.push_back(order[i]);
    }
    weight_.resize((weight_.size() + 63) / 64 * 64, 0);
    for (; label < n_classes_; ++label) first_word_[label + 1] = weight_.size() / 64;
    set_bits(rows, asked, n_columns, place);
    if constexpr (std::is_integral_v<Weight>) slice_weights();
  }

  /// The weight of the rows in a box by class; without literals all rows are in it.
  void weigh(const Literals& box, Weight* out) {
    both_.assign(weight_.size() / 64, ~std::uint64_t{0});
    for (const Literal literal : box) {
      const Bits& own = bits_[literal];
      for (std::size_t w = 0; w < both_.size(); ++w) both_[w] &= own[w];
    }
    for (std::size_t c = 0; c < n_classes_; ++c) {
      Weight sum = 0;
      for (std::size_t w = first_word_[c]; w < first_word_[c + 1]; ++w) sum += weigh(w);
      out[c] = sum;
    }
  }

 private:
  /// Sets, for every column asked about and either value, the bits of the rows that have it.
  void set_bits(const BinaryRows& rows, std::span<const std::size_t> asked, std::size_t n_columns,
                std::span<const std::uint32_t> place) {
    bits_.resize(2 * n_columns);
    for (const std::size_t j : asked) {
      for (const std::size_t value : {0U, 1U}) {
        Bits& own = bits_[2 * j + value];
        own.assign(weight_.size() / 64, 0);
        for (std::size_t i = 0; i < place.size(); ++i) {
          if ((rows.cells[distinct_[i] * n_columns + j] != 0) == (value == 1)) {
            own[place[i] / 64] |= std::uint64_t{1} << (place[i] % 64);
          }
        }
      }
    }
  }

  [[nodiscard]] Weight weigh(std::size_t word) const {
    Weight sum = 0;
    std::uint64_t bits = both_[word];
    if constexpr (std::is_integral_v<Weight>) {
      for (std::size_t p = 0; p < planes_.size(); ++p) {
        sum += static_cast<Weight>(std::popcount(bits & planes_[p][word])) << p;
      }
    } else {
      for (; bits != 0; bits &= bits - 1) {
        sum += weight_[word * 64 + static_cast<std::size_t>(std::countr_zero(bits))];
      }
    }
    return sum;
  }

  /// Plane p has the bits of value 2^p of all weights.
  void slice_weights() {
    Weight all = 0;
    for (const Weight weight : weight_) all |= weight;
    const auto n = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(all)));
    planes_.assign(n, Bits(weight_.size() / 64, 0));
    for (std::size_t i = 0; i < weight_.size(); ++i) {
      for (std::size_t p = 0; p < n; ++p) {
        const auto bit = static_cast<std::uint64_t>(weight_[i] >> p) & 1U;
        planes_[p][i / 64] |= bit << (i % 64);
      }
    }
  }

  std::size_t n_classes_;
  std::vector<Weight> weight_;  // by place; 0 where a class does not fill its last word
  std::vector<std::uint32_t> distinct_;
  std::vector<std::size_t> first_word_;
  std::vector<Bits> bits_;
  std::vector<Bits> planes_;
  Bits both_;
};

}  // namespace orderless::importance
