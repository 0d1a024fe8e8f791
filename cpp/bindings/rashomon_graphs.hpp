#pragma once

#include <nanobind/stl/optional.h>

#include <cstdint>
#include <memory>

#include "bindings/arrays.hpp"
#include "bindings/calls.hpp"
#include "bindings/record.hpp"
#include "core/rashomon/api.hpp"

// The graphs of _core.rashomon, as they are made from what comes from Python.

namespace orderless::rashomon {

using namespace bindings;

inline Record search_record, epsilon_record;

/// Lets Ctrl-C through and watches the clock; called by the core with the GIL released.
inline Meter meter(std::size_t memory_limit, double time_limit, std::size_t n_threads = 1) {
  return {memory_limit,
          [watch = Stopwatch(), time_limit] {
            poll_signals();
            if (watch.seconds() > time_limit) throw TimeUp(0);
          },
          n_threads};
}

/// The arrays fit together; what is in them is checked in Python.
inline void check(bool fits, const char* what) {
  if (!fits) throw nb::value_error(what);
}

/// What a set is made by: the record Search.
struct Making {
  int max_depth;
  Costs costs;
  Slack slack;
  std::size_t memory_limit;
  double time_limit;
  std::size_t n_threads;
  Keeping keeping;

  explicit Making(const nb::object& search) {
    nb::object epsilon;
    Fields fields(search_record, search);
    fields.read("max_depth", max_depth);
    fields.read("error_cost", costs.error);
    fields.read("leaf_cost", costs.leaf);
    fields.read("epsilon", epsilon);
    fields.read("memory_limit", memory_limit);
    fields.read("time_limit", time_limit);
    fields.read("n_threads", n_threads);
    fields.read("optimum", slack.optimum);
    fields.read("walk_from", keeping.walk_from);
    fields.read("most_last", keeping.most_last);
    Fields parts(epsilon_record, epsilon);
    parts.read("numerator", slack.numerator);
    parts.read("denominator", slack.denominator);
    parts.read("relative", slack.relative);
    parts.read("base", slack.base);
    check(max_depth >= 0 && costs.error > 0 && costs.leaf >= 0 && slack.numerator >= 0 &&
              slack.denominator > 0 && n_threads > 0,
          "error_cost, epsilon's denominator, n_threads > 0; max_depth, leaf_cost, epsilon's "
          "numerator >= 0");
  }

  template <class Read>
  [[nodiscard]] std::shared_ptr<Graph> graph(Read&& read_rows) const {
    Meter limits = meter(memory_limit, time_limit, n_threads);
    return unlocked([&] {
      return std::make_shared<Graph>(
          build_graph(read_rows(), costs, max_depth, slack, limits, keeping));
    });
  }
};

inline std::shared_ptr<Graph> make_graph(const Table<std::uint8_t>& columns,
                                         const Array<std::int32_t>& y,
                                         const std::optional<Array<std::int64_t>>& weights,
                                         std::size_t n_classes, const nb::object& search) {
  check(y.size() == columns.shape(0) && (!weights || weights->size() == y.size()),
        "y, weights: one per row");
  check(n_classes > 0, "n_classes > 0");
  return Making(search).graph([&] {
    return read_rows(view(columns), columns.shape(1), view(y),
                     weights ? view(*weights) : std::span<const std::int64_t>{}, n_classes);
  });
}

inline std::shared_ptr<Graph> graph_of_means(const Table<std::uint8_t>& columns,
                                             const Array<std::int64_t>& y,
                                             const Array<std::int64_t>& weights, std::int64_t fine,
                                             std::int64_t largest, const nb::object& search) {
  check(y.size() == columns.shape(0) && weights.size() == y.size(), "y, weights: one per row");
  check(fine > 0 && largest >= 0 && largest <= (std::int64_t{1} << 30U) / fine,
        "fine > 0; fine x largest from 0 to 2^30");
  double total = 0;
  for (const std::int64_t weight : view(weights)) total += static_cast<double>(weight);
  const std::int64_t half = (fine * largest + 1) / 2;
  const auto far = static_cast<double>(half);
  check(total * far * far <= 0x1p51 && total * static_cast<double>(fine * largest) <= 0x1p50,
        "weights x y^2 must stay below 2^51");
  for (const std::int64_t number : view(y)) {
    check(number >= 0 && number <= largest, "y: from 0 to largest");
  }
  return Making(search).graph([&] {
    return read_squared(view(columns), columns.shape(1), view(y), view(weights), fine, largest);
  });
}

inline std::shared_ptr<Graph> graph_of_medians(const Table<std::uint8_t>& columns,
                                               const Array<std::int32_t>& y,
                                               const Array<std::int64_t>& weights,
                                               const Array<std::int64_t>& numbers,
                                               const nb::object& search) {
  check(y.size() == columns.shape(0) && weights.size() == y.size(), "y, weights: one per row");
  check(numbers.size() > 0, "numbers: at least one");
  for (std::size_t i = 0; i + 1 < numbers.size(); ++i) {
    check(view(numbers)[i] < view(numbers)[i + 1], "numbers: rising");
  }
  for (const std::int32_t place : view(y)) {
    check(place >= 0 && static_cast<std::size_t>(place) < numbers.size(), "y: places in numbers");
  }
  return Making(search).graph([&] {
    return read_absolute(view(columns), columns.shape(1), view(y), view(weights), view(numbers));
  });
}

}  // namespace orderless::rashomon
