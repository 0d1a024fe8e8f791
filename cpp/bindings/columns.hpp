#pragma once

#include <vector>

#include "bindings/arrays.hpp"
#include "core/rows/reach.hpp"

namespace orderless::bindings {

using rows::Column;
using AnyColumn = nb::ndarray<nb::ro, nb::device::cpu>;

/// (kind, array, second array): kinds as in Column::Kind. Strided views are taken as they are.
struct Columns {
  std::vector<Column> columns;
  std::vector<AnyColumn> alive;

  explicit Columns(const nb::list& given) {
    for (const nb::handle item : given) {
      const auto entry = nb::cast<nb::tuple>(item);
      Column column;
      column.kind = static_cast<Column::Kind>(nb::cast<int>(entry[0]));
      if (!entry[1].is_none()) look(entry[1], column.first, column.stride);
      if (!entry[2].is_none()) look(entry[2], column.second, column.second_stride);
      columns.push_back(column);
    }
  }

 private:
  void look(nb::handle array, const std::byte*& data, std::ptrdiff_t& stride) {
    alive.push_back(nb::cast<AnyColumn>(array));
    const AnyColumn& column = alive.back();
    data = static_cast<const std::byte*>(column.data());
    stride = static_cast<std::ptrdiff_t>(column.stride(0)) *
             static_cast<std::ptrdiff_t>(column.itemsize());
  }
};

}  // namespace orderless::bindings
