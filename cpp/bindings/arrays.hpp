#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <span>
#include <vector>

#include "core/base/field.hpp"
#include "core/tree/tree.hpp"

namespace orderless::bindings {

namespace nb = nanobind;

template <class T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
using Table = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> view(const Array<T>& array) {
  return {array.data(), array.size()};
}

template <class T>
std::span<const T> view(const Table<T>& table) {
  return {table.data(), table.size()};
}

/// Pairs of field elements, one after the other.
[[nodiscard]] std::vector<Point> points(const Array<std::uint64_t>& flat);

/// Hands a vector over to numpy without a copy.
template <class T, class Tag = T>
nb::ndarray<nb::numpy, Tag, nb::ndim<1>> give(std::vector<T> values) {
  auto* owner = new std::vector<T>(std::move(values));
  nb::capsule free(owner, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, Tag, nb::ndim<1>>(owner->data(), {owner->size()}, free);
}

/// Likewise, in a shape.
template <class T>
nb::ndarray<nb::numpy, T> give_shaped(std::vector<T> values, std::vector<std::size_t> shape) {
  auto* owner = new std::vector<T>(std::move(values));
  nb::capsule free(owner, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T>(owner->data(), shape.size(), shape.data(), free);
}

/// orderless.model.Nodes of one tree, or of many one after the other, kept alive while C++ looks at
/// them.
struct Nodes {
  Array<std::int32_t> feature;
  Array<double> threshold;
  Array<std::uint8_t> nan_true;
  Array<std::int32_t> when_true;
  Array<std::int32_t> when_false;
  Array<std::int32_t> leaf_class;
  Array<std::int64_t> set_start;
  Array<std::int32_t> set_values;

  explicit Nodes(const nb::tuple& arrays);
  [[nodiscard]] TreeView tree() const;
};

/// orderless.model.Domains: ordered, nan, lower, upper, n_values by feature.
std::vector<Domain> read_domains(const nb::tuple& arrays);

/// Lets Ctrl-C through; called by the core with the GIL released.
void poll_signals();

}  // namespace orderless::bindings
