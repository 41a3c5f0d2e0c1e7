// Reductions per backend, called only by the checked public functions.
#pragma once

#include <cstdint>

#include "core/context.h"
#include "core/reduce.h"
#include "core/runtime/array_checks.h"

namespace scanlens {

/// Throws Error (usage), naming `call`, unless both describe memory and have no byte in common.
void require_reducible(const char* call, const ArrayArgument& in, const ArrayArgument& result);

}  // namespace scanlens

// The backends declare the same functions: definitions stand in core/reduce/cpu.cpp and cuda.cu.
#define SCANLENS_DECLARE_REDUCTIONS                                                        \
  template <class In, class Out, class Op>                                                 \
  void reduce(Context& context, const In* in, std::int64_t n, Out* result, Op op);         \
  template <class T>                                                                       \
  void locate_least(Context& context, const T* in, std::int64_t n, Located<T>* result);    \
  template <class T>                                                                       \
  void locate_greatest(Context& context, const T* in, std::int64_t n, Located<T>* result); \
  template <class T>                                                                       \
  void moments(Context& context, const T* in, std::int64_t n, Moments* result);

namespace scanlens::cpu {
SCANLENS_DECLARE_REDUCTIONS
}
namespace scanlens::gpu {
SCANLENS_DECLARE_REDUCTIONS
}

#undef SCANLENS_DECLARE_REDUCTIONS

// The types instantiated for the public functions and both backends alike; X is a macro of them.
#define SCANLENS_FOR_EACH_SIMPLE_REDUCTION(X, T) X(T, T, Sum) X(T, T, Product) X(T, T, Min) X(T, T, Max)
#define SCANLENS_FOR_EACH_REDUCTION(X)                 \
  SCANLENS_FOR_EACH_SIMPLE_REDUCTION(X, std::int32_t)  \
  SCANLENS_FOR_EACH_SIMPLE_REDUCTION(X, std::uint32_t) \
  SCANLENS_FOR_EACH_SIMPLE_REDUCTION(X, std::uint64_t) \
  SCANLENS_FOR_EACH_SIMPLE_REDUCTION(X, float)         \
  SCANLENS_FOR_EACH_SIMPLE_REDUCTION(X, double)        \
  X(std::uint8_t, std::uint64_t, Sum)                  \
  X(std::uint16_t, std::uint64_t, Sum)                 \
  X(std::uint32_t, std::uint64_t, Sum)                 \
  X(float, double, Sum)
#define SCANLENS_FOR_EACH_LOCATED_TYPE(X) X(std::int32_t) X(std::uint32_t) X(std::uint64_t) X(float) X(double)
#define SCANLENS_FOR_EACH_MOMENTS_TYPE(X) X(std::uint8_t) X(std::uint16_t) X(std::uint32_t) X(float) X(double)
