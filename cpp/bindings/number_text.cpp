// Lists of numbers in JSON text: written, and found, without an object for each of them.

#include "bindings/number_text.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace orderless::bindings {

using namespace nb::literals;

namespace {

// -- out -----------------------------------------------------------------------------------------

void write_whole(std::string& out, std::int64_t number) {
  std::array<char, 24> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out.append(digits.data(), end);
}

/// As Python's repr of a float: the shortest digits that read back as the same number.
void write_float(std::string& out, double number) {
  if (std::isinf(number)) {
    out += number > 0 ? "\"inf\"" : "\"-inf\"";
    return;
  }
  if (std::isnan(number)) throw nb::value_error("NaN cannot be written");
  if (std::abs(number) < 1e15 && number == std::floor(number) &&
      !(number == 0 && std::signbit(number))) {
    write_whole(out, static_cast<std::int64_t>(number));
    out += ".0";
    return;
  }
#if defined(__cpp_lib_to_chars)
  std::array<char, 40> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number,
                                 std::chars_format::scientific).ptr;
  std::string_view rest(text.data(), static_cast<std::size_t>(end - text.data()));
  if (rest.front() == '-') {
    out += '-';
    rest.remove_prefix(1);
  }
  const std::size_t e = rest.find('e');
  int power = 0;
  std::from_chars(rest.data() + e + 1 + (rest[e + 1] == '+' ? 1 : 0), rest.data() + rest.size(),
                  power);
  std::array<char, 32> digits;
  int n = 0;
  for (const char c : rest.substr(0, e)) {
    if (c != '.') digits[static_cast<std::size_t>(n++)] = c;
  }
  const std::string_view all(digits.data(), static_cast<std::size_t>(n));
  if (power < -4 || power >= 16) {
    out += all.front();
    if (n > 1) (out += '.').append(all.substr(1));
    out += power < 0 ? "e-" : "e+";
    const int size = std::abs(power);
    if (size < 10) out += '0';
    write_whole(out, size);
  } else if (power < 0) {
    (out += "0.").append(static_cast<std::size_t>(-power - 1), '0').append(all);
  } else {
    const auto whole = static_cast<std::size_t>(power) + 1;
    if (all.size() <= whole) {
      out.append(all).append(whole - all.size(), '0').append(".0");
    } else {
      (out.append(all.substr(0, whole)) += '.').append(all.substr(whole));
    }
  }
#else
  char* text = PyOS_double_to_string(number, 'r', 0, Py_DTSF_ADD_DOT_0, nullptr);
  if (text == nullptr) throw nb::python_error();
  out += text;
  PyMem_Free(text);
#endif
}

using Numbers = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

template <class T, class Write>
void write_list(std::string& out, const T* numbers, std::size_t n, const Write& write) {
  out += '[';
  for (std::size_t i = 0; i < n; ++i) {
    if (i > 0) out += ", ";
    write(out, numbers[i]);
  }
  out += ']';
}

template <class T, class Write>
void write_table(std::string& out, const Numbers& given, const Write& write) {
  const T* numbers = static_cast<const T*>(given.data());
  if (given.ndim() == 1) return write_list(out, numbers, given.shape(0), write);
  const std::size_t n = given.shape(0), width = given.shape(1);
  out += '[';
  for (std::size_t i = 0; i < n; ++i) {
    if (i > 0) out += ", ";
    write_list(out, numbers + i * width, width, write);
  }
  out += ']';
}

nb::str numbers_text(const Numbers& given) {
  if (given.ndim() != 1 && given.ndim() != 2) throw nb::value_error("one or two axes");
  std::string out;
  out.reserve(8 * given.size() + 2);
  if (given.dtype() == nb::dtype<double>()) {
    write_table<double>(out, given, write_float);
  } else if (given.dtype() == nb::dtype<std::int32_t>()) {
    write_table<std::int32_t>(out, given, write_whole);
  } else if (given.dtype() == nb::dtype<std::int64_t>()) {
    write_table<std::int64_t>(out, given, write_whole);
  } else if (given.dtype() == nb::dtype<bool>()) {
    write_table<std::uint8_t>(out, given, [](std::string& text, std::uint8_t flag) {
      text += flag != 0 ? "true" : "false";
    });
  } else {
    throw nb::type_error("numbers must be float64, int32, int64 or bool");
  }
  return nb::str(out.data(), out.size());
}

// -- in ------------------------------------------------------------------------------------------

constexpr std::int64_t exact = std::int64_t{1} << 53;

/// Numbers that were read; whole ones until a fraction is met.
struct ReadList {
  std::vector<double> floats;
  std::vector<std::int64_t> wholes;
  bool whole = true;
  std::size_t rows = 0;  // of a table
};

class Scanner {
 public:
  Scanner(std::string_view text, std::vector<std::string> names)
      : text_(text), names_(std::move(names)) {}

  /// The text with NaN in the place of each list that was read; false where NaN, or the like, is
  /// there already.
  bool run() {
    std::size_t copied = 0;
    while (i_ < text_.size()) {
      const char c = text_[i_];
      if (c == 'N' || c == 'I') return false;
      if (c != '"') {
        ++i_;
        continue;
      }
      const std::size_t begin = ++i_;
      while (i_ < text_.size() && text_[i_] != '"') i_ += text_[i_] == '\\' ? 2 : 1;
      if (i_ >= text_.size()) return false;
      const std::string_view name = text_.substr(begin, i_ - begin);
      ++i_;
      if (!known(name)) continue;
      const std::size_t after = i_;
      skip();
      if (i_ >= text_.size() || text_[i_] != ':') continue;
      ++i_;
      skip();
      const std::size_t value = i_;
      ReadList list;
      if (read(list)) {
        rest_.append(text_.substr(copied, value - copied)).append("NaN");
        copied = i_;
        found_.push_back(std::move(list));
      } else {
        i_ = after;
      }
    }
    rest_.append(text_.substr(copied));
    return true;
  }

