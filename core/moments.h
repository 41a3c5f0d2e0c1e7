// Extremes of an array and where they stand; its mean and variance; the kinds of reductions that the library
// holds compiled.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include "core/array.h"
#include "core/context.h"
#include "core/half.h"
#include "core/operators.h"

namespace scanlens {

// All functions here agree in this: the result is written to memory of the context's backend, outside of
// `in`, in the order of the stream; nothing waits for it. Lengths: any from 0 to beyond 2^32. Alignment:
// whatever the type allows. Bytes moved: the array once. Determinism: the order of operations depends on the
// array's length and alignment and on the device alone. So floats have the same bits on every run, and on the
// CPU with any number of threads.

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

/// True of the types that the library holds all of this compiled for.
template <class T>
concept LocateInLibrary = kOneOf<T, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float, double>;
template <class T>
concept MomentsInLibrary = kOneOf<T, std::uint8_t, std::uint16_t, std::uint32_t, float, double>;

namespace compiled {
template <class T>
void argmin(Context& context, std::span<const T> in, Located<T>* result);
template <class T>
void argmax(Context& context, std::span<const T> in, Located<T>* result);
template <class T>
void moments(Context& context, std::span<const T> in, Moments* result);
}  // namespace compiled

/// The least (greatest) element and the lowest index at which it stands. NaN comes before all: the first one
/// is found. An empty array has {identity, 0}. Types: int32_t, uint32_t, int64_t, uint64_t, float, double.
template <ContiguousArray In>
void argmin(Context& context, const In& in, Located<ElementOf<In>>* result) {
  static_assert(LocateInLibrary<ElementOf<In>>, "argmin: not of the types that core/moments.h names");
  compiled::argmin(context, elements_of(in), result);
}
template <ContiguousArray In>
void argmax(Context& context, const In& in, Located<ElementOf<In>>* result) {
  static_assert(LocateInLibrary<ElementOf<In>>, "argmax: not of the types that core/moments.h names");
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

// The reductions that the library holds compiled: X(In, Out, Op). int32_t and int64_t go by the unsigned type
// where the bits are the same, so that sums of short integers, too, can be int64_t.
#define SCANLENS_REDUCTIONS(X)                           \
  SCANLENS_EXTREMES(X, std::int32_t)                     \
  SCANLENS_EXTREMES(X, std::int64_t)                     \
  SCANLENS_ALL_REDUCTIONS(X, std::uint32_t)              \
  SCANLENS_ALL_REDUCTIONS(X, std::uint64_t)              \
  SCANLENS_ALL_REDUCTIONS(X, float)                      \
  SCANLENS_ALL_REDUCTIONS(X, double)                     \
  X(std::uint8_t, std::uint64_t, ::scanlens::Sum)        \
  X(std::uint16_t, std::uint64_t, ::scanlens::Sum)       \
  X(std::uint32_t, std::uint64_t, ::scanlens::Sum)       \
  X(std::int8_t, std::uint64_t, ::scanlens::Sum)         \
  X(std::int16_t, std::uint64_t, ::scanlens::Sum)        \
  X(std::int32_t, std::uint64_t, ::scanlens::Sum)        \
  X(float, double, ::scanlens::Sum)                      \
  X(::scanlens::Half, ::scanlens::Half, ::scanlens::Sum) \
  X(::scanlens::BFloat16, ::scanlens::BFloat16, ::scanlens::Sum)
#define SCANLENS_ALL_REDUCTIONS(X, T) \
  X(T, T, ::scanlens::Sum) X(T, T, ::scanlens::Product) SCANLENS_EXTREMES(X, T)
#define SCANLENS_EXTREMES(X, T) X(T, T, ::scanlens::Min) X(T, T, ::scanlens::Max)

namespace compiled {
template <class In, class Out, class Op>
inline constexpr bool kHoldsReduction = false;
#define SCANLENS_HOLDS_REDUCTION(In, Out, Op) \
  template <>                                 \
  inline constexpr bool kHoldsReduction<In, Out, Op> = true;
SCANLENS_REDUCTIONS(SCANLENS_HOLDS_REDUCTION)
#undef SCANLENS_HOLDS_REDUCTION
/// The type by which elements are reduced.
template <class In, class Out, class Op>
using ReducedIn = std::conditional_t<std::is_same_v<In, Out>, SameBits<Out, Op>, In>;
template <class In, class Out, class Op>
void reduce(Context& context, std::span<const In> in, Out* result, Op op);
}  // namespace compiled

/// True of the types, and operators, that the library holds reductions compiled for.
template <class In, class Out, class Op>
concept ReduceInLibrary = compiled::kHoldsReduction<compiled::ReducedIn<In, Out, Op>, SameBits<Out, Op>, Op>;

}  // namespace scanlens
