#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "core/rashomon/functions.hpp"

namespace orderless::rashomon {

/// Functions by value: a list, and slots that point into it. A slot holds half of the second field
/// element, so that a function that is new is seldom compared with one that is not it.
class FunctionTable {
 public:
  FunctionTable() { clear(0); }

  void clear(std::size_t expected) {
    list.clear();
    const std::size_t n = std::bit_ceil(std::max<std::size_t>(16, expected * 2));
    slots_.assign(n, 0);
    shift_ = 64 - std::countr_zero(n);
  }

  /// Takes over functions that differ from each other, to be found by `find`.
  void index(const std::vector<Function>& functions) {
    clear(functions.size());
    point_at(functions);
  }

  void prefetch(const Point& value, std::uint16_t groups) const {
    orderless::prefetch(&slots_[slot(value, groups)]);
  }

  /// The number of a function in `functions`, the list that was indexed; -1 if there is none.
  [[nodiscard]] std::int64_t find(const std::vector<Function>& functions, const Point& value,
                                  std::uint16_t groups) const {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = slot(value, groups); slots_[at] != 0; at = (at + 1) & mask) {
      if (slots_[at] >> 32U != (value[1] & 0xffffffffU)) continue;
      const std::size_t i = (slots_[at] & 0xffffffffU) - 1;
      if (equal(functions[i].value, value) && functions[i].groups == groups) {
        return static_cast<std::int64_t>(i);
      }
    }
    return -1;
  }

  /// Adds a function, or keeps the smaller tree of one that is there.
  void add(const Function& function) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = slot(function.value, function.groups);
    for (; slots_[at] != 0; at = (at + 1) & mask) {
      if (slots_[at] >> 32U != (function.value[1] & 0xffffffffU)) continue;
      Function& known = list[(slots_[at] & 0xffffffffU) - 1];
      if (!equal(known.value, function.value) || known.groups != function.groups) continue;
      if (function.leaves < known.leaves) known = function;
      return;
    }
    slots_[at] = word(function.value, list.size());
    list.push_back(function);
    if (list.size() * 2 > slots_.size()) {
      slots_.assign(slots_.size() * 2, 0);
      --shift_;
      point_at(list);
    }
  }

  [[nodiscard]] std::size_t bytes() const {
    return slots_.capacity() * 8 + list.capacity() * sizeof(Function);
  }

  std::vector<Function> list;

 private:
  void point_at(const std::vector<Function>& functions) {
    for (std::size_t i = 0; i < functions.size(); ++i) {
      std::size_t at = slot(functions[i].value, functions[i].groups);
      while (slots_[at] != 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = word(functions[i].value, i);
    }
  }
  [[nodiscard]] std::size_t slot(const Point& value, std::uint16_t groups) const {
    const std::uint64_t h = (value[0] + groups * 0xd1b54a32d192ed03U) * 0x9e3779b97f4a7c15U;
    return static_cast<std::size_t>(h >> shift_);
  }
  [[nodiscard]] static std::uint64_t word(const Point& value, std::size_t i) {
    return (value[1] & 0xffffffffU) << 32U | static_cast<std::uint64_t>(i + 1);
  }

  std::vector<std::uint64_t> slots_;
  int shift_ = 60;
};

/// Values alone, to count them: in the slots themselves, so that each costs one look at memory.
class PointSet {
 public:
  PointSet() : slots_(64, empty) {}

  /// Whether to grow before `n` more are added.
  [[nodiscard]] bool full(std::size_t n) const { return 3 * (size_ + n) > 2 * slots_.size(); }
  void grow() {
    std::vector<Point> old(2 * slots_.size(), empty);
    old.swap(slots_);
    --shift_;
    size_ = 0;
    for (const Point& value : old) {
      if (value[0] != empty[0]) add(value);
    }
  }
  void prefetch(const Point& value) const { orderless::prefetch(&slots_[slot(value)]); }
  void add(const Point& value) {
    std::size_t at = slot(value);
    for (; slots_[at][0] != empty[0]; at = (at + 1) & (slots_.size() - 1)) {
      if (equal(slots_[at], value)) return;
    }
    slots_[at] = value;
    ++size_;
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t bytes() const { return slots_.size() * sizeof(Point); }

 private:
  static constexpr Point empty{~std::uint64_t{0}, ~std::uint64_t{0}};  // no field element
  [[nodiscard]] std::size_t slot(const Point& value) const {
    return static_cast<std::size_t>(value[0] * 0x9e3779b97f4a7c15U >> shift_);
  }

  std::vector<Point> slots_;
  std::size_t size_ = 0;
  int shift_ = 58;
};

}  // namespace orderless::rashomon
