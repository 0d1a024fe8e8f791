#pragma once

// What the compiler and the processor offer beyond standard C++20. This is the only file that names
// them: everything else in the core is standard, and asks here. With ORDERLESS_PORTABLE defined,
// nothing is taken, as on a compiler that is not known; the answers are the same either way.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#if !defined(ORDERLESS_PORTABLE) && defined(__GNUC__)
#define ORDERLESS_GNU 1
#elif !defined(ORDERLESS_PORTABLE) && defined(_MSC_VER)
#define ORDERLESS_MSVC 1
#endif
#if defined(ORDERLESS_GNU) && defined(__x86_64__)
#define ORDERLESS_X86 1
#endif
#if defined(ORDERLESS_MSVC)
#include <intrin.h>
#endif

// Sets of leaves are 64-bit words, and tables grow past 4 GB: offsets must have 64 bits.
#if UINTPTR_MAX < 0xffffffffffffffffU
#error "orderless needs a 64-bit platform: build it with a 64-bit compiler and a 64-bit Python"
#endif
// Nobody has run it where the highest byte comes first: no answer is better than a wrong one.
static_assert(std::endian::native == std::endian::little,
              "orderless needs a little-endian platform, such as x86-64 or aarch64");

// A loop that is compiled several times, for registers of different widths, has to be part of each
// of the functions that say a width: a call would leave it.
#if defined(ORDERLESS_GNU)
#define ORDERLESS_INLINE inline __attribute__((always_inline))
#elif defined(ORDERLESS_MSVC)
#define ORDERLESS_INLINE __forceinline
#else
#define ORDERLESS_INLINE inline
#endif

/// A pointer through which alone its data is reached, while it lives.
#if defined(ORDERLESS_GNU) || defined(ORDERLESS_MSVC)
#define ORDERLESS_ALONE __restrict
#else
#define ORDERLESS_ALONE
#endif

/// Compiles a function for processors with these features; only where ORDERLESS_X86 is defined.
#if defined(ORDERLESS_X86)
#define ORDERLESS_FOR(features) __attribute__((target(features)))
// Where it is not said, gcc leaves half of the widest registers unused.
#if defined(__clang__)
#define ORDERLESS_512 "avx512f,avx512vl,avx512dq,avx512bw,avx512vpopcntdq"
#else
#define ORDERLESS_512 "avx512f,avx512vl,avx512dq,avx512bw,avx512vpopcntdq,prefer-vector-width=512"
#endif
#endif

namespace orderless {

/// The compiler and its version, for people.
#define ORDERLESS_QUOTED(number) #number
#define ORDERLESS_TEXT(number) ORDERLESS_QUOTED(number)
#if defined(__clang__)
inline constexpr const char* compiler = "clang " __clang_version__;
#elif defined(__GNUC__)
inline constexpr const char* compiler = "gcc " __VERSION__;
#elif defined(_MSC_VER)
inline constexpr const char* compiler = "MSVC " ORDERLESS_TEXT(_MSC_FULL_VER);
#else
inline constexpr const char* compiler = "another compiler";
#endif

/// What this processor has, of what the core was built to use.
struct Processor {
  bool popcnt = false, avx2 = false, bmi = false, bmi2 = false, avx512 = false;

  /// The widest registers that are used: "avx512", "avx2", "popcnt", or "portable" for none.
  [[nodiscard]] const char* widest() const {
    return avx512 ? "avx512" : avx2 ? "avx2" : popcnt ? "popcnt" : "portable";
  }

