#pragma once

#include <bit>
#include <cassert>
#include <cmath>
#include <compare>
#include <concepts>
#include <cstdint>
#include <vector>

#include "core/base/machine.hpp"

namespace orderless {

/// A whole number, 0 .. 2^128 - 1. A result outside of that is a mistake of the caller's: sums and
/// products that may pass it go through `add` and `multiply`, which say so.
class Wide {
 public:
  constexpr Wide() = default;
  template <std::unsigned_integral Number>
  constexpr Wide(Number value) : low_(value) {}  // every such number is one of these
  constexpr Wide(int value) : low_(static_cast<std::uint64_t>(value)) { assert(value >= 0); }
  constexpr Wide(std::uint64_t high, std::uint64_t low) : low_(low), high_(high) {}

  [[nodiscard]] constexpr std::uint64_t high() const { return high_; }
  [[nodiscard]] constexpr std::uint64_t low() const { return low_; }
  [[nodiscard]] constexpr bool fits_word() const { return high_ == 0; }

  /// The nearest double; of two, the one whose last bit is 0.
  [[nodiscard]] double to_double() const {
    if (high_ == 0) return static_cast<double>(low_);
    // 64 bits are more than a double keeps: that some bit below them is set is all that matters.
    const int shift = 64 - std::countl_zero(high_);
    const std::uint64_t top = shift == 64 ? high_ : (high_ << (64 - shift)) | (low_ >> shift);
    const std::uint64_t rest = shift == 64 ? low_ : low_ << (64 - shift);
    return std::ldexp(static_cast<double>(top | (rest != 0 ? 1U : 0U)), shift);
  }

  /// Adds another one; whether the sum passes 2^128 - 1, and then it is the sum less 2^128.
  [[nodiscard]] constexpr bool add(const Wide& other) {
    const std::uint64_t low = low_ + other.low_;
    const std::uint64_t carry = low < low_ ? 1U : 0U;
    const std::uint64_t high = high_ + other.high_;
    const bool over = high < high_;
    low_ = low;
    high_ = high + carry;
    return over || high_ < carry;
  }
  /// Multiplies by another one; whether the product passes 2^128 - 1, and then this is no product.
  [[nodiscard]] bool multiply(const Wide& other) {
    if (high_ != 0 && other.high_ != 0) return true;
    const FullProduct low = full_product(low_, other.low_);
    const FullProduct cross =
        high_ != 0 ? full_product(high_, other.low_) : full_product(low_, other.high_);
    low_ = low.low;
    high_ = low.high + cross.low;
    return cross.high != 0 || high_ < low.high;
  }

  constexpr Wide& operator+=(const Wide& other) {
    [[maybe_unused]] const bool over = add(other);
    assert(!over);
    return *this;
  }
  constexpr Wide& operator-=(const Wide& other) {
    assert(*this >= other);
    high_ -= other.high_ + (low_ < other.low_ ? 1U : 0U);
    low_ -= other.low_;
    return *this;
  }
  constexpr Wide& operator++() { return *this += Wide(1); }
  [[nodiscard]] friend constexpr Wide operator+(Wide a, const Wide& b) { return a += b; }
  [[nodiscard]] friend constexpr Wide operator-(Wide a, const Wide& b) { return a -= b; }
  [[nodiscard]] friend Wide operator*(const Wide& a, const Wide& b) {
#ifndef NDEBUG
    Wide checked = a;
    assert(!checked.multiply(b));
#endif
    const FullProduct low = full_product(a.low_, b.low_);
    return {low.high + a.high_ * b.low_ + a.low_ * b.high_, low.low};
  }
  friend constexpr Wide operator/(const Wide& a, const Wide& b);
  friend constexpr Wide operator%(const Wide& a, const Wide& b);

  [[nodiscard]] friend constexpr bool operator==(const Wide&, const Wide&) = default;
  [[nodiscard]] friend constexpr std::strong_ordering operator<=>(const Wide& a, const Wide& b) {
    return a.high_ != b.high_ ? a.high_ <=> b.high_ : a.low_ <=> b.low_;
  }

