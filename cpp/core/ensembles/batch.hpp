#pragma once

#include <cstddef>
#include <functional>

#include "core/ensembles/watch.hpp"

namespace orderless::ensembles {

/// Calls `work(i, watch)` for 0 .. n - 1 on several threads, each with its own watch; the calling
/// one polls. What a call throws ends all.
void each(std::size_t n, std::size_t n_threads, double time_limit, std::size_t room, Poll poll,
          const std::function<void(std::size_t i, Watch& watch)>& work);

}  // namespace orderless::ensembles
