#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/ensembles/sum.hpp"
#include "core/rows/reach.hpp"

namespace orderless::ensembles {

/// How the values of a feature fall into its bins. Ordered: bin i holds the numbers above cut i - 1
/// and at most cut i, as rows compare them. Unordered: the bin of each value.
struct RowFeature {
  std::size_t column = 0;  // among the columns of rows
  std::vector<double> cuts;
  std::vector<std::int32_t> bins;
};

/// Rows as boxes of a sum's bins. What a column says of a row is as in core/rows: a number, or a
/// range, or a value, or some values; NaN is unknown, or a value where the feature says so.
class RowBins {
 public:
  RowBins(const Sum& sum, std::vector<RowFeature> features);

  /// The bins of rows first .. first + n - 1, row by row; -1 where a feature has several.
  void cells(std::span<const rows::Column> columns, std::size_t first, std::size_t n,
             std::span<std::int32_t> out) const;
  /// The bins that a row can have: those of all features, nonzero where it can.
  void box(std::span<const rows::Column> columns, std::size_t row,
           std::span<std::uint8_t> out) const;

 private:
  void numbers(std::size_t f, const rows::Column& column, std::size_t first, std::size_t n,
               std::int32_t* out) const;
  void box_between(std::size_t f, const rows::Column& column, std::size_t row,
                   std::uint8_t* out) const;
  void box_of(std::size_t f, const rows::Column& column, std::size_t row, std::uint8_t* out) const;
  [[nodiscard]] std::int32_t bin(std::size_t f, double value) const;

  const Sum* sum_;
  std::vector<RowFeature> features_;
};

}  // namespace orderless::ensembles
