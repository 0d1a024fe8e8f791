#include "core/base/number_text.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

namespace orderless {

// -- out -----------------------------------------------------------------------------------------

namespace {

constexpr bool little = std::endian::native == std::endian::little;

/// 00, 01, ... 99.
constexpr auto pairs = [] {
  std::array<char, 200> out{};
  for (std::size_t i = 0; i < 100; ++i) {
    out[2 * i] = static_cast<char>('0' + i / 10);
    out[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return out;
}();

/// Two digits, the first one lowest.
std::uint32_t pair(std::uint64_t number) {
  const char* const at = &pairs[2 * number];
  return std::bit_cast<std::uint16_t>(std::array<char, 2>{at[0], at[1]});
}

}  // namespace

char* write_number(char* to, std::int64_t number) {
  // Without a branch for the sign or for each digit: nobody can guess how long the next one is.
  auto size = static_cast<std::uint64_t>(number);
  *to = '-';
  to += number < 0 ? 1 : 0;
  size = number < 0 ? 0 - size : size;
  if (!little || size >= 10'000) return std::to_chars(to, to + number_width, size).ptr;
  const std::uint32_t zeros =
      (size < 1000 ? 1U : 0U) + (size < 100 ? 1U : 0U) + (size < 10 ? 1U : 0U);
  const std::uint32_t four = (pair(size / 100) | pair(size % 100) << 16) >> (8 * zeros);
  const auto text = std::bit_cast<std::array<char, 4>>(four);
  std::copy_n(text.data(), 4, to);
  return to + 4 - zeros;
}

namespace {

char* write_text(char* to, std::string_view text) {
  return std::copy(text.begin(), text.end(), to);
}

#if defined(__cpp_lib_to_chars)
/// d.ddd x 10^power, as Python's repr writes it.
char* write_digits(char* to, std::string_view digits, int power) {
  if (power < -4 || power >= 16) {
    *to++ = digits.front();
    if (digits.size() > 1) {
      *to++ = '.';
      to = write_text(to, digits.substr(1));
    }
    to = write_text(to, power < 0 ? "e-" : "e+");
    if (std::abs(power) < 10) *to++ = '0';
    return write_number(to, std::int64_t{std::abs(power)});
  }
  if (power < 0) {
    to = write_text(to, "0.");
    to = std::fill_n(to, -power - 1, '0');
    return write_text(to, digits);
  }
  const auto whole = static_cast<std::size_t>(power) + 1;
  if (digits.size() <= whole) {
    to = write_text(to, digits);
    to = std::fill_n(to, whole - digits.size(), '0');
    return write_text(to, ".0");
  }
  to = write_text(to, digits.substr(0, whole));
  *to++ = '.';
  return write_text(to, digits.substr(whole));
}
#endif

}  // namespace

char* write_number(char* to, double number) {
  const double size = std::abs(number);
  if (size < 1e15) {
    const auto whole = static_cast<std::int64_t>(number);
    // Bit by bit, because -0.0 is no whole number here.
    const auto again = std::bit_cast<std::uint64_t>(static_cast<double>(whole));
    if (again == std::bit_cast<std::uint64_t>(number)) {
      return write_text(write_number(to, whole), ".0");
    }
  }
  if (std::isnan(number)) return nullptr;
  if (std::isinf(number)) return write_text(to, number > 0 ? "\"inf\"" : "\"-inf\"");
#if defined(__cpp_lib_to_chars)
  if (size >= 1e-4 && size < 1e15) {  // what is not whole has the digits that tell it apart
    return std::to_chars(to, to + number_width, number, std::chars_format::fixed).ptr;
  }
  std::array<char, number_width> text;
  const char* const end =
      std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::scientific)
          .ptr;
  const char* at = text.data();
  if (*at == '-') *to++ = *at++;
  const char* const e = std::find(at, end, 'e');
  int power = 0;
  std::from_chars(e + (e[1] == '+' ? 2 : 1), end, power);
  std::array<char, number_width> digits;
  digits[0] = *at;
  const char* const rest = std::min(at + 2, e);  // behind the point, if there is one
  const char* const last = std::copy(rest, e, digits.data() + 1);
  return write_digits(to, {digits.data(), static_cast<std::size_t>(last - digits.data())}, power);
#else
  return nullptr;
#endif
}

// -- in ------------------------------------------------------------------------------------------

namespace {

constexpr std::int64_t exact = std::int64_t{1} << 53;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

std::size_t count(const NumberList& list) {
  return list.whole ? list.wholes.size() : list.floats.size();
}

/// Reads lists, character by character. The text ends with a character that is none of JSON's.
class Reader {
 public:
  Reader(const char* at, const char* end) : at_(at), end_(end) {}

  [[nodiscard]] const char* where() const { return at_; }

  void skip() {
    while (at_ != end_ && is_space(*at_)) ++at_;
  }

  bool take(char c) {
    skip();
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }

  /// A list of numbers, or of lists of as many numbers each.
  bool list(NumberList& out) {
    if (!take('[')) return false;
    skip();
    if (at_ == end_ || *at_ != '[') return row(out);
    std::size_t width = 0;
    do {
      if (!take('[') || !row(out)) return false;
      if (++out.rows == 1) width = count(out);
      if (count(out) != width * out.rows) return false;
    } while (take(','));
    return take(']');
  }

 private:
  /// Numbers, at least one, up to the bracket that ends them.
  bool row(NumberList& out) {
    wholes(out);
    do {
      skip();
      if (!number(out)) return false;
    } while (take(','));
    return take(']');
  }

  /// Whole numbers of few digits with a comma and a space behind each, as we write them.
  void wholes(NumberList& out) {
    if (!out.whole) return;
    std::array<std::int64_t, 64> some;
    std::size_t n = 0;
    const char* at = at_;
    while (end_ - at > 16) {
      const bool minus = *at == '-';
      const char* i = at + (minus ? 1 : 0);
      std::int64_t number = *i++ - '0';
      if (number < 0 || number > 9) break;
      if (number > 0) {
        while (is_digit(*i) && i - at < 12) number = 10 * number + (*i++ - '0');
      }
      if (i[0] != ',' || i[1] != ' ') break;
      some[n++] = minus ? -number : number;
      at = i + 2;
      if (n == some.size()) {
        out.wholes.insert(out.wholes.end(), some.begin(), some.end());
        n = 0;
      }
    }
    out.wholes.insert(out.wholes.end(), some.data(), some.data() + n);
    at_ = at;
  }

  [[nodiscard]] bool digit(const char* at) const { return at != end_ && is_digit(*at); }

  bool number(NumberList& out) {
    const char* const begin = at_;
    const bool minus = at_ != end_ && *at_ == '-';
    const char* const first = at_ + (minus ? 1 : 0);
    const char* i = first;
    std::uint64_t whole = 0;
    for (; digit(i); ++i) whole = 10 * whole + static_cast<std::uint64_t>(*i - '0');
    if (i == first || (*first == '0' && i - first > 1)) return false;
    at_ = i;
    if (i == end_ || (*i != '.' && *i != 'e' && *i != 'E')) {
      if (i - first > 18) return long_whole(out, begin, i);
      const auto size = static_cast<std::int64_t>(whole);
      return add(out, minus ? -size : size);
    }
    if (out.whole && !become_floats(out)) return false;
    // Counts are written with ".0", and are exact.
    if (*i == '.' && end_ - i > 2 && i[1] == '0' && i - first <= 15 && !goes_on(i[2])) {
      at_ = i + 2;
      const auto size = static_cast<double>(whole);
      out.floats.push_back(minus ? -size : size);
      return true;
    }
    return fraction(out, begin);
  }

  /// Whether a number that is written so far may be longer.
  static bool goes_on(char c) { return is_digit(c) || c == 'e' || c == 'E'; }

  static bool long_whole(NumberList& out, const char* begin, const char* end) {
    std::int64_t number = 0;
    const auto [at, fault] = std::from_chars(begin, end, number);
    return fault == std::errc{} && at == end && add(out, number);
  }

  static bool add(NumberList& out, std::int64_t number) {
    if (out.whole) {
      out.wholes.push_back(number);
      return true;
    }
    if (number > exact || number < -exact) return false;
    out.floats.push_back(static_cast<double>(number));
    return true;
  }

  static bool become_floats(NumberList& out) {
    out.whole = false;
    for (const std::int64_t number : out.wholes) {
      if (!add(out, number)) return false;
    }
    out.wholes.clear();
    return true;
  }

  /// A number with digits behind a point, or an exponent, at which the reader is.
  bool fraction(NumberList& out, const char* begin) {
#if defined(__cpp_lib_to_chars)
    if (*at_ == '.' && !digit(at_ + 1)) return false;
    double number = 0;
    const auto [end, fault] = std::from_chars(begin, end_, number);
    if (fault != std::errc{} || end == at_) return false;  // an exponent without digits
    at_ = end;
    out.floats.push_back(number);
    return true;
#else
    static_cast<void>(out);
    static_cast<void>(begin);
    return false;
#endif
  }

  const char* at_;
  const char* end_;
};

}  // namespace

bool take_number_lists(std::string_view text, std::span<const std::string> names,
                       NumberLists& out) {
  const char* const end = text.data() + text.size();
  const char* copied = text.data();
  for (const char* at = copied; at < end;) {
    if (*at == 'N' || *at == 'I') return false;
    if (*at++ != '"') continue;
    const char* const begin = at;
    while (at < end && *at != '"') at += *at == '\\' ? 2 : 1;
    if (at >= end) return false;
    const std::string_view name(begin, static_cast<std::size_t>(at - begin));
    ++at;
    if (std::find(names.begin(), names.end(), name) == names.end()) continue;
    Reader reader(at, end);
    if (!reader.take(':')) continue;
    reader.skip();
    const char* const value = reader.where();
    NumberList list;
    if (!reader.list(list)) continue;
    out.rest.append(copied, value).append("NaN");
    out.lists.push_back(std::move(list));
    copied = at = reader.where();
  }
  out.rest.append(copied, end);
  return true;
}

}  // namespace orderless
