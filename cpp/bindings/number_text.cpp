// Lists of numbers in JSON text: written, and found, without an object for each of them.

#include "bindings/number_text.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/number_text.hpp"

namespace orderless::bindings {

using namespace nb::literals;

namespace {

using Numbers = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

/// Lists of `width` numbers each, or the one list of all; gives the end, null if it cannot.
template <class T, class Write>
char* write_table(char* to, const Numbers& given, const Write& write) {
  const T* number = static_cast<const T*>(given.data());
  const bool table = given.ndim() == 2;
  const std::size_t n = table ? given.shape(0) : 1, width = given.shape(table ? 1 : 0);
  const auto next = [&to](std::size_t i) {
    if (i == 0) return;
    *to++ = ',';
    *to++ = ' ';
  };
  if (table) *to++ = '[';
  for (std::size_t i = 0; i < n; ++i) {
    next(i);
    *to++ = '[';
    for (std::size_t k = 0; k < width; ++k, ++number) {
      next(k);
      to = write(to, *number);
      if (to == nullptr) return nullptr;
    }
    *to++ = ']';
  }
  if (table) *to++ = ']';
  return to;
}

char* write_all(char* to, const Numbers& given) {
  const auto whole = [](char* at, std::int64_t number) { return write_number(at, number); };
  if (given.dtype() == nb::dtype<double>()) {
    return write_table<double>(to, given,
                               [](char* at, double number) { return write_number(at, number); });
  }
  if (given.dtype() == nb::dtype<std::int32_t>()) {
    return write_table<std::int32_t>(to, given, whole);
  }
  if (given.dtype() == nb::dtype<std::int64_t>()) {
    return write_table<std::int64_t>(to, given, whole);
  }
  if (given.dtype() == nb::dtype<bool>()) {
    return write_table<std::uint8_t>(to, given, [](char* at, std::uint8_t flag) {
      const std::string_view text = flag != 0 ? "true" : "false";
      return std::copy(text.begin(), text.end(), at);
    });
  }
  throw nb::type_error("numbers must be float64, int32, int64 or bool");
}

nb::object numbers_text(const Numbers& given) {
  if (given.ndim() != 1 && given.ndim() != 2) throw nb::value_error("one or two axes");
  // A number, a comma and a space; of a table also brackets around each row.
  const std::size_t size = (number_width + 2) * given.size() + 4 * given.shape(0) + 4;
  const auto text = std::make_unique_for_overwrite<char[]>(size);
  const char* const end = write_all(text.get(), given);
  if (end == nullptr) return nb::none();
  return nb::str(text.get(), static_cast<std::size_t>(end - text.get()));
}

template <class T>
nb::object shaped(std::vector<T> numbers, std::size_t rows) {
  const std::size_t n = numbers.size();
  std::vector<std::size_t> shape{n};
  if (rows > 0) shape = {rows, n / rows};
  return nb::cast(give_shaped(std::move(numbers), std::move(shape)));
}

/// Whole numbers, as int32 if they fit: those of a tree then need not be converted.
nb::object shaped_wholes(std::vector<std::int64_t> numbers, std::size_t rows) {
  if (!std::all_of(numbers.begin(), numbers.end(), [](std::int64_t number) {
        return number == static_cast<std::int32_t>(number);
      })) {
    return shaped(std::move(numbers), rows);
  }
  return shaped(std::vector<std::int32_t>(numbers.begin(), numbers.end()), rows);
}

nb::object number_lists(const nb::str& text, const std::vector<std::string>& names) {
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (bytes == nullptr) {  // half of a surrogate pair
    PyErr_Clear();
    return nb::none();
  }
  NumberLists found;
  if (!take_number_lists({bytes, static_cast<std::size_t>(size)}, names, found)) return nb::none();
  nb::list lists;
  for (NumberList& list : found.lists) {
    lists.append(list.whole ? shaped_wholes(std::move(list.wholes), list.rows)
                            : shaped(std::move(list.floats), list.rows));
  }
  return nb::make_tuple(nb::str(found.rest.data(), found.rest.size()), lists);
}

}  // namespace

void bind_number_text(nb::module_& m) {
  m.def("numbers_text", &numbers_text, "numbers"_a,
        "An array as a list in JSON, floats as Python writes them; infinity as \"inf\". None for "
        "NaN, and where floats cannot be written here.");
  m.def("number_lists", &number_lists, "text"_a, "names"_a,
        "JSON text with NaN in the place of the lists of numbers under some names, and these as "
        "arrays, in their order. None where the text has NaN of its own.");
}

}  // namespace orderless::bindings
