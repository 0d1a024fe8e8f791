#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>

#include "core/base/poll.hpp"

namespace orderless::ensembles {

/// Thrown where another thread, or the person, wants to stop.
struct Interrupted : std::exception {};

/// What ends a search: the time of a box, its room, and the person.
class Watch {
 public:
  using Clock = std::chrono::steady_clock;

  /// `poll`: nullptr on all threads but one.
  Watch(double time_limit, std::size_t room, Poll poll, const std::atomic<bool>& stop)
      : time_limit_(time_limit), room_(room), poll_(poll), stop_(&stop) {}

  /// Also ends the work on a box after so many looks, which are one for each node of a search: the
  /// same on every machine. 0: no such limit.
  void at_most(std::size_t looks) { most_looks_ = looks; }
  [[nodiscard]] std::size_t most_looks() const { return most_looks_; }
  /// A new box begins.
  void begin() {
    looks_ = 0;
    const Clock::time_point now = Clock::now();
    endless_ = !(time_limit_ < 1e9);
    if (!endless_) end_ = now + std::chrono::duration_cast<Clock::duration>(seconds(time_limit_));
    part_ = end_;
  }
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
    return (!endless_ && now > part_) || (most_looks_ != 0 && looks_ > most_looks_);
  }
  [[nodiscard]] std::size_t room() const { return room_; }

 private:
  using seconds = std::chrono::duration<double>;

  double time_limit_;
  std::size_t room_;
  Poll poll_;
  const std::atomic<bool>* stop_;
  std::size_t most_looks_ = 0, looks_ = 0;
  bool endless_ = false;
  Clock::time_point end_{}, part_{}, next_poll_{};
};

}  // namespace orderless::ensembles
