#pragma once

#include <cstddef>
#include <functional>

namespace orderless {

/// Called now and then by long loops; it throws when the person wants to stop.
using Poll = void (*)();

/// Likewise, and for a time limit too; `met`: how many things were found or looked at so far.
using PollFunction = std::function<void(std::size_t met)>;

/// Counts steps of work, and polls now and then.
class Work {
 public:
  explicit Work(const PollFunction& poll) : poll_(poll) {}
  void add(std::size_t steps) {
    steps_ += steps;
    if (steps_ < 10'000) return;
    steps_ = 0;
    poll_(0);
  }

 private:
  const PollFunction& poll_;
  std::size_t steps_ = 0;
};

}  // namespace orderless
