// _core.ensembles: trees that are added up.

#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include "bindings/bins.hpp"
#include "bindings/calls.hpp"
#include "bindings/columns.hpp"
#include "bindings/ensembles_reasons.hpp"
#include "bindings/record.hpp"

namespace orderless::ensembles {

using namespace bindings;
using namespace nb::literals;

namespace {

Record evaluated_record, evaluated_rows_record, decided_record, possible_record, extremes_record;

constexpr std::size_t rows_at_once = 1024;

void put_cell(std::vector<std::int32_t>& table, std::size_t row, const Cell& cell) {
  if (table.empty()) return;
  std::ranges::copy(cell, table.begin() + static_cast<std::ptrdiff_t>(row * cell.size()));
}

/// How long and how a question may be worked on.
struct Limits {
  Seconds time;
  std::size_t threads, memory;
  std::size_t nodes = 0;  // of the search for one box; 0: as many as it takes
};

/// Some boxes: a table of them, or rows that are read when they are looked at.
struct Boxes {
  std::size_t n;
  BoxAt box;
};

Boxes boxes_in(const Sum& sum, const Table<std::uint8_t>& table) {
  check_width(table.shape(1), sum.n_bins());
  const std::size_t width = sum.n_bins();
  return {table.shape(0), [data = table.data(), width](std::size_t i, std::vector<std::uint8_t>&) {
            return std::span(data + i * width, width);
          }};
}

Boxes boxes_in(const Sum& sum, const RowBins& bins, const Columns& columns, std::size_t n_rows) {
  return {n_rows, [&sum, &bins, &columns](std::size_t i, std::vector<std::uint8_t>& room) {
            room.resize(sum.n_bins());
            bins.box(columns.columns, i, room);
            return std::span<const std::uint8_t>(room);
          }};
}

/// Answers some of the boxes, equal ones once: `work(i, box, watch)`, which says whether it is
/// done, then `copy(i, j)` for each j that is equal to i.
template <class Work, class Copy>
void answer(const Boxes& boxes, std::span<const std::size_t> some, const Limits& limits,
            Work&& work, Copy&& copy) {
  const std::vector<std::size_t> first = first_alike(
      some.size(),
      [&](std::size_t i, std::vector<std::uint8_t>& room) { return boxes.box(some[i], room); });
  std::vector<std::size_t> own;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i] == i) own.push_back(some[i]);
  }
  each(own.size(), limits.threads, limits.time, limits.memory, poll_signals,
       [&](std::size_t i, Watch& watch) {
         thread_local std::vector<std::uint8_t> room;
         watch.at_most(limits.nodes);
         return work(own[i], boxes.box(own[i], room), watch);
       });
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i] != i) copy(some[first[i]], some[i]);
  }
}

std::vector<std::size_t> all_of(std::size_t n) {
  std::vector<std::size_t> all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = i;
  return all;
}

void copy_row(std::vector<std::int32_t>& table, std::size_t width, std::size_t from,
              std::size_t to) {
  if (table.empty()) return;
  std::copy_n(table.begin() + static_cast<std::ptrdiff_t>(from * width), width,
              table.begin() + static_cast<std::ptrdiff_t>(to * width));
}

void make(Model* place, const nb::tuple& arrays, const nb::tuple& layout,
          const Array<std::int32_t>& roots, const Array<std::int32_t>& score,
          const Table<double>& values, const Table<std::int64_t>& whole, const Array<double>& base,
          const Array<std::int64_t>& whole_base, const Array<std::int64_t>& slack, bool single,
          bool base_last, double divisor, int rule, const Array<double>& cuts,
          const Array<std::int64_t>& whole_cuts, double window, std::int64_t whole_window,
          bool either, std::int32_t n_classes) {
  const BinNodes nodes(arrays);
  const SumParts parts{nodes.tree(), view(roots),      view(score),      view(values),
                       view(whole),  view(base),       view(whole_base), view(slack),
                       single,       base_last,        divisor,          static_cast<Rule>(rule),
                       view(cuts),   view(whole_cuts), window,           whole_window,
                       either,       n_classes};
  new (place) Model(parts, bin_features(layout));
}

