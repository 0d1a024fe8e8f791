#pragma once

#include <cstring>
#include <vector>

#include "bindings/arrays.hpp"
#include "core/rows/ready.hpp"

namespace orderless::rows {

namespace nb = nanobind;

/// Reads one row, a dict by name or a list by position, where nothing about it is unusual. Of what
/// is, an error or a number of an odd type, it says that it did not read it: the caller takes the
/// general way, which says what is wrong. Never changed once it is made.
class RowReader {
 public:
  using Cells = std::vector<ReadyTree::Cell>;

  /// `names`: of the columns, then any other names that a dict may have. `features`: by column
  /// which has a value of its own, (ordered, nan, whole, low, high, codes, missing code),
  /// None for a column that is not read. Cells are by column.
  RowReader(const nb::list& names, const nb::list& features, std::size_t n_columns);

  [[nodiscard]] bool read(nb::handle row, Cells& cells) const;
  [[nodiscard]] std::size_t n_columns() const { return n_columns_; }

  /// Whether whole numbers are where they must be, in a table of T.
  template <class T>
  [[nodiscard]] bool legal(const std::byte* base, std::ptrdiff_t row_step,
                           std::ptrdiff_t column_step, std::size_t n_rows) const {
    for (std::size_t i = 0; i < n_columns_; ++i) {
      const Feature& feature = features_[i];
      if (!feature.read || !feature.whole) continue;
      const std::byte* at = base + column_step * static_cast<std::ptrdiff_t>(i);
      for (std::size_t row = 0; row < n_rows; ++row, at += row_step) {
        T x;
        std::memcpy(&x, at, sizeof(T));
        if (x == x && !legal(feature, static_cast<double>(x))) return false;
      }
    }
    return true;
  }

 private:
  struct Feature {
    bool read = false, ordered = true, nan = false, whole = false;
    double low = 0, high = 0;
    std::int32_t missing = -1;  // the code of NaN, where it is a value
    nb::dict codes;
  };

  [[nodiscard]] static bool legal(const Feature& feature, double x);
  [[nodiscard]] static bool read_cell(const Feature& feature, PyObject* value,
                                      ReadyTree::Cell& cell);

  nb::dict place_;  // by name: the column, n_columns for one that is not read
  std::vector<Feature> features_;
  std::size_t n_columns_;
};

void bind_one_row(nb::module_& m);

}  // namespace orderless::rows
