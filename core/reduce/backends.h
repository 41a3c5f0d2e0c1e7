// Reductions per backend, called only by the checked public functions.
#pragma once

#include <cstdint>

#include "core/context.h"
#include "core/moments.h"
#include "core/runtime/array_checks.h"

namespace scanlens {

/// Throws Error (usage), naming `call`, unless both describe memory and have no byte in common.
void require_reducible(const char* call, const ArrayArgument& in, const ArrayArgument& result);

template <class T, class Result>
std::int64_t checked_length(const char* call, std::span<const T> in, Result* result) {
  require_reducible(call, {"in", in}, {"result", std::span<Result>(result, 1)});
  return static_cast<std::int64_t>(in.size());
}

}  // namespace scanlens

// The backends declare the same functions: moments are in core/reduce/moments.*, all else in reduce.cpp and
// cuda.cu.
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

#define SCANLENS_FOR_EACH_LOCATED_TYPE(X) \
  X(std::int32_t) X(std::uint32_t) X(std::int64_t) X(std::uint64_t) X(float) X(double)
#define SCANLENS_FOR_EACH_MOMENTS_TYPE(X) X(std::uint8_t) X(std::uint16_t) X(std::uint32_t) X(float) X(double)