std::unique_ptr<Model> with_facts(const Model& own, const nb::tuple& arrays,
                                  const Array<std::int32_t>& roots) {
  const BinNodes nodes(arrays);
  return std::make_unique<Model>(own, nodes.tree(), view(roots));
}

void make_row_bins(RowBins* place, const Model& model, const Array<std::int32_t>& positions,
                   const nb::list& cuts, const nb::list& bins) {
  std::vector<RowFeature> features(positions.size());
  for (std::size_t f = 0; f < features.size(); ++f) {
    features[f].column = static_cast<std::size_t>(positions.data()[f]);
    const auto own = nb::cast<Array<double>>(cuts[f]);
    features[f].cuts.assign(own.data(), own.data() + own.size());
    const auto codes = nb::cast<Array<std::int32_t>>(bins[f]);
    features[f].bins.assign(codes.data(), codes.data() + codes.size());
  }
  new (place) RowBins(model.sum, std::move(features));
}

/// Adds up the rows that are complete, and says which are not.
std::vector<std::size_t> add_rows(const Model& model, const RowBins& bins, const Columns& columns,
                                  std::size_t n_rows, std::size_t n_threads, std::span<double> sums,
                                  std::span<std::int32_t> label, std::span<std::uint8_t> complete) {
  const std::size_t width = model.sum.n_features();
  const std::size_t n_scores = model.sum.n_scores();
  const std::size_t n_blocks = (n_rows + rows_at_once - 1) / rows_at_once;
  each(n_blocks, n_threads, poll_signals, [&](std::size_t block, Watch&) {
    const std::size_t first = block * rows_at_once;
    const std::size_t n = std::min(rows_at_once, n_rows - first);
    std::vector<std::int32_t> cells(n * width);
    bins.cells(columns.columns, first, n, cells);
    for (std::size_t i = 0; i < n; ++i) {
      const std::span own(cells.data() + i * width, width);
      complete[first + i] = std::ranges::find(own, -1) == own.end() ? 1 : 0;
      if (complete[first + i] == 0) std::ranges::fill(own, 0);
    }
    model.complete.run(cells, n, sums.subspan(first * n_scores, n * n_scores),
                       label.subspan(first, n));
  });
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < n_rows; ++i) {
    if (complete[i] == 0) others.push_back(i);
  }
  return others;
}

nb::object evaluate_cells(const Model& model, const Table<std::int32_t>& cells,
                          std::size_t n_threads) {
  const Sum& sum = model.sum;
  check_width(cells.shape(1), sum.n_features());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::int32_t bin = cells.data()[i];
    if (bin < 0 || bin >= sum.width(i % sum.n_features())) {
      throw std::invalid_argument("a cell has a bin that its feature does not have");
    }
  }
  const std::size_t n = cells.shape(0);
  const std::size_t width = sum.n_scores();
  std::vector<double> sums(n * width);
  std::vector<std::int32_t> label(n);
  unlocked([&] {
    each((n + rows_at_once - 1) / rows_at_once, n_threads, poll_signals,
         [&](std::size_t block, Watch&) {
           const std::size_t first = block * rows_at_once;
           const std::size_t some = std::min(rows_at_once, n - first);
           const std::span own{cells.data() + first * sum.n_features(), some * sum.n_features()};
           model.complete.run(own, some, std::span(sums).subspan(first * width, some * width),
                              std::span(label).subspan(first, some));
         });
  });
  return evaluated_record(give_shaped(std::move(sums), {n, width}), give(std::move(label)));
}

nb::object evaluate_rows(const Model& model, const RowBins& bins, const nb::list& given,
                         std::size_t n_rows, std::size_t n_threads) {
  const Columns columns(given);
  const std::size_t width = model.sum.n_scores();
  std::vector<double> sums(n_rows * width);
  std::vector<std::int32_t> label(n_rows);
  std::vector<std::uint8_t> complete(n_rows);
  unlocked([&] {
    for (const std::size_t i :
         add_rows(model, bins, columns, n_rows, n_threads, sums, label, complete)) {
      label[i] = -1;
    }
  });
  return evaluated_rows_record(give_shaped(std::move(sums), {n_rows, width}),
                               give(std::move(label)), give(std::move(complete)));
}

/// What is known of boxes, by number.
struct Decisions {
  std::vector<std::uint8_t> status;
  std::vector<std::int32_t> label, first, second;
  std::size_t width;

