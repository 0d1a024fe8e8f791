#pragma once

#include <chrono>
#include <utility>

#include "bindings/arrays.hpp"
#include "core/base/poll.hpp"

namespace orderless::bindings {

/// How a search ended: with its answer, or at one of its limits.
enum Outcome { done = 0, too_many = 1, out_of_time = 2 };

struct TimeUp {
  std::size_t met;
};

/// Lets Ctrl-C through and watches the clock; called by the core with the GIL released.
inline PollFunction watch(double time_limit) {
  const auto start = std::chrono::steady_clock::now();
  return [start, time_limit](std::size_t met) {
    poll_signals();
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    if (passed.count() > time_limit) throw TimeUp{met};
  };
}

/// Runs a search without the GIL; gives how it ended and how many things were met.
template <class Work>
std::pair<Outcome, std::size_t> run(Work&& work) {
  nb::gil_scoped_release unlocked;  // pure C++ below: no Python object is touched
  try {
    work();
    return {done, 0};
  } catch (const TooMany& limit) {
    return {too_many, limit.met};
  } catch (const TimeUp& limit) {
    return {out_of_time, limit.met};
  }
}

}  // namespace orderless::bindings
