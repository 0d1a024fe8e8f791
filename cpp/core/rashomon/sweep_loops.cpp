#include "core/rashomon/sweep_loops.hpp"

#include <algorithm>

#include "core/rashomon/widths.hpp"

namespace orderless::rashomon {

namespace {

// One addition for every later column, or one for every column after sums by bin.
constexpr std::size_t many = 48;

template <class T>
ORDERLESS_INLINE void add_items_to(const Added<T>& t) {
  T* ORDERLESS_ALONE to = t.to;
  if (t.n_items >= many) {
    T* ORDERLESS_ALONE room = t.room;
    for (std::size_t k = 0; k <= t.n; ++k) room[k] = 0;
    for (std::size_t i = 0; i < t.n_items; ++i) {
      T& sum = room[t.bins[t.items[i]]];
      sum = static_cast<T>(sum + t.amounts[t.items[i]]);
    }
    T sum = 0;
    for (std::size_t k = 0; k < t.n; ++k) {
      sum = static_cast<T>(sum + room[k]);
      to[k] = static_cast<T>(to[k] + sum);
    }
    return;
  }
  // A block of columns stays in a register while all items are added to it.
  for (std::size_t k = 0; k < t.n; k += lanes_at_once) {
    T sum[lanes_at_once];
    for (std::size_t l = 0; l < lanes_at_once; ++l) sum[l] = to[k + l];
    for (std::size_t i = 0; i < t.n_items; ++i) {
      const std::size_t item = t.items[i];
      const T amount = t.amounts[item];
      const T* steps = t.steps + (k + t.n - t.bins[item]);
      for (std::size_t l = 0; l < lanes_at_once; ++l) {
        sum[l] = static_cast<T>(sum[l] + (steps[l] & amount));
      }
    }
    for (std::size_t l = 0; l < lanes_at_once; ++l) to[k + l] = sum[l];
  }
}

template <class T>
ORDERLESS_INLINE void find_extremes_of(Extremes<T>& t) {
  T low = 0, high = 0, low_rest = 0, high_rest = 0;
  for (std::size_t k = 0; k < t.n; ++k) {
    const T x = t.sign[k], rest = static_cast<T>(t.all[k] - x);
    low = x < low ? x : low;
    high = x > high ? x : high;
    low_rest = rest < low_rest ? rest : low_rest;
    high_rest = rest > high_rest ? rest : high_rest;
  }
  t.low = low;
  t.high = high;
  t.low_rest = low_rest;
  t.high_rest = high_rest;
}

ORDERLESS_INLINE void add_light_loop(const Added<std::int16_t>& t) { add_items_to(t); }
ORDERLESS_INLINE void add_heavy_loop(const Added<std::int32_t>& t) { add_items_to(t); }
ORDERLESS_INLINE void light_extremes_loop(Extremes<std::int16_t>& t) { find_extremes_of(t); }
ORDERLESS_INLINE void heavy_extremes_loop(Extremes<std::int32_t>& t) { find_extremes_of(t); }

ORDERLESS_WIDTHS(add_light, (const Added<std::int16_t>& t), (t))
ORDERLESS_WIDTHS(add_heavy, (const Added<std::int32_t>& t), (t))
ORDERLESS_WIDTHS(light_extremes, (Extremes<std::int16_t> & t), (t))
ORDERLESS_WIDTHS(heavy_extremes, (Extremes<std::int32_t> & t), (t))

}  // namespace

void add_items(const Added<std::int16_t>& added) { add_light(added); }
void add_items(const Added<std::int32_t>& added) { add_heavy(added); }
void find_extremes(Extremes<std::int16_t>& extremes) { light_extremes(extremes); }
void find_extremes(Extremes<std::int32_t>& extremes) { heavy_extremes(extremes); }

}  // namespace orderless::rashomon
