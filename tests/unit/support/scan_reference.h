// Expected results of scans with options, by sequential loops, along any axis.
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/scan_axis.h"
#include "tests/unit/support/arrays.h"

namespace scanlens::test {

/// A scan: the options that the reference knows.
template <class Out>
struct ScanCase {
  Axis axis;
  bool inclusive = true;
  bool reverse = false;
  std::optional<Out> initial = {};
  std::optional<std::uint64_t> length = {};  ///< of an array of one line

  std::string what() const {
    return std::string(inclusive ? "inclusive" : "exclusive") + (reverse ? " reverse" : "") +
           (initial ? " with initial" : "") + (length ? " of " + std::to_string(*length) : "") + ", axes " +
           std::to_string(axis.outer) + " x " + std::to_string(axis.length) + " x " +
           std::to_string(axis.inner);
  }
};

template <class T>
inline constexpr bool kIsFloat = std::is_floating_point_v<CombinedIn<T>>;

/// Values whose scans are exact where they are compared exactly: those of products of floats are 1 and -1.
template <class In, class Op>
std::vector<In> scan_input(std::int64_t n, Op) {
  std::vector<In> values(static_cast<std::size_t>(n));
  if constexpr (kIsFloat<In>) {
    const std::vector<float> floats = random_values<float>(n);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<In>(std::is_same_v<Op, Product> ? std::copysign(1.0f, floats[i]) : floats[i]);
  } else {
    values = random_values<In>(n);
    if constexpr (std::is_same_v<Op, Product>)
      for (In& value : values) value |= 1;  // or all would be 0 before long
  }
  return values;
}

// Operators and their identities, written anew. Integers wrap around.
template <class T>
T combined(Sum, T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  else
    return a + b;
}
template <class T>
T combined(Product, T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  else
    return a * b;
}
template <class T>
T combined(Min, T a, T b) {
  return a < b ? a : b;
}
template <class T>
T combined(Max, T a, T b) {
  return a > b ? a : b;
}
template <class T, class Op>
T identity(Op) {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_same_v<Op, Min>) return Limits::has_infinity ? Limits::infinity() : Limits::max();
  if constexpr (std::is_same_v<Op, Max>) return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  return std::is_same_v<Op, Product> ? 1 : 0;
}

/// The spacing of values of a float type about `value`.
template <class T>
long double spacing(long double value) {
  constexpr int kDigits = std::is_same_v<T, Half> ? 11 : std::is_same_v<T, BFloat16> ? 8 : 64;
  constexpr int kLeast = std::is_same_v<T, Half> ? -14 : -126;
  if (kDigits == 64) return 0;
  return std::ldexp(1.0L, std::max(value == 0 ? kLeast : std::ilogb(value), kLeast) - kDigits + 1);
}

/// `out`, of the same length as `in`, holds the scan; what the case does not write holds what `untouched`
/// had.
template <class In, class Out, class Op>
void expect_scan(const std::vector<Out>& out, const std::vector<In>& in, const std::vector<Out>& untouched,
                 const ScanCase<Out>& scan, Op op, const std::string& how) {
  using Value = CombinedIn<Out>;
  constexpr bool kRounds = kIsFloat<Out> && std::is_same_v<Op, Sum>;
  using Wide = std::conditional_t<kRounds, long double, Value>;
  ASSERT_EQ(out.size(), in.size());
  const auto [outer, length, inner] = scan.axis;
  const auto end =
      scan.length ? static_cast<std::int64_t>(std::min<std::uint64_t>(*scan.length, in.size())) : length;
  for (std::int64_t line = 0; line < outer * inner; ++line) {
    const std::int64_t first = line / inner * length * inner + line % inner;
    Wide running = scan.initial ? static_cast<Wide>(static_cast<Value>(*scan.initial)) : identity<Wide>(op);
    long double size = kRounds ? std::abs(static_cast<long double>(running)) : 0;
    for (std::int64_t k = 0; k < end; ++k) {
      const std::int64_t i = first + (scan.reverse ? end - 1 - k : k) * inner;
      const auto at = static_cast<std::size_t>(i);
      const auto value = static_cast<Wide>(static_cast<Value>(in[at]));
      const Wide before = running;
      running = combined<Wide>(op, running, value);
      const long double size_before = size;
      if constexpr (kRounds) size += std::abs(value);
      const Wide expected = scan.inclusive ? running : before;
      if constexpr (kRounds) {
        const long double bound = (24 + std::log2(static_cast<double>(k + 1))) *
                                  std::numeric_limits<Value>::epsilon() *
                                  (scan.inclusive ? size : size_before);
        const long double error = std::abs(static_cast<long double>(static_cast<Value>(out[at])) - expected);
        ASSERT_LE(error, bound + spacing<Out>(std::abs(expected) + bound) / 2)
            << how << ", " << scan.what() << ": element " << i;
      } else {
        ASSERT_EQ(static_cast<Value>(out[at]), expected) << how << ", " << scan.what() << ": element " << i;
      }
    }
    for (std::int64_t k = end; k < length; ++k) {
      const auto at = static_cast<std::size_t>(first + k * inner);
      ASSERT_EQ(std::memcmp(&out[at], &untouched[at], sizeof(Out)), 0)
          << how << ", " << scan.what() << ": element " << at << ", which is beyond the length";
    }
  }
}

}  // namespace scanlens::test
