#pragma once

#include <cstddef>
#include <functional>

#include "core/rashomon/meter.hpp"

namespace orderless::rashomon {

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
