#pragma once

#include <cstdint>
#include <vector>

namespace orderless::acquisition {

/// What is known of a state of the search: its value lies between `lower` and `upper`, and
/// `purchase` is what reaches `upper`. The state itself is not kept, only a key of 128 bits.
struct State {
  std::uint64_t key[2];
  std::int64_t lower, upper;
  std::int32_t purchase;
  [[nodiscard]] bool closed() const { return lower >= upper; }
};

/// States by key: an open table of numbers, which stay when it grows.
class States {
 public:
  States() : slots_(1U << 12, 0) {}

  [[nodiscard]] std::size_t size() const { return states_.size(); }
  State& operator[](std::int32_t i) { return states_[static_cast<std::size_t>(i)]; }

  /// The number of the state with this key, and whether it is new.
  std::pair<std::int32_t, bool> find(std::uint64_t key0, std::uint64_t key1) {
    if (2 * states_.size() >= slots_.size()) grow();
    std::size_t slot = key0 & (slots_.size() - 1);
    while (slots_[slot] != 0) {
      const State& state = states_[slots_[slot] - 1];
      if (state.key[0] == key0 && state.key[1] == key1) {
        return {static_cast<std::int32_t>(slots_[slot] - 1), false};
      }
      slot = (slot + 1) & (slots_.size() - 1);
    }
    states_.push_back({{key0, key1}, 0, 0, -1});
    slots_[slot] = static_cast<std::uint32_t>(states_.size());
    return {static_cast<std::int32_t>(states_.size()) - 1, true};
  }

  void clear() {
    states_.clear();
    slots_.assign(1U << 12, 0);
  }

 private:
  void grow() {
    std::vector<std::uint32_t> wide(slots_.size() * 2, 0);
    for (std::size_t i = 0; i < states_.size(); ++i) {
      std::size_t slot = states_[i].key[0] & (wide.size() - 1);
      while (wide[slot] != 0) slot = (slot + 1) & (wide.size() - 1);
      wide[slot] = static_cast<std::uint32_t>(i + 1);
    }
    slots_ = std::move(wide);
  }

  std::vector<State> states_;
  std::vector<std::uint32_t> slots_;  // number of a state + 1
};

}  // namespace orderless::acquisition