  std::string rest_;
  std::vector<ReadList> found_;

 private:
  [[nodiscard]] bool known(std::string_view name) const {
    for (const std::string& own : names_) {
      if (own == name) return true;
    }
    return false;
  }

  void skip() {
    while (i_ < text_.size() &&
           (text_[i_] == ' ' || text_[i_] == '\n' || text_[i_] == '\t' || text_[i_] == '\r')) {
      ++i_;
    }
  }

  bool take(char c) {
    skip();
    if (i_ >= text_.size() || text_[i_] != c) return false;
    ++i_;
    return true;
  }

  /// A list of numbers, or of lists of as many numbers each.
  bool read(ReadList& list) {
    if (!take('[')) return false;
    skip();
    if (i_ >= text_.size() || text_[i_] != '[') return read_row(list) && list_size(list) > 0;
    std::size_t width = 0;
    do {
      if (!take('[') || !read_row(list)) return false;
      ++list.rows;
      if (list.rows == 1) width = list_size(list);
      if (width == 0 || list_size(list) != width * list.rows) return false;
    } while (take(','));
    return take(']');
  }

  static std::size_t list_size(const ReadList& list) {
    return list.whole ? list.wholes.size() : list.floats.size();
  }

  /// The numbers up to the bracket that ends them.
  bool read_row(ReadList& list) {
    do {
      skip();
      if (!read_number(list)) return false;
    } while (take(','));
    return take(']');
  }

  [[nodiscard]] bool digit(std::size_t i) const {
    return i < text_.size() && text_[i] >= '0' && text_[i] <= '9';
  }

  bool read_number(ReadList& list) {
    const std::size_t begin = i_;
    std::size_t i = begin + (i_ < text_.size() && text_[i_] == '-' ? 1 : 0);
    if (!digit(i) || (text_[i] == '0' && digit(i + 1))) return false;
    while (digit(i)) ++i;
    const bool fraction = i < text_.size() && (text_[i] == '.' || text_[i] == 'e' || text_[i] == 'E');
    if (!fraction) {
      std::int64_t number = 0;
      const auto [end, fault] = std::from_chars(text_.data() + begin, text_.data() + i, number);
      if (fault != std::errc{}) return false;
      i_ = i;
      return add_whole(list, number);
    }
    if (text_[i] == '.') {
      if (!digit(++i)) return false;
      while (digit(i)) ++i;
    }
    if (i < text_.size() && (text_[i] == 'e' || text_[i] == 'E')) {
      ++i;
      if (i < text_.size() && (text_[i] == '+' || text_[i] == '-')) ++i;
      if (!digit(i)) return false;
      while (digit(i)) ++i;
    }
    i_ = i;
    return add_float(list, text_.substr(begin, i - begin));
  }

  static bool add_whole(ReadList& list, std::int64_t number) {
    if (list.whole) {
      list.wholes.push_back(number);
    } else {
      if (number > exact || number < -exact) return false;
      list.floats.push_back(static_cast<double>(number));
    }
    return true;
  }

  static bool add_float(ReadList& list, std::string_view text) {
    if (list.whole) {
      for (const std::int64_t number : list.wholes) {
        if (number > exact || number < -exact) return false;
        list.floats.push_back(static_cast<double>(number));
      }
      list.whole = false;
      list.wholes.clear();
    }
    double number = 0;
#if defined(__cpp_lib_to_chars)
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault != std::errc{} || end != text.data() + text.size()) return false;
#else
    number = PyOS_string_to_double(std::string(text).c_str(), nullptr, nullptr);
    if (PyErr_Occurred() != nullptr || std::isinf(number)) {
      PyErr_Clear();
      return false;
    }
#endif
    list.floats.push_back(number);
    return true;
  }

  std::string_view text_;
  std::vector<std::string> names_;
  std::size_t i_ = 0;
};

nb::object give_list(ReadList list) {
  const auto shaped = [&]<class T>(std::vector<T> numbers) -> nb::object {
    const std::size_t n = numbers.size();
    std::vector<std::size_t> shape{n};
    if (list.rows > 0) shape = {list.rows, n / list.rows};
    return nb::cast(give_shaped(std::move(numbers), std::move(shape)));
  };
  return list.whole ? shaped(std::move(list.wholes)) : shaped(std::move(list.floats));
}

nb::object number_lists(nb::str text, const nb::list& names) {
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (bytes == nullptr) {  // half of a surrogate pair
    PyErr_Clear();
    return nb::none();
  }
  std::vector<std::string> wanted;
  for (const nb::handle name : names) wanted.emplace_back(nb::cast<nb::str>(name).c_str());
  Scanner scanner({bytes, static_cast<std::size_t>(size)}, std::move(wanted));
  if (!scanner.run()) return nb::none();
  nb::list found;
  for (ReadList& list : scanner.found_) found.append(give_list(std::move(list)));
  return nb::make_tuple(nb::str(scanner.rest_.data(), scanner.rest_.size()), found);
}

}  // namespace

void bind_number_text(nb::module_& m) {
  m.def("numbers_text", &numbers_text, "numbers"_a,
        "An array as a list in JSON, floats as Python writes them; infinity as \"inf\".");
  m.def("number_lists", &number_lists, "text"_a, "names"_a,
        "JSON text with NaN in the place of the lists of numbers under some names, and these as "
        "arrays, in their order. None where the text has NaN of its own.");
}

}  // namespace orderless::bindings
