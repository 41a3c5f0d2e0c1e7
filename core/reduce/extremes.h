// Extremes of arrays on the CPU by vectors, and where they stand.
#pragma once

#include <cstdint>

#include "core/reduce/folds.h"

namespace scanlens::cpu {

/// Returns the least, or greatest, of n >= 1 elements; NaN if there is one.
template <class T, bool kLeast>
T extreme_of(const T* x, std::int64_t n);

/// Returns the first place of an element that is there, NaN too.
template <class T>
std::int64_t place_of(const T* x, std::int64_t n, T value);

/// The fold of a least, or greatest, element that takes whole chunks.
template <class T, bool kLeast>
struct ExtremeFold : OperatorFold<T, T, std::conditional_t<kLeast, Min, Max>> {
  T chunk(const T* x, std::int64_t n, std::int64_t) const { return extreme_of<T, kLeast>(x, n); }
};

/// The same with its place, which is looked for in the one chunk that has it.
template <class T, bool kLeast>
struct PlaceFold : LocateFold<T, kLeast> {
  const T* data;

  Located<T> chunk(const T* x, std::int64_t n, std::int64_t first) const {
    return {extreme_of<T, kLeast>(x, n), static_cast<std::uint64_t>(first)};
  }
  Located<T> finish(const Located<T>& found, std::uint64_t n) const {
    if (n == 0) return LocateFold<T, kLeast>::finish(found, n);
    const std::uint64_t rest = n - found.index;
    const std::uint64_t at =
        found.index + static_cast<std::uint64_t>(
                          place_of(data + found.index, static_cast<std::int64_t>(rest), found.value));
    return {data[at], at};
  }
};

}  // namespace scanlens::cpu