  Decisions(std::size_t n, std::size_t n_features, bool witnesses)
      : status(n), label(n), width(witnesses ? n_features : 0) {
    first.assign(n * width, -1);
    second.assign(n * width, -1);
  }

  void find(const Sum& sum, const Boxes& boxes, std::span<const std::size_t> some,
            const Limits& limits) {
    answer(
        boxes, some, limits,
        [&](std::size_t i, std::span<const std::uint8_t> box, Watch& watch) {
          const Decision own = decide(sum, box, watch);
          status[i] = static_cast<std::uint8_t>(own.status);
          label[i] = own.label;
          put_cell(first, i, own.first);
          put_cell(second, i, own.second);
          return own.status != Status::out_of_time;
        },
        [&](std::size_t from, std::size_t to) {
          status[to] = status[from];
          label[to] = label[from];
          copy_row(first, width, from, to);
          copy_row(second, width, from, to);
        });
  }

  nb::object give_all() {
    const std::size_t n = status.size();
    return decided_record(give(std::move(status)), give(std::move(label)),
                          give_shaped(std::move(first), {n, width}),
                          give_shaped(std::move(second), {n, width}));
  }
};

nb::object decide_boxes(const Model& model, const Table<std::uint8_t>& table, double time_limit,
                        std::size_t n_threads, double row_limit, std::size_t most_nodes,
                        std::size_t memory_limit) {
  const Boxes boxes = boxes_in(model.sum, table);
  Decisions out(boxes.n, model.sum.n_features(), true);
  unlocked([&] {
    out.find(model.sum, boxes, all_of(boxes.n),
             {{time_limit, row_limit}, n_threads, memory_limit, most_nodes});
  });
  return out.give_all();
}

nb::object decide_rows(const Model& model, const RowBins& bins, const nb::list& given,
                       std::size_t n_rows, double time_limit, std::size_t n_threads, bool witnesses,
                       double row_limit, std::size_t memory_limit) {
  const Columns columns(given);
  Decisions out(n_rows, model.sum.n_features(), witnesses);
  unlocked([&] {
    std::vector<double> sums(n_rows * model.sum.n_scores());
    std::vector<std::uint8_t> complete(n_rows);
    const std::vector<std::size_t> others =
        add_rows(model, bins, columns, n_rows, n_threads, sums, out.label, complete);
    for (std::size_t i = 0; i < n_rows; ++i) {
      if (out.label[i] < 0) out.status[i] = static_cast<std::uint8_t>(Status::rounding);
    }
    out.find(model.sum, boxes_in(model.sum, bins, columns, n_rows), others,
             {{time_limit, row_limit}, n_threads, memory_limit});
  });
  return out.give_all();
}

nb::object possible_boxes(const Model& model, const Table<std::uint8_t>& table, double time_limit,
                          std::size_t n_threads, double row_limit, std::size_t memory_limit) {
  const Sum& sum = model.sum;
  const Boxes boxes = boxes_in(sum, table);
  const Limits limits{{time_limit, row_limit}, n_threads, memory_limit};
  const std::size_t n = boxes.n;
  const std::size_t width = sum.n_features();
  const auto n_classes = static_cast<std::size_t>(sum.n_classes());
  std::vector<std::uint8_t> possible(n * n_classes);
  std::vector<std::int32_t> cells(n * n_classes * width, -1);
  unlocked([&] {
    answer(
        boxes, all_of(n), limits,
        [&](std::size_t i, std::span<const std::uint8_t> box, Watch& watch) {
          const Possibility own = ensembles::possible(sum, box, watch);
          for (std::size_t c = 0; c < n_classes; ++c) {
            possible[i * n_classes + c] = own.possible[c];
            put_cell(cells, i * n_classes + c, own.cells[c]);
          }
          return std::ranges::find(own.possible, 2) == own.possible.end();
        },
        [&](std::size_t from, std::size_t to) {
          std::copy_n(&possible[from * n_classes], n_classes, &possible[to * n_classes]);
          copy_row(cells, n_classes * width, from, to);
        });
  });
  return possible_record(give_shaped(std::move(possible), {n, n_classes}),
                         give_shaped(std::move(cells), {n, n_classes, width}));
}

