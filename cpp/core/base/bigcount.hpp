#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace orderless {

/// A whole number, zero or above, of any size: what is counted is never rounded. Words are 32 bits,
/// lowest first, without leading zeros.
class BigCount {
 public:
  BigCount() = default;
  explicit BigCount(std::uint32_t value) {
    if (value != 0) words_.push_back(value);
  }

  [[nodiscard]] const std::vector<std::uint32_t>& words() const { return words_; }

  /// Adds the product of two others.
  void add_product(const BigCount& a, const BigCount& b) {
    if (a.words_.empty() || b.words_.empty()) return;
    const std::size_t size = a.words_.size() + b.words_.size();
    if (words_.size() < size) words_.resize(size, 0);
    for (std::size_t i = 0; i < a.words_.size(); ++i) {
      std::uint64_t carry = 0;
      std::size_t k = i;
      for (std::size_t j = 0; j < b.words_.size(); ++j, ++k) {
        carry += std::uint64_t{a.words_[i]} * b.words_[j] + words_[k];
        words_[k] = static_cast<std::uint32_t>(carry);
        carry >>= 32;
      }
      for (; carry != 0; ++k) {
        if (k == words_.size()) words_.push_back(0);
        carry += words_[k];
        words_[k] = static_cast<std::uint32_t>(carry);
        carry >>= 32;
      }
    }
    while (!words_.empty() && words_.back() == 0) words_.pop_back();
  }

  /// a x b / c to the precision of a double; c is not zero.
  [[nodiscard]] static double share(const BigCount& a, const BigCount& b, const BigCount& c) {
    const double first = a.lead() * b.lead() / c.lead();
    return std::ldexp(first, 32 * (a.below() + b.below() - c.below()));
  }

 private:
  /// The highest words as one number, and how many words are below them.
  [[nodiscard]] double lead() const {
    double out = 0.0;
    for (std::size_t k = words_.size(); k-- > static_cast<std::size_t>(below());) {
      out = out * 4294967296.0 + words_[k];
    }
    return out;
  }
  [[nodiscard]] int below() const {
    return words_.size() > 3 ? static_cast<int>(words_.size()) - 3 : 0;
  }

  std::vector<std::uint32_t> words_;
};

}  // namespace orderless
