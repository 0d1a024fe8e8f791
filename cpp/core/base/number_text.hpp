#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orderless {

/// Characters that a number takes at most.
constexpr std::size_t number_width = 32;

/// Writes a whole number; gives the end. What is behind it may be written over, up to
/// `number_width` characters in all.
[[nodiscard]] char* write_number(char* to, std::int64_t number);
/// Writes a float as Python does: the shortest digits that read back as the same number, and "inf"
/// in quotes for infinity. Null for NaN, and where the standard library cannot write floats.
[[nodiscard]] char* write_number(char* to, double number);

/// A list of numbers, or a table of `rows` rows, as JSON has it; whole ones if all of them are.
struct NumberList {
  std::vector<double> floats;
  std::vector<std::int64_t> wholes;
  bool whole = true;
  std::size_t rows = 0;
};

/// JSON in which lists of numbers under some names were taken out, and NaN left in their place.
struct NumberLists {
  std::string rest;
  std::vector<NumberList> lists;
};

/// Takes the lists of numbers under some names out of JSON. A list stays where it is if anything
/// about it is unusual: empty, not numbers alone, numbers that float64 or int64 do not hold. False
/// where the text has NaN or Infinity of its own, or ends within text. Linear in the text.
[[nodiscard]] bool take_number_lists(std::string_view text, std::span<const std::string> names,
                                     NumberLists& out);

}  // namespace orderless
