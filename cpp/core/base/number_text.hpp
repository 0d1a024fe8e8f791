#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orderless {

/// Appends a whole number.
void write_number(std::string& out, std::int64_t number);
/// Appends a float as Python does: the shortest digits that read back as the same number, and
/// "inf" in quotes for infinity. False, and nothing useful written, for NaN, and where the standard
/// library cannot write floats.
[[nodiscard]] bool write_number(std::string& out, double number);

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
