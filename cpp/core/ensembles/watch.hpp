#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>

#include "core/base/errors.hpp"

namespace orderless::ensembles {

/// Thrown where another thread, or the person, wants to stop.
struct Interrupted : std::exception {};

/// What ends a search: the time of a box, its room, and the person.
class Watch {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr double endless = 1e9;  // seconds from which on no time is looked at

  /// `poll`: nullptr on all threads but one.
  Watch(std::size_t room, Poll poll, const std::atomic<bool>& stop)
      : room_(room), poll_(poll), stop_(&stop) {}

  /// Also ends the work on a box after so many looks, which are one for each node of a search: the
  /// same on every machine. 0: no such limit.
  void at_most(std::size_t looks) { most_looks_ = looks; }
  [[nodiscard]] std::size_t most_looks() const { return most_looks_; }
  /// A new box begins, which has so many seconds, and at the latest ends when all boxes do.
  void begin(double seconds, Clock::time_point last) {
    looks_ = 0;
    late_ = false;
    endless_ = !(seconds < endless);
    if (!endless_) end_ = std::min(last, Clock::now() + duration(seconds));
    part_ = end_;
  }
  [[nodiscard]] static Clock::duration duration(double seconds) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }
  /// Whether a search for the box was ended because its time had passed.
  [[nodiscard]] bool late() const { return late_; }
  /// A new search for the same box begins: it may look as often again.
  void begin_search() { looks_ = 0; }
  /// The first of n parts of the work that is left begins; it gets its share of the time.
  void begin_part(int n) {
    const Clock::time_point now = Clock::now();
    part_ = now < end_ ? now + (end_ - now) / n : end_;
  }
  /// Whether its time has passed; lets Ctrl-C through.
  [[nodiscard]] bool up() {
    if (stop_->load(std::memory_order_relaxed)) throw Interrupted{};
    const Clock::time_point now = Clock::now();
    if (poll_ != nullptr && now > next_poll_) {
      poll_();
      next_poll_ = now + std::chrono::milliseconds(20);
    }
    ++looks_;
    const bool late = !endless_ && now > part_;
    late_ = late_ || late;
    return late || (most_looks_ != 0 && looks_ > most_looks_);
  }
  [[nodiscard]] std::size_t room() const { return room_; }

 private:
  std::size_t room_;
  Poll poll_;
  const std::atomic<bool>* stop_;
  std::size_t most_looks_ = 0, looks_ = 0;
  bool endless_ = false, late_ = false;
  Clock::time_point end_{}, part_{}, next_poll_{};
};

}  // namespace orderless::ensembles
