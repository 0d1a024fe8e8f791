#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <thread>

#include "core/base/errors.hpp"

namespace orderless::rashomon {

/// Another thread has failed, or the person wants to stop: what this one does is not needed.
struct Stopped : std::exception {
  [[nodiscard]] const char* what() const noexcept override { return "another thread has failed"; }
};

/// Counts the bytes that are held, and lets the caller stop a long search. Any thread may use it;
/// `poll` is called on the thread that made it alone.
class Meter {
 public:
  /// `poll` is called now and then; it throws to stop. `n_threads`: how many may work at once.
  Meter(std::size_t limit, std::function<void()> poll, std::size_t n_threads = 1)
      : limit_(limit), n_threads_(n_threads), poll_(std::move(poll)) {}

  /// Says that `bytes` are held now by a part that held `before`; throws, and changes nothing,
  /// where that is too much.
  void change(std::size_t before, std::size_t bytes) {
    const std::size_t held = held_.fetch_add(bytes - before) + (bytes - before);
    if (held > limit_ && bytes > before) {
      held_ -= bytes - before;
      throw MemoryLimit(limit_);
    }
  }
  void release(std::size_t bytes) noexcept { held_ -= bytes; }
  [[nodiscard]] std::size_t held() const { return held_; }
  [[nodiscard]] std::size_t limit() const { return limit_; }

  /// Of `steps` small steps, looks at the clock once in a while.
  void step(std::size_t steps = 1) {
    if (stop_.load(std::memory_order_relaxed)) throw Stopped{};
    if (std::this_thread::get_id() != owner_) return;
    steps_ += steps;
    if (steps_ >= 1U << 20U) poll();
  }
  /// Lets the caller stop now. On the thread that made it.
  void poll() {
    steps_ = 0;
    poll_();
  }

  /// How many threads may start here: one on any thread but the one that made the meter.
  [[nodiscard]] std::size_t n_threads() const {
    return std::this_thread::get_id() == owner_ && !shared_ ? n_threads_ : 1;
  }
  /// Says that several threads are at work, or are no more.
  void share(bool shared) {
    shared_ = shared;
    stop_ = false;
  }
  /// Makes all threads stop at their next step.
  void stop_all() { stop_ = true; }

 private:
  std::size_t limit_, n_threads_;
  bool shared_ = false;
  std::atomic<std::size_t> held_ = 0;
  std::atomic<bool> stop_ = false;
  std::thread::id owner_ = std::this_thread::get_id();
  std::size_t steps_ = 0;
  std::function<void()> poll_;
};

/// Keeps the meter at what one vector-like thing holds.
class Held {
 public:
  explicit Held(Meter& meter) : meter_(meter) {}
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() { meter_.release(bytes_); }
  void set(std::size_t bytes) {
    meter_.change(bytes_, bytes);
    bytes_ = bytes;
  }

 private:
  Meter& meter_;
  std::size_t bytes_ = 0;
};

/// Calls work(i, worker) for every i < n, on as many threads as the meter allows and as pay for so
/// many small steps in all; worker < workers(n, steps, meter) is the number of the thread. Which
/// thread does what is not fixed: what work leaves behind must not depend on it. The thread that
/// made the meter polls, also while it waits. What any of them throws is thrown. Within `work`
/// itself there is one thread.
void each(std::size_t n, std::size_t steps, Meter& meter,
          const std::function<void(std::size_t i, std::size_t worker)>& work);

/// How many threads `each` takes.
[[nodiscard]] std::size_t workers(std::size_t n, std::size_t steps, const Meter& meter);

}  // namespace orderless::rashomon