  /// The same without what is wider than registers of this name; of another name, all of them.
  [[nodiscard]] Processor up_to(std::string_view name) const {
    Processor less = *this;
    const bool portable = name == "portable", small = portable || name == "popcnt";
    if (small || name == "avx2") less.avx512 = false;
    if (small) less.avx2 = less.bmi = less.bmi2 = false;
    if (portable) less.popcnt = false;
    return less;
  }
};

/// The registers that the variable ORDERLESS_REGISTERS allows at most; empty: all.
/// So the code for an older processor can be measured, and compared, on a newer one.
[[nodiscard]] inline std::string_view allowed_registers() noexcept {
  const char* given = std::getenv("ORDERLESS_REGISTERS");
  return given == nullptr ? std::string_view{} : std::string_view{given};
}

/// What this processor has, up to the registers that are allowed when it is first asked for.
[[nodiscard]] inline const Processor& processor() noexcept {
#if defined(ORDERLESS_X86)
  static const Processor found =
      Processor{.popcnt = __builtin_cpu_supports("popcnt") != 0,
                .avx2 = __builtin_cpu_supports("avx2") != 0,
                .bmi = __builtin_cpu_supports("bmi") != 0,
                .bmi2 = __builtin_cpu_supports("bmi2") != 0,
                .avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                          __builtin_cpu_supports("avx512dq") &&
                          __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512vpopcntdq")}
          .up_to(allowed_registers());
#else
  static const Processor found;
#endif
  return found;
}

/// Small numbers that are worked on at once: eight registers of them stay registers.
inline constexpr std::size_t shorts_at_once = 32;
#if defined(ORDERLESS_GNU)
typedef std::int16_t Shorts __attribute__((vector_size(64), aligned(2), may_alias));
ORDERLESS_INLINE void load_lanes(Shorts& to, const std::int16_t* from) {
  to = *reinterpret_cast<const Shorts*>(from);
}
ORDERLESS_INLINE void store_lanes(const Shorts& from, std::int16_t* to) {
  *reinterpret_cast<Shorts*>(to) = from;
}
ORDERLESS_INLINE void fill_lanes(Shorts& to, std::int16_t number) { to = Shorts{} + number; }
ORDERLESS_INLINE void add_lanes(Shorts& to, const Shorts& more) { to += more; }
ORDERLESS_INLINE void keep_lanes(Shorts& to, const Shorts& bits) { to &= bits; }
ORDERLESS_INLINE void subtract_lanes(Shorts& to, const Shorts& a, const Shorts& b) { to = a - b; }
ORDERLESS_INLINE void lower_lanes(Shorts& to, const Shorts& other) { to = other < to ? other : to; }
ORDERLESS_INLINE void raise_lanes(Shorts& to, const Shorts& other) { to = other > to ? other : to; }
#else
struct Shorts {
  std::int16_t lane[shorts_at_once];
};
#define ORDERLESS_EACH_LANE(l) for (std::size_t l = 0; l < shorts_at_once; ++l)
inline void load_lanes(Shorts& to, const std::int16_t* from) {
  ORDERLESS_EACH_LANE(l) to.lane[l] = from[l];
}
inline void store_lanes(const Shorts& from, std::int16_t* to) {
  ORDERLESS_EACH_LANE(l) to[l] = from.lane[l];
}
inline void fill_lanes(Shorts& to, std::int16_t number) {
  ORDERLESS_EACH_LANE(l) to.lane[l] = number;
}
inline void add_lanes(Shorts& to, const Shorts& more) {
  ORDERLESS_EACH_LANE(l) to.lane[l] = static_cast<std::int16_t>(to.lane[l] + more.lane[l]);
}
inline void keep_lanes(Shorts& to, const Shorts& bits) {
  ORDERLESS_EACH_LANE(l) to.lane[l] = static_cast<std::int16_t>(to.lane[l] & bits.lane[l]);
}
inline void subtract_lanes(Shorts& to, const Shorts& a, const Shorts& b) {
  ORDERLESS_EACH_LANE(l) to.lane[l] = static_cast<std::int16_t>(a.lane[l] - b.lane[l]);
}
inline void lower_lanes(Shorts& to, const Shorts& other) {
  ORDERLESS_EACH_LANE(l) to.lane[l] = other.lane[l] < to.lane[l] ? other.lane[l] : to.lane[l];
}
inline void raise_lanes(Shorts& to, const Shorts& other) {
  ORDERLESS_EACH_LANE(l) to.lane[l] = other.lane[l] > to.lane[l] ? other.lane[l] : to.lane[l];
}
#undef ORDERLESS_EACH_LANE
#endif

/// Asks for memory that will be read soon.
ORDERLESS_INLINE void prefetch([[maybe_unused]] const void* where) {
#if defined(ORDERLESS_GNU)
  __builtin_prefetch(where);
#elif defined(ORDERLESS_MSVC) && defined(_M_X64)
  _mm_prefetch(static_cast<const char*>(where), _MM_HINT_T0);
#endif
}

/// A product of two words: high x 2^64 + low.
struct FullProduct {
  std::uint64_t high, low;
};

/// The product of 32-bit halves, which every compiler can do.
[[nodiscard]] constexpr FullProduct full_product_by_halves(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t a1 = a >> 32U, a0 = a & 0xffffffffU;
  const std::uint64_t b1 = b >> 32U, b0 = b & 0xffffffffU;
  const std::uint64_t low = a0 * b0;
  // At most (2^32 - 1)^2 + 2 (2^32 - 1) = 2^64 - 1: no sum passes a word.
  const std::uint64_t middle = a1 * b0 + (low >> 32U);
  const std::uint64_t middle2 = a0 * b1 + (middle & 0xffffffffU);
  return {a1 * b1 + (middle >> 32U) + (middle2 >> 32U), (middle2 << 32U) | (low & 0xffffffffU)};
}

[[nodiscard]] ORDERLESS_INLINE FullProduct full_product(std::uint64_t a, std::uint64_t b) {
#if defined(ORDERLESS_GNU) && defined(__SIZEOF_INT128__)
  __extension__ typedef unsigned __int128 Both;
  const Both product = static_cast<Both>(a) * b;
  return {static_cast<std::uint64_t>(product >> 64U), static_cast<std::uint64_t>(product)};
#elif defined(ORDERLESS_MSVC) && defined(_M_X64)
  FullProduct product;
  product.low = _umul128(a, b, &product.high);
  return product;
#elif defined(ORDERLESS_MSVC) && defined(_M_ARM64)
  return {__umulh(a, b), a * b};
#else
  return full_product_by_halves(a, b);
#endif
}

}  // namespace orderless

// A loop is compiled twice, for any processor and for one with AVX2, and the better one is taken
// when the library is loaded. The few loops that gain from wider registers have a copy of their
// own.
#if defined(ORDERLESS_X86)
#define ORDERLESS_WIDTHS(name, parameters, arguments)                                   \
  namespace {                                                                           \
  ORDERLESS_FOR("avx2,popcnt") void name##_256 parameters { name##_loop arguments; }    \
  void name##_any parameters { name##_loop arguments; }                                 \
  decltype(&name##_any) const name##_best = processor().avx2 ? name##_256 : name##_any; \
  }                                                                                     \
  void name parameters { name##_best arguments; }
#else
#define ORDERLESS_WIDTHS(name, parameters, arguments) \
  void name parameters { name##_loop arguments; }
#endif
