// Extremes of an array and where they stand; its mean and variance.
#pragma once

#include <cstdint>

#include "core/held/reductions.h"

namespace scanlens {

// The result lies outside of `in`. Bytes moved: the array once. Determinism: the order of operations depends
// on the array's length and alignment and on the device alone.

/// A value and where it stands.
template <class T>
struct Located {
  T value;
  std::uint64_t index;
};

/// Count, mean, sum of squared deviations from the mean, least and greatest, in one pass. An empty
/// array has 0, 0, 0, infinity, -infinity.
struct Moments {
  std::uint64_t count;
  double mean;
  double squared_deviations;
  double least;
  double greatest;

  double variance() const { return count ? squared_deviations / static_cast<double>(count) : 0; }
};

/// The least (greatest) element and the lowest index at which it stands. NaN comes before all: the first one
/// is found. An empty array has {identity, 0}. Types: int32_t, uint32_t, int64_t, uint64_t, float, double.
template <ContiguousArray In>
void argmin(Context& context, const In& in, Located<ElementOf<In>>* result) {
  static_assert(NumberInLibrary<ElementOf<In>>, "argmin: not of the types that core/moments.h names");
  compiled::argmin(context, elements_of(in), result);
}
template <ContiguousArray In>
void argmax(Context& context, const In& in, Located<ElementOf<In>>* result) {
  static_assert(NumberInLibrary<ElementOf<In>>, "argmax: not of the types that core/moments.h names");
  compiled::argmax(context, elements_of(in), result);
}

/// Types: uint8_t, uint16_t, uint32_t, float, double. All arithmetic is in double, or exact, and nothing is
/// lost to cancellation: a large mean costs the deviations no more digits than are missing from the elements
/// themselves. An element that is not finite leaves mean and deviations not finite; least and greatest pass
/// over NaN. Source: Chan, Golub, LeVeque, "Algorithms for Computing the Sample Variance: Analysis and
/// Recommendations", 1983.
template <ContiguousArray In>
void moments(Context& context, const In& in, Moments* result) {
  static_assert(MomentsInLibrary<ElementOf<In>>, "moments: not of the types that core/moments.h names");
  compiled::moments(context, elements_of(in), result);
}

}  // namespace scanlens
