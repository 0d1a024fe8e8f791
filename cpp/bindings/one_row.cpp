// _core.rows: rows that come one at a time, and small tables.

#include "bindings/one_row.hpp"

#include <cmath>

#include "bindings/calls.hpp"
#include "core/rows/decide.hpp"

namespace orderless::rows {

using namespace bindings;
using namespace nb::literals;

RowReader::RowReader(const nb::list& names, const nb::list& features, std::size_t n_columns)
    : features_(n_columns), n_columns_(n_columns) {
  for (std::size_t i = 0; i < n_columns; ++i) {
    if (features[i].is_none()) continue;
    const auto given = nb::cast<nb::tuple>(features[i]);
    Feature& own = features_[i];
    own.read = true;
    own.ordered = nb::cast<bool>(given[0]);
    own.nan = nb::cast<bool>(given[1]);
    own.whole = nb::cast<bool>(given[2]);
    own.low = nb::cast<double>(given[3]);
    own.high = nb::cast<double>(given[4]);
    own.codes = nb::cast<nb::dict>(given[5]);
    own.missing = nb::cast<std::int32_t>(given[6]);
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool read = i < n_columns && features_[i].read;
    place_[names[i]] = nb::int_(read ? i : n_columns);
  }
}

bool RowReader::legal(const Feature& feature, double x) {
  return x > feature.low && x <= feature.high && std::isfinite(x) && x == std::floor(x);
}

bool RowReader::read_cell(const Feature& feature, PyObject* value, ReadyTree::Cell& cell) {
  using Kind = ReadyTree::Cell::Kind;
  const bool is_float = PyFloat_Check(value);
  double number = is_float ? PyFloat_AsDouble(value) : 0;
  if (value == Py_None || (is_float && std::isnan(number))) {
    if (!feature.nan) return true;
    cell.kind = feature.ordered ? Kind::missing : Kind::code;
    cell.code = feature.missing;
    return true;
  }
  if (!feature.ordered) {
    if (!PyUnicode_CheckExact(value) && !PyLong_Check(value) && !is_float) return false;
    const nb::object held = nb::borrow(value);  // its own hash may take it out of the row
    PyObject* code = PyDict_GetItemWithError(feature.codes.ptr(), value);
    if (code == nullptr) {
      PyErr_Clear();
      return false;
    }
    cell.kind = Kind::code;
    cell.code = static_cast<std::int32_t>(PyLong_AsLong(code));
    return true;
  }
  if (!is_float) {
    if (!PyLong_Check(value)) return false;
    int overflow = 0;
    const long long whole = PyLong_AsLongLongAndOverflow(value, &overflow);
    constexpr long long exact = 1LL << 53;
    if (overflow != 0 || whole >= exact || whole <= -exact) return false;
    number = static_cast<double>(whole);
  }
  if (feature.whole && !legal(feature, number)) return false;
  cell.kind = Kind::number;
  cell.number = number;
  return true;
}

bool RowReader::read(nb::handle row, Cells& cells) const {
  PyObject* const given = row.ptr();
  if (PyDict_CheckExact(given)) {
    PyObject* name = nullptr;
    PyObject* value = nullptr;
    Py_ssize_t at = 0;
    while (PyDict_Next(given, &at, &name, &value) != 0) {
      if (!PyUnicode_CheckExact(name)) return false;
      PyObject* const place = PyDict_GetItemWithError(place_.ptr(), name);
      if (place == nullptr) {
        PyErr_Clear();
        return false;
      }
      const auto i = static_cast<std::size_t>(PyLong_AsLong(place));
      if (i < n_columns_ && !read_cell(features_[i], value, cells[i])) return false;
    }
    return true;
  }
  const bool list = PyList_CheckExact(given);
  if (!list && !PyTuple_CheckExact(given)) return false;
  const Py_ssize_t n = list ? PyList_Size(given) : PyTuple_Size(given);
  if (static_cast<std::size_t>(n) != n_columns_) return false;
  for (std::size_t i = 0; i < n_columns_; ++i) {
    const auto k = static_cast<Py_ssize_t>(i);
    PyObject* const value = list ? PyList_GetItem(given, k) : PyTuple_GetItem(given, k);
    if (features_[i].read && !read_cell(features_[i], value, cells[i])) return false;
  }
  return true;
}

namespace {

using Bytes = nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Matrix = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;

/// A tree and how its rows are read, made ready once.
class RowPredictor {
 public:
  RowPredictor(const RowReader& reader, const nb::tuple& nodes, const nb::tuple& domains,
               const Array<double>& threshold, const Array<std::int32_t>& place, nb::tuple classes)
      : reader_(reader),
        nodes_(nodes),
        domains_(read_domains(domains)),
        threshold_(threshold),
        place_(view(place).begin(), view(place).end()),
        tree_(nodes_.tree(), domains_, view(threshold_), place_),
        classes_(std::move(classes)) {
    const TreeView tree = nodes_.tree();
    for (const std::int32_t f : tree.feature) {
      if (f >= 0 && !domains_[static_cast<std::size_t>(f)].ordered) numbers_ = false;
    }
  }

