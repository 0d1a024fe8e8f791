#include "core/base/zero_one.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "core/base/machine.hpp"

namespace orderless {

namespace {

constexpr std::size_t at_once = 512;  // rows after which it is seen whether to go on

template <class T>
ORDERLESS_INLINE T number_at(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

/// Numbers, one beside the other or not, of which 0 or 1 is written as a byte each; what is wrong
/// with them: 0 where nothing is.
template <class T>
ORDERLESS_INLINE std::uint64_t write_some(const std::byte* from, std::ptrdiff_t step, std::size_t n,
                                          std::uint8_t* out, std::size_t out_step) {
  if constexpr (std::is_floating_point_v<T>) {
    unsigned other = 0;
    for (std::size_t i = 0; i < n; ++i, from += step) {
      const T value = number_at<T>(from);
      other |= static_cast<unsigned>(value != T{0}) & static_cast<unsigned>(value != T{1});
      out[i * out_step] = value != T{0} ? 1 : 0;
    }
    return other;
  } else {
    using Bits = std::make_unsigned_t<T>;
    Bits any = 0;
    for (std::size_t i = 0; i < n; ++i, from += step) {
      const auto value = number_at<Bits>(from);
      any = static_cast<Bits>(any | value);
      out[i * out_step] = static_cast<std::uint8_t>(value);
    }
    return any & static_cast<Bits>(~Bits{1});
  }
}

template <class T>
bool write_zero_one_of(const NumberTable& table, std::uint8_t* out) {
  const std::size_t width = table.n_columns;
  const bool dense = table.to_column == static_cast<std::ptrdiff_t>(sizeof(T)) &&
                     table.to_row == static_cast<std::ptrdiff_t>(width * sizeof(T));
  for (std::size_t first = 0; first < table.n_rows; first += at_once) {
    const std::size_t n = std::min(at_once, table.n_rows - first);
    const std::byte* from = table.data + static_cast<std::ptrdiff_t>(first) * table.to_row;
    std::uint8_t* to = out + first * width;
    std::uint64_t other = 0;
    if (dense) {
      other = write_some<T>(from, sizeof(T), n * width, to, 1);
    } else {
      for (std::size_t j = 0; j < width; ++j) {
        other |= write_some<T>(from + static_cast<std::ptrdiff_t>(j) * table.to_column,
                               table.to_row, n, to + j, width);
      }
    }
    if (other != 0) return false;
  }
  return true;
}

template <class T>
std::optional<std::int64_t> write_two_labels_of(const NumberTable& column, std::int32_t* out) {
  if (column.n_rows == 0) return std::nullopt;
  T low = number_at<T>(column.data), high = low;
  const std::byte* from = column.data;
  for (std::size_t i = 0; i < column.n_rows; ++i, from += column.to_row) {
    const T value = number_at<T>(from);
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) != 1) return std::nullopt;
  from = column.data;
  for (std::size_t i = 0; i < column.n_rows; ++i, from += column.to_row) {
    out[i] = number_at<T>(from) == low ? 0 : 1;
  }
  return static_cast<std::int64_t>(low);
}

}  // namespace

bool write_zero_one(const NumberTable& table, std::uint8_t* out) {
  switch (table.type) {
    case NumberType::i8:
    case NumberType::u8:
      return write_zero_one_of<std::uint8_t>(table, out);
    case NumberType::i16:
    case NumberType::u16:
      return write_zero_one_of<std::uint16_t>(table, out);
    case NumberType::i32:
    case NumberType::u32:
      return write_zero_one_of<std::uint32_t>(table, out);
    case NumberType::i64:
    case NumberType::u64:
      return write_zero_one_of<std::uint64_t>(table, out);
    case NumberType::f32:
      return write_zero_one_of<float>(table, out);
    case NumberType::f64:
      return write_zero_one_of<double>(table, out);
  }
  return false;
}

std::optional<std::int64_t> write_two_labels(const NumberTable& column, std::int32_t* out) {
  switch (column.type) {
    case NumberType::i8:
      return write_two_labels_of<std::int8_t>(column, out);
    case NumberType::i16:
      return write_two_labels_of<std::int16_t>(column, out);
    case NumberType::i32:
      return write_two_labels_of<std::int32_t>(column, out);
    case NumberType::i64:
      return write_two_labels_of<std::int64_t>(column, out);
    case NumberType::u8:
      return write_two_labels_of<std::uint8_t>(column, out);
    case NumberType::u16:
      return write_two_labels_of<std::uint16_t>(column, out);
    case NumberType::u32:
      return write_two_labels_of<std::uint32_t>(column, out);
    case NumberType::u64:
      return write_two_labels_of<std::uint64_t>(column, out);
    case NumberType::f32:
    case NumberType::f64:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace orderless
