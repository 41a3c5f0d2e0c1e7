// Common parts of the tests of reductions, histograms and vector operations, in addition to arrays.h.
#pragma once

#include <random>
#include <vector>

#include "tests/unit/support/arrays.h"

namespace scanlens::test {

/// Runs `call` with a pointer to one T in the backend's memory and returns what it left there.
template <class T, class Call>
T result_of(Context& context, Call call) {
  GuardedArray<T> result(context, std::vector<T>(1), 0, 2);
  call(result.data());
  return result.contents()[0];
}

/// `count` values: integers of all sizes, floats in [-1, 1] of all digits.
template <class T>
std::vector<T> any_values(std::int64_t count) {
  std::vector<T> values(static_cast<std::size_t>(count));
  for (T& value : values) {
    if constexpr (std::is_floating_point_v<T>)
      value = std::uniform_real_distribution<T>(-1, 1)(generator());
    else
      value = static_cast<T>(generator()());
  }
  return values;
}

/// True of equal values, and of two NaN.
template <class T>
bool same_number(T a, T b) {
  return a == b || (a != a && b != b);
}

/// Lengths around those of vectors, warps, batches, blocks, grids and chunks; primes.
inline const std::vector<std::int64_t>& fold_lengths() {
  static const std::vector<std::int64_t> all = {0,    1,    2,    3,    5,    15,    16,    17,    31,   32,
                                                33,   63,   64,   65,   127,  509,   511,   512,   513,  1021,
                                                2047, 2048, 2049, 8191, 8193, 65521, 65535, 65536, 65537};
  return all;
}

/// A length that needs several blocks or chunks, and several rounds per thread; a prime.
constexpr std::int64_t kLong = 2500009;

}  // namespace scanlens::test