  /// The row's class, None where it is not determined, NotImplemented where it is not read here.
  nb::object one(nb::handle row) const {
    RowReader::Cells cells(reader_.n_columns());
    if (!reader_.read(row, cells)) return nb::borrow(Py_NotImplemented);
    const std::int32_t label = tree_.decide(cells);
    if (label < 0) return nb::none();
    return nb::borrow(PyTuple_GetItem(classes_.ptr(), static_cast<Py_ssize_t>(label)));
  }

  /// Writes labels of a table of floats; false, and nothing written, where it is not read here.
  bool table(const Matrix& rows, std::size_t n_threads, const Array<std::uint8_t>& items,
             std::size_t item_size, const Bytes& data, const Bytes& hidden) const {
    const bool wide = rows.dtype() == nb::dtype<double>();
    if (!numbers_ || rows.shape(1) != reader_.n_columns()) return false;
    if (!wide && rows.dtype() != nb::dtype<float>()) return false;
    if (data.size() != rows.shape(0) * item_size || hidden.size() != rows.shape(0)) return false;
    const auto run = [&]<class T>(T) {
      return label<T>(rows, n_threads,
                      {std::as_bytes(view(items)), item_size,
                       reinterpret_cast<std::byte*>(data.data()), hidden.data()});
    };
    return unlocked([&] { return wide ? run(double{}) : run(float{}); });
  }

 private:
  template <class T>
  bool label(const Matrix& rows, std::size_t n_threads, const LabelBytes& out) const {
    const auto* base = static_cast<const std::byte*>(rows.data());
    const auto step = [&](std::size_t axis) {
      return static_cast<std::ptrdiff_t>(rows.stride(axis)) *
             static_cast<std::ptrdiff_t>(sizeof(T));
    };
    const std::size_t n = rows.shape(0);
    if (!reader_.legal<T>(base, step(0), step(1), n)) return false;
    const auto take = [&](std::size_t first, std::span<const std::int32_t> some) {
      out.write(first, some);
    };
    // What is made for many rows is not worth it for few.
    if (n <= 16 || n < tree_.n_nodes() / 4) {
      std::vector<std::int32_t> labels(n);
      for (std::size_t i = 0; i < n; ++i) {
        labels[i] = tree_.decide<T>(base + step(0) * static_cast<std::ptrdiff_t>(i), step(1));
        if (i % 1024 == 1023) poll_signals();
      }
      take(0, labels);
      return true;
    }
    std::vector<Column> columns(domains_.size());
    for (std::size_t f = 0; f < columns.size(); ++f) {
      if (place_[f] < 0) continue;
      columns[f].kind = sizeof(T) == sizeof(double) ? Column::Kind::f64 : Column::Kind::f32;
      columns[f].first = base + step(1) * place_[f];
      columns[f].stride = step(0);
    }
    decide(nodes_.tree(), domains_, view(threshold_), columns, n, n_threads, poll_signals, take);
    return true;
  }

  RowReader reader_;
  Nodes nodes_;
  std::vector<Domain> domains_;
  Array<double> threshold_;
  std::vector<std::int32_t> place_;  // by feature its column, -1 where it is not read
  ReadyTree tree_;
  nb::tuple classes_;
  bool numbers_ = true;
};

}  // namespace

void bind_one_row(nb::module_& m) {
  nb::class_<RowReader>(m, "RowReader")
      .def(nb::init<const nb::list&, const nb::list&, std::size_t>(), "names"_a, "features"_a,
           "n_columns"_a);
  nb::class_<RowPredictor>(m, "RowPredictor")
      .def(nb::init<const RowReader&, const nb::tuple&, const nb::tuple&, const Array<double>&,
                    const Array<std::int32_t>&, nb::tuple>(),
           "reader"_a, "nodes"_a, "domains"_a, "threshold"_a, "place"_a, "classes"_a)
      .def("one", &RowPredictor::one, "row"_a,
           "The row's class; None: not determined; NotImplemented: not read here.")
      .def("table", &RowPredictor::table, "rows"_a, "n_threads"_a, "items"_a, "item_size"_a,
           "data"_a, "hidden"_a, "As `label`, of a table of floats; False: not read here.");
}

}  // namespace orderless::rows
