// What the tests of reductions, histograms and vector operations share beside array_support.h.
#pragma once

#include <random>
#include <vector>

#include "support/arrays.h"

namespace scanlens::test {

/// An array that ends where its memory ends, so that a memory checker sees every access beyond; with a
/// margin, contents() sees those that write.
template <class T>
struct ArrayOn : GuardedArray<T> {
  ArrayOn(Context& context, const std::vector<T>& contents, int shift = 0, int margin = 0)
      : GuardedArray<T>(context, contents, shift, margin) {}
};

/// Runs `call` with a pointer to one T in the backend's memory and returns what it left there.
template <class T, class Call>
T result_of(Context& context, Call call) {
  ArrayOn<T> result(context, std::vector<T>(1), 0, 2);
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

/// Around vectors, warps, batches, blocks, grids and chunks; primes.
inline const std::vector<std::int64_t>& fold_lengths() {
  static const std::vector<std::int64_t> all = {0,    1,    2,    3,    5,    15,    16,    17,    31,   32,
                                                33,   63,   64,   65,   127,  509,   511,   512,   513,  1021,
                                                2047, 2048, 2049, 8191, 8193, 65521, 65535, 65536, 65537};
  return all;
}

/// Needs several blocks or chunks, and several rounds a thread; a prime.
constexpr std::int64_t kLong = 2500009;

}  // namespace scanlens::test
