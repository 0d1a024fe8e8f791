#pragma once

#include <cstddef>
#include <functional>

#include "core/ensembles/watch.hpp"

namespace orderless::ensembles {

/// How many seconds some work may take: all of it, and each piece.
struct Seconds {
  double all = Watch::endless, one = Watch::endless;
};

/// Calls `work(i, watch)` for 0 .. n - 1 on several threads, each with its own watch; the calling
/// one polls. What a call throws ends all.
///
/// `work` says whether it is done; where it is not because its time has passed, it is tried again
/// with more time, as long as there is some. So what is easy leaves its time to what is hard, and
/// nothing hard takes that of others.
void each(std::size_t n, std::size_t n_threads, Seconds limit, std::size_t room, Poll poll,
          const std::function<bool(std::size_t i, Watch& watch)>& work);

/// The same for work that is done at once, however long it takes.
void each(std::size_t n, std::size_t n_threads, Poll poll,
          const std::function<void(std::size_t i, Watch& watch)>& work);

}  // namespace orderless::ensembles
