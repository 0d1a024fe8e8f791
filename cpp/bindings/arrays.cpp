#include "bindings/arrays.hpp"

namespace orderless::bindings {

Nodes::Nodes(const nb::tuple& arrays)
    : feature(nb::cast<Array<std::int32_t>>(arrays[0])),
      threshold(nb::cast<Array<double>>(arrays[1])),
      nan_true(nb::cast<Array<std::uint8_t>>(arrays[2])),
      when_true(nb::cast<Array<std::int32_t>>(arrays[3])),
      when_false(nb::cast<Array<std::int32_t>>(arrays[4])),
      leaf_class(nb::cast<Array<std::int32_t>>(arrays[5])),
      set_start(nb::cast<Array<std::int64_t>>(arrays[6])),
      set_values(nb::cast<Array<std::int32_t>>(arrays[7])) {}

TreeView Nodes::tree() const {
  return {view(feature),    view(threshold),  view(nan_true),  view(when_true),
          view(when_false), view(leaf_class), view(set_start), view(set_values)};
}

std::vector<Domain> read_domains(const nb::tuple& arrays) {
  const auto ordered = nb::cast<Array<std::uint8_t>>(arrays[0]);
  const auto nan = nb::cast<Array<std::uint8_t>>(arrays[1]);
  const auto lower = nb::cast<Array<double>>(arrays[2]);
  const auto upper = nb::cast<Array<double>>(arrays[3]);
  const auto n_values = nb::cast<Array<std::int32_t>>(arrays[4]);
  std::vector<Domain> domains(ordered.size());
  for (std::size_t f = 0; f < domains.size(); ++f) {
    domains[f] = {ordered.data()[f] != 0, nan.data()[f] != 0, lower.data()[f], upper.data()[f],
                  n_values.data()[f]};
  }
  return domains;
}

std::vector<Point> points(const Array<std::uint64_t>& flat) {
  std::vector<Point> out(flat.size() / 2);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = {flat.data()[2 * i], flat.data()[2 * i + 1]};
  }
  return out;
}

void poll_signals() {
  nb::gil_scoped_acquire locked;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

}  // namespace orderless::bindings
