#pragma once

#include <chrono>
#include <cstddef>
#include <exception>

#include "bindings/arrays.hpp"
#include "core/base/errors.hpp"

namespace orderless::bindings {

/// The time limit has passed; `met`: how many things were met by then.
struct TimeUp : std::exception {
  explicit TimeUp(std::size_t n) : met(n) {}
  std::size_t met;
};

/// Seconds since it was made.
class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Lets Ctrl-C through and watches the clock; called by the core with the GIL released.
inline PollFunction watch(double time_limit) {
  return [watch = Stopwatch(), time_limit](std::size_t met) {
    poll_signals();
    if (watch.seconds() > time_limit) throw TimeUp(met);
  };
}

/// Lets Ctrl-C through.
inline void poll_only(std::size_t) { poll_signals(); }

/// Runs pure C++, which touches no Python object, without the GIL. What it throws becomes one of
/// the exceptions of `_core.base`.
template <class Work>
auto unlocked(Work&& work) {
  nb::gil_scoped_release released;
  return work();
}

}  // namespace orderless::bindings
