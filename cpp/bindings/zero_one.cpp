// Tables of 0 and 1, and labels that are two neighbouring numbers, read in one pass each.

#include "bindings/zero_one.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "bindings/calls.hpp"
#include "core/base/zero_one.hpp"

namespace orderless::bindings {

using namespace nb::literals;

namespace {

/// The numbers of an array where they lie, also where it may not be written to, or is a view.
class Lent {
 public:
  explicit Lent(nb::handle array) {
    held_ = PyObject_GetBuffer(array.ptr(), &buffer_, PyBUF_RECORDS_RO) == 0;
    if (!held_) PyErr_Clear();
  }
  ~Lent() {
    if (held_) PyBuffer_Release(&buffer_);
  }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;

  /// As a table of so many dimensions, 1 or 2; nothing for any other array.
  [[nodiscard]] std::optional<NumberTable> table(int n_dimensions) const {
    if (!held_ || buffer_.ndim != n_dimensions) return std::nullopt;
    const std::optional<NumberType> type = type_of(buffer_.format, buffer_.itemsize);
    if (!type) return std::nullopt;
    NumberTable out;
    out.data = static_cast<const std::byte*>(buffer_.buf);
    out.type = *type;
    out.n_rows = static_cast<std::size_t>(buffer_.shape[0]);
    out.to_row = buffer_.strides[0];
    if (n_dimensions == 2) {
      out.n_columns = static_cast<std::size_t>(buffer_.shape[1]);
      out.to_column = buffer_.strides[1];
    }
    return out;
  }

 private:
  /// One letter, as struct.pack has it; before it may stand that the bytes are in our order, which
  /// numpy says of numbers that are not aligned.
  [[nodiscard]] static std::optional<NumberType> type_of(const char* format, Py_ssize_t size) {
    using enum NumberType;
    if (format == nullptr) return std::nullopt;
    if (format[0] == '=' || format[0] == '<' || format[0] == '@') ++format;
    if (format[0] == '\0' || format[1] != '\0') return std::nullopt;
    const auto by_size = [size](NumberType one, NumberType two, NumberType four, NumberType eight) {
      return size == 1 ? one : size == 2 ? two : size == 4 ? four : eight;
    };
    switch (format[0]) {
      case 'b':
      case 'h':
      case 'i':
      case 'l':
      case 'q':
        return by_size(i8, i16, i32, i64);
      case '?':
      case 'B':
      case 'H':
      case 'I':
      case 'L':
      case 'Q':
        return by_size(u8, u16, u32, u64);
      case 'f':
        return f32;
      case 'd':
        return f64;
      default:
        return std::nullopt;
    }
  }

  Py_buffer buffer_{};
  bool held_ = false;
};

/// Looks at so many numbers, without the GIL if they are many: to give it back takes longer than to
/// look at a few.
template <class Work>
auto look_at(std::size_t n, Work&& work) {
  constexpr std::size_t few = 1U << 14U;
  return n <= few ? work() : unlocked(work);
}

nb::object zero_one(nb::handle array) {
  const Lent lent(array);
  const std::optional<NumberTable> table = lent.table(2);
  if (!table) return nb::none();
  std::vector<std::uint8_t> bits(table->n_rows * table->n_columns);
  if (!look_at(bits.size(), [&] { return write_zero_one(*table, bits.data()); })) return nb::none();
  return nb::cast(give_shaped(std::move(bits), {table->n_rows, table->n_columns}));
}

nb::object two_labels(nb::handle array) {
  const Lent lent(array);
  const std::optional<NumberTable> column = lent.table(1);
  if (!column) return nb::none();
  std::vector<std::int32_t> labels(column->n_rows);
  const std::optional<std::int64_t> low =
      look_at(labels.size(), [&] { return write_two_labels(*column, labels.data()); });
  if (!low) return nb::none();
  const nb::int_ first =
      column->type == NumberType::u64 ? nb::int_(static_cast<std::uint64_t>(*low)) : nb::int_(*low);
  return nb::make_tuple(first, give(std::move(labels)));
}

}  // namespace

void bind_zero_one(nb::module_& m) {
  m.def("zero_one", &zero_one, "table"_a,
        "A table of any type of numbers as bytes; None where it holds more than 0 and 1.");
  m.def("two_labels", &two_labels, "y"_a,
        "The smaller of two neighbouring whole numbers, and by row which it is; None for others.");
}

}  // namespace orderless::bindings
