#include "core/base/errors.hpp"

namespace orderless {

// Joining text is a lot of code, and would be compiled in every room that can fail.

TooMany::TooMany(std::size_t n)
    : std::runtime_error("more than the limit allows: " + std::to_string(n)), met(n) {}

MemoryLimit::MemoryLimit(std::size_t bytes)
    : std::runtime_error("needs more than the " + std::to_string(bytes) + " bytes it may use"),
      limit(bytes) {}

CountOverflow::CountOverflow(const std::string& what, int power)
    : std::overflow_error("more than 2^" + std::to_string(power) + " " + what), bits(power) {}

}  // namespace orderless
