#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace orderless::acquisition {

/// What is known of a state of the search: its value lies between `lower` and `upper`, and
/// `purchase` is what reaches `upper`. The state itself is not kept, only a key of 128 bits.
struct State {
  std::uint64_t key[2];
  std::int64_t lower, upper;
  std::int32_t purchase;
  std::uint32_t candidates;  // where they are, once it was looked at; else 0
  [[nodiscard]] bool closed() const { return lower >= upper; }
};

/// A purchase in a state, what it costs at least, and the states that it leads to.
struct Candidate {
  std::int64_t bound;
  std::int32_t purchase;  // -1: stop
  std::uint32_t children;
  std::uint32_t n_children;
};

/// States by key: an open table of numbers, which stay when it grows. Next to it, for states that
/// were looked at, what can be bought in them.
class States {
 public:
  States() { clear(); }

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
    states_.push_back({{key0, key1}, 0, 0, -1, 0});
    slots_[slot] = static_cast<std::uint32_t>(states_.size());
    return {static_cast<std::int32_t>(states_.size()) - 1, true};
  }

  /// What can be bought in a state that was looked at, in the order in which it was written down.
  [[nodiscard]] std::span<Candidate> candidates(std::int32_t i) {
    const std::uint32_t begin = (*this)[i].candidates;
    return {candidates_.data() + begin, candidates_[begin - 1].n_children};
  }
  /// The states that a purchase leads to and that are not determined.
  [[nodiscard]] std::span<const std::int32_t> children(const Candidate& one) const {
    return {children_.data() + one.children, one.n_children};
  }
  /// Writes down what can be bought in a state.
  void begin_candidates(std::int32_t i) {
    candidates_.push_back({0, -1, 0, 0});  // before the first: how many
    (*this)[i].candidates = static_cast<std::uint32_t>(candidates_.size());
  }
  void add_candidate(std::int32_t i, std::int64_t bound, std::int32_t purchase) {
    candidates_.push_back({bound, purchase, static_cast<std::uint32_t>(children_.size()), 0});
    ++candidates_[(*this)[i].candidates - 1].n_children;
  }
  void add_child(std::int32_t child) {
    children_.push_back(child);
    ++candidates_.back().n_children;
  }

  void clear() {
    states_.clear();
    candidates_.clear();
    children_.clear();
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
  std::vector<Candidate> candidates_;
  std::vector<std::int32_t> children_;
  std::vector<std::uint32_t> slots_;  // number of a state + 1
};

}  // namespace orderless::acquisition
