#pragma once

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>

namespace orderless {

/// More things (reasons, nodes, states, functions) were met than the caller allows.
struct TooMany : std::runtime_error {
  explicit TooMany(std::size_t n);
  std::size_t met;
};

/// What a search holds passes the memory that it may use.
struct MemoryLimit : std::runtime_error {
  explicit MemoryLimit(std::size_t bytes);
  std::size_t limit;
};

/// A count, or a sum of weights, passes 2^bits.
struct CountOverflow : std::overflow_error {
  CountOverflow(const std::string& what, int power);
  int bits;
};

/// The objective of some tree passes 2^62.
struct CostOverflow : std::overflow_error {
  CostOverflow() : std::overflow_error("the bound on the objective leaves 62 bits") {}
};

/// What came is larger than an algorithm can take, whatever the caller allows.
struct OutOfReach : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// A tree asks more than 500 questions on one path.
struct TooDeep : OutOfReach {
  TooDeep() : OutOfReach("more than 500 questions on one path") {}
};
/// A feature has too many groups of values to ask for all sets of them.
struct TooManySets : OutOfReach {
  TooManySets() : OutOfReach("too many sets of values") {}
};
/// There are too many combinations of bins to count them.
struct TooManyCells : OutOfReach {
  TooManyCells() : OutOfReach("too many combinations of bins") {}
};
/// The last splits of a graph are too many to be written down, and a question needs all of them.
struct NotWritten : OutOfReach {
  NotWritten() : OutOfReach("the last splits are not written down") {}
};
/// A tree can have more than 65535 leaves.
struct TooManyLeaves : OutOfReach {
  TooManyLeaves() : OutOfReach("trees with more than 65535 leaves") {}
};

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
