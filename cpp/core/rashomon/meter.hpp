#pragma once

#include <cstddef>
#include <functional>

#include "core/base/errors.hpp"

namespace orderless::rashomon {

/// Counts the bytes that are held, and lets the caller stop a long search.
class Meter {
 public:
  /// `poll` is called now and then; it throws to stop.
  Meter(std::size_t limit, std::function<void()> poll) : limit_(limit), poll_(std::move(poll)) {}

  /// Says that `bytes` are held now by a part that held `before`; throws, and changes nothing,
  /// where that is too much.
  void change(std::size_t before, std::size_t bytes) {
    const std::size_t held = held_ - before + bytes;
    if (held > limit_ && bytes > before) {
      throw MemoryLimit(limit_);
    }
    held_ = held;
  }
  void release(std::size_t bytes) noexcept { held_ -= bytes; }
  [[nodiscard]] std::size_t held() const { return held_; }
  [[nodiscard]] std::size_t limit() const { return limit_; }

  /// Of `steps` small steps, looks at the clock once in a while.
  void step(std::size_t steps = 1) {
    steps_ += steps;
    if (steps_ < 1U << 20U) return;
    steps_ = 0;
    poll_();
  }

 private:
  std::size_t limit_;
  std::size_t held_ = 0;
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

}  // namespace orderless::rashomon
