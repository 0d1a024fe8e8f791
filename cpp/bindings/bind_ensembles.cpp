// _core.ensembles: trees that are added up.

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "bindings/bins.hpp"
#include "bindings/calls.hpp"
#include "bindings/record.hpp"
#include "core/ensembles/room.hpp"

namespace orderless::ensembles {

using namespace bindings;
using namespace nb::literals;

namespace {

Record evaluated_record, decided_record, possible_record, extremes_record;

constexpr std::size_t default_room = std::size_t{1} << 30;

/// Rows of numbers, handed to numpy in a shape.
template <class T>
nb::ndarray<nb::numpy, T> give_shaped(std::vector<T> values, std::vector<std::size_t> shape) {
  auto* owner = new std::vector<T>(std::move(values));
  nb::capsule free(owner, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T>(owner->data(), shape.size(), shape.data(), free);
}

void put_cell(std::vector<std::int32_t>& table, std::size_t row, const Cell& cell) {
  std::ranges::copy(cell, table.begin() + static_cast<std::ptrdiff_t>(row * cell.size()));
}

std::span<const std::uint8_t> box_of(const Sum& sum, const Table<std::uint8_t>& boxes,
                                     std::size_t i) {
  return {boxes.data() + i * sum.n_bins(), sum.n_bins()};
}

void check_width(std::size_t came, std::size_t wanted) {
  if (came != wanted) throw std::invalid_argument("rows are not as wide as the features' bins");
}

void make(Sum* place, const nb::tuple& arrays, const nb::tuple& layout,
          const Array<std::int32_t>& roots, const Array<std::int32_t>& score,
          const Table<double>& values, const Table<std::int64_t>& whole, const Array<double>& base,
          const Array<std::int64_t>& whole_base, const Array<std::int64_t>& slack, bool single,
          bool base_last, double divisor, int rule, const Array<double>& cuts,
          const Array<std::int64_t>& whole_cuts, std::int64_t window, std::int32_t n_classes,
          bool either) {
  const BinNodes nodes(arrays);
  const SumParts parts{nodes.tree(), view(roots),      view(score),      view(values),
                       view(whole),  view(base),       view(whole_base), view(slack),
                       single,       base_last,        divisor,          static_cast<Rule>(rule),
                       view(cuts),   view(whole_cuts), window,           n_classes,
                       either};
  new (place) Sum(parts, bin_features(layout));
}

nb::object evaluate_cells(const Sum& sum, const Table<std::int32_t>& cells, std::size_t n_threads) {
  check_width(cells.shape(1), sum.n_features());
  const std::size_t n = cells.shape(0);
  const std::size_t width = sum.n_scores();
  std::vector<double> sums(n * width);
  std::vector<std::int32_t> label(n);
  unlocked([&] {
    each(n, n_threads, 1e9, 0, poll_signals, [&](std::size_t i, Watch&) {
      const std::span cell{cells.data() + i * sum.n_features(), sum.n_features()};
      label[i] = replay(sum, cell, std::span(sums).subspan(i * width, width));
    });
  });
  return evaluated_record(give_shaped(std::move(sums), {n, width}), give(std::move(label)));
}

nb::object decide_boxes(const Sum& sum, const Table<std::uint8_t>& boxes, double time_limit,
                        std::size_t n_threads, std::size_t memory_limit) {
  check_width(boxes.shape(1), sum.n_bins());
  const std::size_t n = boxes.shape(0);
  const std::size_t width = sum.n_features();
  std::vector<std::uint8_t> status(n);
  std::vector<std::int32_t> label(n), first(n * width, -1), second(n * width, -1);
  unlocked([&] {
    each(n, n_threads, time_limit, memory_limit, poll_signals, [&](std::size_t i, Watch& watch) {
      const Decision decision = decide(sum, box_of(sum, boxes, i), watch);
      status[i] = static_cast<std::uint8_t>(decision.status);
      label[i] = decision.label;
      put_cell(first, i, decision.first);
      put_cell(second, i, decision.second);
    });
  });
  return decided_record(give(std::move(status)), give(std::move(label)),
                        give_shaped(std::move(first), {n, width}),
                        give_shaped(std::move(second), {n, width}));
}

nb::object possible_classes(const Sum& sum, const Table<std::uint8_t>& boxes, double time_limit,
                            std::size_t n_threads, std::size_t memory_limit) {
  check_width(boxes.shape(1), sum.n_bins());
  const std::size_t n = boxes.shape(0);
  const std::size_t width = sum.n_features();
  const auto n_classes = static_cast<std::size_t>(sum.n_classes());
  std::vector<std::uint8_t> possible(n * n_classes);
  std::vector<std::int32_t> cells(n * n_classes * width, -1);
  unlocked([&] {
    each(n, n_threads, time_limit, memory_limit, poll_signals, [&](std::size_t i, Watch& watch) {
      const Possibility own = ensembles::possible(sum, box_of(sum, boxes, i), watch);
      for (std::size_t c = 0; c < n_classes; ++c) {
        possible[i * n_classes + c] = own.possible[c];
        put_cell(cells, i * n_classes + c, own.cells[c]);
      }
    });
  });
  return possible_record(give_shaped(std::move(possible), {n, n_classes}),
                         give_shaped(std::move(cells), {n, n_classes, width}));
}

nb::object extremes_of(const Sum& sum, const Table<std::uint8_t>& boxes,
                       const Array<std::int64_t>& weights, double time_limit, std::size_t n_threads,
                       std::size_t memory_limit) {
  check_width(boxes.shape(1), sum.n_bins());
  check_width(weights.size(), sum.n_scores());
  const Weights own(weights.data(), weights.data() + weights.size());
  sum.check(own);
  const std::size_t n = boxes.shape(0);
  const std::size_t width = sum.n_features();
  std::vector<std::int64_t> low(n), high(n), found_low(n), found_high(n);
  std::vector<std::int32_t> low_cell(n * width), high_cell(n * width);
  unlocked([&] {
    each(n, n_threads, time_limit, memory_limit, poll_signals, [&](std::size_t i, Watch& watch) {
      const Extent extent = ensembles::extent(sum, box_of(sum, boxes, i), own, watch);
      low[i] = extent.low;
      high[i] = extent.high;
      found_low[i] = extent.found_low;
      found_high[i] = extent.found_high;
      put_cell(low_cell, i, extent.low_cell);
      put_cell(high_cell, i, extent.high_cell);
    });
  });
  return extremes_record(give(std::move(low)), give(std::move(high)), give(std::move(found_low)),
                         give(std::move(found_high)), give_shaped(std::move(low_cell), {n, width}),
                         give_shaped(std::move(high_cell), {n, width}));
}

}  // namespace

void bind(nb::module_& m) {
  evaluated_record.define(m, "Evaluated", {"sums", "label"});
  decided_record.define(m, "Decided", {"status", "label", "first", "second"});
  possible_record.define(m, "Possible", {"possible", "cells"});
  extremes_record.define(m, "Extremes",
                         {"low", "high", "found_low", "found_high", "low_cell", "high_cell"});
  nb::class_<Sum>(m, "Sum", "Trees over bins that are added up.")
      .def("__init__", &make, "nodes"_a, "layout"_a, "roots"_a, "score"_a, "values"_a, "whole"_a,
           "base"_a, "whole_base"_a, "slack"_a, "single"_a, "base_last"_a, "divisor"_a, "rule"_a,
           "cuts"_a, "whole_cuts"_a, "window"_a, "n_classes"_a, "either"_a = false)
      .def("evaluate", &evaluate_cells, "cells"_a, "n_threads"_a)
      .def("decide", &decide_boxes, "boxes"_a, "time_limit"_a, "n_threads"_a,
           "memory_limit"_a = default_room)
      .def("possible", &possible_classes, "boxes"_a, "time_limit"_a, "n_threads"_a,
           "memory_limit"_a = default_room)
      .def("extremes", &extremes_of, "boxes"_a, "weights"_a, "time_limit"_a, "n_threads"_a,
           "memory_limit"_a = default_room);
}

}  // namespace orderless::ensembles
