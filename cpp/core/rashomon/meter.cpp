#include "core/rashomon/meter.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace orderless::rashomon {

namespace {

/// Pieces of work that several threads take one after the other.
class Pieces {
 public:
  Pieces(std::size_t n, Meter& meter,
         const std::function<void(std::size_t i, std::size_t worker)>& work)
      : n_(n), meter_(meter), work_(work) {}

  void run(std::size_t worker) {
    try {
      for (std::size_t i = next_++; i < n_ && !failed_; i = next_++) work_(i, worker);
    } catch (const Stopped&) {
      return;  // whoever made it stop says why
    } catch (...) {
      fail();
    }
  }

  /// Waits until so many others are done, and polls.
  void wait(std::size_t others) {
    std::unique_lock lock(mutex_);
    while (done_ != others) {
      if (finished_.wait_for(lock, std::chrono::milliseconds(20),
                             [&] { return done_ == others; })) {
        return;
      }
      if (failed_) continue;
      lock.unlock();
      try {
        meter_.poll();
      } catch (...) {
        fail();
      }
      lock.lock();
    }
  }
  void leave() {
    const std::scoped_lock lock(mutex_);
    ++done_;
    finished_.notify_one();
  }
  void rethrow() const {
    if (fault_) std::rethrow_exception(fault_);
  }

 private:
  void fail() {
    if (!failed_.exchange(true)) fault_ = std::current_exception();
    meter_.stop_all();
  }

  std::size_t n_;
  Meter& meter_;
  const std::function<void(std::size_t i, std::size_t worker)>& work_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> failed_ = false;
  std::exception_ptr fault_;
  std::mutex mutex_;
  std::condition_variable finished_;
  std::size_t done_ = 0;
};

}  // namespace

std::size_t workers(std::size_t n, std::size_t steps, const Meter& meter) {
  constexpr std::size_t worth_a_thread = std::size_t{1} << 22U;  // a few milliseconds
  return std::max<std::size_t>(1, std::min({n, steps / worth_a_thread, meter.n_threads()}));
}

void each(std::size_t n, std::size_t steps, Meter& meter,
          const std::function<void(std::size_t i, std::size_t worker)>& work) {
  const std::size_t n_workers = workers(n, steps, meter);
  if (n_workers == 1) {
    for (std::size_t i = 0; i < n; ++i) work(i, 0);
    return;
  }
  meter.share(true);
  Pieces pieces(n, meter, work);
  std::vector<std::thread> others;
  others.reserve(n_workers - 1);
  try {
    for (std::size_t worker = 1; worker < n_workers; ++worker) {
      others.emplace_back([&pieces, worker] {
        pieces.run(worker);
        pieces.leave();
      });
    }
  } catch (const std::system_error&) {
    // The system gives no more threads: those there are do the work.
  }
  pieces.run(0);
  pieces.wait(others.size());
  for (std::thread& other : others) other.join();
  meter.share(false);
  pieces.rethrow();
}

}  // namespace orderless::rashomon
