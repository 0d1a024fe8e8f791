#include "core/ensembles/batch.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <numeric>
#include <system_error>
#include <thread>
#include <vector>

namespace orderless::ensembles {

namespace {

using Clock = Watch::Clock;
using Work = std::function<bool(std::size_t i, Watch& watch)>;

constexpr double first_try = 0.1;  // seconds
constexpr double growth = 4;       // from one try to the next
constexpr double worth = 1.25;     // another try is worth it with so much more time than before

/// How long the next try of each may take, of `most` that each could get if it were the last one.
double next_try(double most, double before) {
  const double wanted = before > 0 ? growth * before : first_try;
  return (1 + growth) * wanted > most ? most : wanted;
}

/// Tries each once, for so many seconds; gives what is not done because its time has passed.
std::vector<std::size_t> tried(const std::vector<std::size_t>& all, std::size_t n_threads,
                               double seconds, Clock::time_point last, std::size_t room, Poll poll,
                               const Work& work) {
  std::vector<std::uint8_t> late(all.size());
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stop{false};
  std::atomic<bool> failed{false};
  std::exception_ptr fault;
  const auto loop = [&](Poll own) {
    try {
      Watch watch(room, own, stop);
      for (std::size_t i = next++; i < all.size() && !stop; i = next++) {
        watch.begin(seconds, last);
        static_cast<void>(watch.up());  // lets Ctrl-C through
        late[i] = !work(all[i], watch) && watch.late() ? 1 : 0;
      }
    } catch (const Interrupted&) {
      return;
    } catch (...) {
      if (!failed.exchange(true)) fault = std::current_exception();
      stop = true;
    }
  };
  std::vector<std::thread> others;
  others.reserve(n_threads);
  try {
    for (std::size_t i = 1; i < n_threads; ++i) others.emplace_back(loop, nullptr);
  } catch (const std::system_error&) {
    // The system gives no more threads: those there are do the work.
  }
  loop(poll);
  for (std::thread& other : others) other.join();
  if (fault) std::rethrow_exception(fault);
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (late[i] != 0) out.push_back(all[i]);
  }
  return out;
}

}  // namespace

void each(std::size_t n, std::size_t n_threads, Seconds limit, std::size_t room, Poll poll,
          const Work& work) {
  const bool endless = !(limit.all < Watch::endless);
  const Clock::time_point last =
      endless ? Clock::time_point::max() : Clock::now() + Watch::duration(limit.all);
  std::vector<std::size_t> todo(n);
  std::iota(todo.begin(), todo.end(), std::size_t{0});
  double seconds = 0;
  for (bool first = true; !todo.empty(); first = false) {
    const std::size_t useful = std::clamp<std::size_t>(n_threads, 1, todo.size());
    const auto rounds = static_cast<double>((todo.size() + useful - 1) / useful);
    const std::chrono::duration<double> left = last - Clock::now();
    const double before = seconds;
    const double most = std::min(limit.one, std::max(0.0, left.count()) / rounds);
    seconds = endless ? limit.one : next_try(most, before);
    if (!first && seconds <= worth * before) return;
    todo = tried(todo, useful, seconds, last, room, poll, work);
  }
}

void each(std::size_t n, std::size_t n_threads, Poll poll,
          const std::function<void(std::size_t i, Watch& watch)>& work) {
  each(n, n_threads, Seconds{}, 0, poll, [&](std::size_t i, Watch& watch) {
    work(i, watch);
    return true;
  });
}

}  // namespace orderless::ensembles
