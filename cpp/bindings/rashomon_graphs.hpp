#pragma once

#include <cstdint>
#include <memory>
#include <tuple>
#include <utility>

#include "bindings/arrays.hpp"
#include "bindings/calls.hpp"
#include "core/rashomon/room.hpp"

// The graphs of _core.rashomon, as they are made from what comes from Python.

namespace orderless::rashomon {

using namespace bindings;

/// Lets Ctrl-C through and watches the clock; called by the core with the GIL released.
inline Meter meter(std::size_t memory_limit, double time_limit) {
  return {memory_limit, [watch = Stopwatch(), time_limit] {
            poll_signals();
            if (watch.seconds() > time_limit) throw TimeUp(0);
          }};
}

/// The arrays fit together; what is in them is checked in Python.
inline void check(bool fits, const char* what) {
  if (!fits) throw nb::value_error(what);
}

/// What a set is made by, as it comes from Python.
struct Made {
  int max_depth;
  std::int64_t error_cost, leaf_cost;
  std::tuple<std::int64_t, std::int64_t, bool, std::int64_t> epsilon;  // the fields of Slack
  std::pair<std::size_t, double> limits;                               // bytes, seconds
};

template <class Read>
std::shared_ptr<Graph> made_of(const Made& made, Read&& read) {
  const auto [numerator, denominator, relative, base] = made.epsilon;
  check(made.max_depth >= 0 && made.error_cost > 0 && made.leaf_cost >= 0 && numerator >= 0 &&
            denominator > 0,
        "error_cost, epsilon's denominator > 0; max_depth, leaf_cost, epsilon's numerator >= 0");
  const Slack slack{numerator, denominator, relative, base};
  Meter limits = meter(made.limits.first, made.limits.second);
  return unlocked([&] {
    return std::make_shared<Graph>(
        build_graph(read(), {made.error_cost, made.leaf_cost}, made.max_depth, slack, limits));
  });
}

inline std::shared_ptr<Graph> make_graph(const Table<std::uint8_t>& columns,
                                         const Array<std::int32_t>& y,
                                         const Array<std::int64_t>& weights, std::size_t n_classes,
                                         int max_depth, std::int64_t error_cost,
                                         std::int64_t leaf_cost, std::int64_t epsilon_num,
                                         std::int64_t epsilon_den, bool relative,
                                         std::size_t memory_limit, double time_limit) {
  check(y.size() == columns.shape(0) && weights.size() == y.size(), "y, weights: one per row");
  check(n_classes > 0, "n_classes > 0");
  const Made made{max_depth,
                  error_cost,
                  leaf_cost,
                  {epsilon_num, epsilon_den, relative, 0},
                  {memory_limit, time_limit}};
  return made_of(made, [&] {
    return read_rows(view(columns), columns.shape(1), view(y), view(weights), n_classes);
  });
}

inline std::shared_ptr<Graph> graph_of_means(
    const Table<std::uint8_t>& columns, const Array<std::int64_t>& y,
    const Array<std::int64_t>& weights, std::int64_t fine, std::int64_t largest, int max_depth,
    std::int64_t error_cost, std::int64_t leaf_cost,
    const std::tuple<std::int64_t, std::int64_t, bool, std::int64_t>& epsilon,
    std::size_t memory_limit, double time_limit) {
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
  const Made made{max_depth, error_cost, leaf_cost, epsilon, {memory_limit, time_limit}};
  return made_of(made, [&] {
    return read_squared(view(columns), columns.shape(1), view(y), view(weights), fine, largest);
  });
}

inline std::shared_ptr<Graph> graph_of_medians(
    const Table<std::uint8_t>& columns, const Array<std::int32_t>& y,
    const Array<std::int64_t>& weights, const Array<std::int64_t>& numbers, int max_depth,
    std::int64_t error_cost, std::int64_t leaf_cost,
    const std::tuple<std::int64_t, std::int64_t, bool, std::int64_t>& epsilon,
    std::size_t memory_limit, double time_limit) {
  check(y.size() == columns.shape(0) && weights.size() == y.size(), "y, weights: one per row");
  check(numbers.size() > 0, "numbers: at least one");
  for (std::size_t i = 0; i + 1 < numbers.size(); ++i) {
    check(view(numbers)[i] < view(numbers)[i + 1], "numbers: rising");
  }
  for (const std::int32_t place : view(y)) {
    check(place >= 0 && static_cast<std::size_t>(place) < numbers.size(), "y: places in numbers");
  }
  const Made made{max_depth, error_cost, leaf_cost, epsilon, {memory_limit, time_limit}};
  return made_of(made, [&] {
    return read_absolute(view(columns), columns.shape(1), view(y), view(weights), view(numbers));
  });
}

}  // namespace orderless::rashomon