nb::object extremes_boxes(const Model& model, const Table<std::uint8_t>& table,
                          const Array<std::int64_t>& weights, double time_limit,
                          std::size_t n_threads, double row_limit, std::size_t memory_limit) {
  const Sum& sum = model.sum;
  const Boxes boxes = boxes_in(sum, table);
  const Limits limits{{time_limit, row_limit}, n_threads, memory_limit};
  check_width(weights.size(), sum.n_scores());
  const Weights own(weights.data(), weights.data() + weights.size());
  sum.check(own);
  const std::size_t n = boxes.n;
  const std::size_t width = sum.n_features();
  std::vector<std::int64_t> low(n), high(n), found_low(n), found_high(n);
  std::vector<std::int32_t> low_cell(n * width), high_cell(n * width);
  unlocked([&] {
    answer(
        boxes, all_of(n), limits,
        [&](std::size_t i, std::span<const std::uint8_t> box, Watch& watch) {
          const Extent extent = ensembles::extent(sum, box, own, watch);
          low[i] = extent.low;
          high[i] = extent.high;
          found_low[i] = extent.found_low;
          found_high[i] = extent.found_high;
          put_cell(low_cell, i, extent.low_cell);
          put_cell(high_cell, i, extent.high_cell);
          return extent.low == extent.found_low && extent.high == extent.found_high;
        },
        [&](std::size_t from, std::size_t to) {
          for (auto* values : {&low, &high, &found_low, &found_high}) {
            (*values)[to] = (*values)[from];
          }
          copy_row(low_cell, width, from, to);
          copy_row(high_cell, width, from, to);
        });
  });
  return extremes_record(give(std::move(low)), give(std::move(high)), give(std::move(found_low)),
                         give(std::move(found_high)), give_shaped(std::move(low_cell), {n, width}),
                         give_shaped(std::move(high_cell), {n, width}));
}

}  // namespace

void bind(nb::module_& m) {
  evaluated_record.define(m, "Evaluated", {"sums", "label"});
  evaluated_rows_record.define(m, "EvaluatedRows", {"sums", "label", "complete"});
  decided_record.define(m, "Decided", {"status", "label", "first", "second"});
  possible_record.define(m, "Possible", {"possible", "cells"});
  extremes_record.define(m, "Extremes",
                         {"low", "high", "found_low", "found_high", "low_cell", "high_cell"});
  const auto memory = "memory_limit"_a = default_room;
  const auto row = "row_limit"_a = Watch::endless;
  nb::class_<Model> sum(m, "Sum", "Trees over bins that are added up.");
  sum.def("__init__", &make, "nodes"_a, "layout"_a, "roots"_a, "score"_a, "values"_a, "whole"_a,
          "base"_a, "whole_base"_a, "slack"_a, "single"_a, "base_last"_a, "divisor"_a, "rule"_a,
          "cuts"_a, "whole_cuts"_a, "window"_a, "whole_window"_a, "either"_a, "n_classes"_a)
      .def("with_facts", &with_facts, "nodes"_a, "roots"_a)
      .def("evaluate", &evaluate_cells, "cells"_a, "n_threads"_a)
      .def("evaluate_rows", &evaluate_rows, "bins"_a, "columns"_a, "n_rows"_a, "n_threads"_a)
      .def("decide", &decide_boxes, "boxes"_a, "time_limit"_a, "n_threads"_a, row,
           "most_nodes"_a = 0, memory)
      .def("decide_rows", &decide_rows, "bins"_a, "columns"_a, "n_rows"_a, "time_limit"_a,
           "n_threads"_a, "witnesses"_a, row, memory)
      .def("possible", &possible_boxes, "boxes"_a, "time_limit"_a, "n_threads"_a, row, memory)
      .def("extremes", &extremes_boxes, "boxes"_a, "weights"_a, "time_limit"_a, "n_threads"_a, row,
           memory);
  bind_ranges(m, sum);
  bind_reasons(m, sum);
  nb::class_<RowBins>(m, "RowBins", "How the values of rows fall into the bins of a sum.")
      .def("__init__", &make_row_bins, "trees"_a, "positions"_a, "cuts"_a, "bins"_a,
           nb::keep_alive<1, 2>());
}

}  // namespace orderless::ensembles
