// Extremes of arrays on the CPU by vectors, and where they stand.
#pragma once

#include <cstdint>

#include "core/reduce/folds.h"

namespace scanlens::cpu {

/// X(T, name): the types whose extremes are found by vectors.
#define SCANLENS_FOR_EACH_EXTREME(X) \
  X(std::int8_t, I8)                 \
  X(std::uint8_t, U8)                \
  X(std::int16_t, I16)               \
  X(std::uint16_t, U16)              \
  X(std::int32_t, I32)               \
  X(std::uint32_t, U32) X(std::int64_t, I64) X(std::uint64_t, U64) X(float, F32) X(double, F64)

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

/// The fold by which the CPU takes an array.
template <class Fold>
Fold by_vectors(const Fold& fold) {
  return fold;
}
#define SCANLENS_TAKE_EXTREMES(T, name)                                     \
  inline ExtremeFold<T, true> by_vectors(const OperatorFold<T, T, Min>&) {  \
    return {};                                                              \
  }                                                                         \
  inline ExtremeFold<T, false> by_vectors(const OperatorFold<T, T, Max>&) { \
    return {};                                                              \
  }
SCANLENS_FOR_EACH_EXTREME(SCANLENS_TAKE_EXTREMES)
#undef SCANLENS_TAKE_EXTREMES

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
