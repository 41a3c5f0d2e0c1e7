// Reductions as the library holds them compiled.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include "core/array.h"
#include "core/context.h"
#include "core/half.h"
#include "core/operators.h"

namespace scanlens {

template <class T>
struct Located;
struct Moments;

/// True of the types that the library holds all of this compiled for.
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
