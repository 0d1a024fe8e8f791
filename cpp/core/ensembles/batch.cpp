#include "core/ensembles/batch.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace orderless::ensembles {

void each(std::size_t n, std::size_t n_threads, double time_limit, std::size_t room, Poll poll,
          const std::function<void(std::size_t i, Watch& watch)>& work) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stop{false};
  std::atomic<bool> failed{false};
  std::exception_ptr fault;
  const auto loop = [&](Poll own) {
    try {
      Watch watch(time_limit, room, own, stop);
      for (std::size_t i = next++; i < n && !stop; i = next++) {
        watch.begin();
        static_cast<void>(watch.up());  // lets Ctrl-C through
        work(i, watch);
      }
    } catch (const Interrupted&) {
      return;
    } catch (...) {
      if (!failed.exchange(true)) fault = std::current_exception();
      stop = true;
    }
  };
  std::vector<std::thread> others;
  const std::size_t useful = std::min(n_threads, n);
  others.reserve(useful);
  try {
    for (std::size_t i = 1; i < useful; ++i) others.emplace_back(loop, nullptr);
  } catch (const std::system_error&) {
    // The system gives no more threads: those there are do the work.
  }
  loop(poll);
  for (std::thread& other : others) other.join();
  if (fault) std::rethrow_exception(fault);
}

}  // namespace orderless::ensembles