 private:
  struct Division;
  /// Words divide words; else bit by bit, for as many bits as the quotient can have.
  [[nodiscard]] constexpr Division divided_by(const Wide& divisor) const;
  [[nodiscard]] constexpr int width() const {
    return high_ != 0 ? 128 - std::countl_zero(high_) : 64 - std::countl_zero(low_);
  }

  std::uint64_t low_ = 0, high_ = 0;
};

struct Wide::Division {
  Wide quotient, rest;
};

constexpr Wide::Division Wide::divided_by(const Wide& divisor) const {
  assert(divisor != Wide(0));
  if (high_ == 0 && divisor.high_ == 0) return {low_ / divisor.low_, low_ % divisor.low_};
  if (*this < divisor) return {0U, *this};
  int bit = width() - divisor.width();
  Wide shifted = divisor;
  if (bit >= 64) shifted = {divisor.low_ << (bit - 64), 0};
  if (bit > 0 && bit < 64) {
    shifted = {divisor.high_ << bit | divisor.low_ >> (64 - bit), divisor.low_ << bit};
  }
  Division out{0U, *this};
  for (; bit >= 0; --bit) {
    if (out.rest >= shifted) {
      out.rest -= shifted;
      (bit >= 64 ? out.quotient.high_ : out.quotient.low_) |= std::uint64_t{1} << (bit % 64);
    }
    shifted = {shifted.high_ >> 1U, shifted.low_ >> 1U | shifted.high_ << 63U};
  }
  return out;
}

[[nodiscard]] constexpr Wide operator/(const Wide& a, const Wide& b) {
  return a.divided_by(b).quotient;
}
[[nodiscard]] constexpr Wide operator%(const Wide& a, const Wide& b) {
  return a.divided_by(b).rest;
}

/// A whole number, -2^127 .. 2^127 - 1, for sums and products that are known to stay within.
class SignedWide {
 public:
  constexpr SignedWide() = default;
  template <std::signed_integral Number>
  constexpr SignedWide(Number value)  // every such number is one of these
      : low_(static_cast<std::uint64_t>(static_cast<std::int64_t>(value))),
        high_(value < 0 ? ~std::uint64_t{0} : 0) {}

  [[nodiscard]] constexpr bool is_negative() const { return high_ >> 63U != 0; }
  /// Its distance from 0.
  [[nodiscard]] constexpr Wide magnitude() const {
    const SignedWide positive = is_negative() ? -*this : *this;
    return {positive.high_, positive.low_};
  }
  /// The nearest double; of two, the one whose last bit is 0.
  [[nodiscard]] double to_double() const {
    const double distance = magnitude().to_double();
    return is_negative() ? -distance : distance;
  }

  constexpr SignedWide& operator+=(const SignedWide& other) {
    low_ += other.low_;
    high_ += other.high_ + (low_ < other.low_ ? 1U : 0U);
    return *this;
  }
  [[nodiscard]] constexpr SignedWide operator-() const {
    SignedWide out;
    out.low_ = ~low_ + 1;
    out.high_ = ~high_ + (low_ == 0 ? 1U : 0U);
    return out;
  }
  [[nodiscard]] friend constexpr SignedWide operator+(SignedWide a, const SignedWide& b) {
    return a += b;
  }
  [[nodiscard]] friend constexpr SignedWide operator-(SignedWide a, const SignedWide& b) {
    return a += -b;
  }
  /// Of two words: one multiplication. A negative word is 2^64 too large where it is read unsigned.
  [[nodiscard]] static SignedWide product(std::int64_t a, std::int64_t b) {
    const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
    const FullProduct both = full_product(x, y);
    SignedWide out;
    out.low_ = both.low;
    out.high_ = both.high - (a < 0 ? y : 0) - (b < 0 ? x : 0);
    return out;
  }
  /// Modulo 2^128 the product does not depend on how the highest bits are read.
  [[nodiscard]] friend SignedWide operator*(const SignedWide& a, const SignedWide& b) {
    const FullProduct low = full_product(a.low_, b.low_);
    SignedWide out;
    out.low_ = low.low;
    out.high_ = low.high + a.high_ * b.low_ + a.low_ * b.high_;
    return out;
  }
  [[nodiscard]] friend constexpr bool operator==(const SignedWide&, const SignedWide&) = default;

 private:
  std::uint64_t low_ = 0, high_ = 0;  // two's complement
};

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
