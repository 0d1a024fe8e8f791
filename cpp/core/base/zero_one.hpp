#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace orderless {

/// The types that numbers of a table can have. Truth values are bytes of 0 or 1.
enum class NumberType : std::uint8_t { i8, i16, i32, i64, u8, u16, u32, u64, f32, f64 };

/// A table of numbers of one type, or one column of them; from one to the next it is so many bytes.
/// Nothing has to be aligned.
struct NumberTable {
  const std::byte* data = nullptr;
  NumberType type = NumberType::i64;
  std::size_t n_rows = 0, n_columns = 1;
  std::ptrdiff_t to_row = 0, to_column = 0;
};

/// Writes a table of 0 and 1 row after row; false where it holds anything else, and then some of it
/// may be written. Cost: one look at each number.
[[nodiscard]] bool write_zero_one(const NumberTable& table, std::uint8_t* out);

/// Of a column of whole numbers that holds a number and the next one and no others: the smaller,
/// and by row in `out` which of the two it is. The bits of an unsigned number are given as they
/// are.
[[nodiscard]] std::optional<std::int64_t> write_two_labels(const NumberTable& column,
                                                           std::int32_t* out);

}  // namespace orderless
