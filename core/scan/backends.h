// Scans per backend. Called by the checked public functions only.
#pragma once

#include <cstdint>

#include "core/context.h"
#include "core/operators.h"

// The backends declare the same functions, for n >= 1. The CPU's definitions stand in core/scan/cpu.h, with
// faster ones for some types in cpu.cpp; CUDA's stand in cuda.cuh and segmented.cuh.
#define SCANLENS_DECLARE_SCANS                                                                          \
  template <class In, class Out, class Op>                                                              \
  void scan(Context& context, const In* in, Out* out, std::int64_t n, bool inclusive, Op op);           \
  template <class T, class Op>                                                                          \
  void segmented_scan(Context& context, const T* in, const std::uint8_t* heads, T* out, std::int64_t n, \
                      bool inclusive, Op op);

namespace scanlens::cpu {
SCANLENS_DECLARE_SCANS
}
namespace scanlens::gpu {
SCANLENS_DECLARE_SCANS
}

#undef SCANLENS_DECLARE_SCANS

// The library holds these scans ready compiled, for both backends: X(In, Out, Op) and X(T, Op) for each.
#define SCANLENS_FOR_EACH_SCAN(X)                 \
  SCANLENS_FOR_EACH_SCAN_OF(X, std::int32_t)      \
  SCANLENS_FOR_EACH_SCAN_OF(X, std::uint32_t)     \
  SCANLENS_FOR_EACH_SCAN_OF(X, std::uint64_t)     \
  SCANLENS_FOR_EACH_SCAN_OF(X, float)             \
  SCANLENS_FOR_EACH_SCAN_OF(X, double)            \
  X(std::uint8_t, std::uint32_t, ::scanlens::Sum) \
  X(std::uint16_t, std::uint32_t, ::scanlens::Sum)
#define SCANLENS_FOR_EACH_SCAN_OF(X, T) \
  X(T, T, ::scanlens::Sum)              \
  X(T, T, ::scanlens::Product)          \
  X(T, T, ::scanlens::Min)              \
  X(T, T, ::scanlens::Max)

#define SCANLENS_FOR_EACH_SEGMENTED_SCAN(X)             \
  SCANLENS_FOR_EACH_SEGMENTED_SCAN_OF(X, std::int32_t)  \
  SCANLENS_FOR_EACH_SEGMENTED_SCAN_OF(X, std::uint32_t) \
  SCANLENS_FOR_EACH_SEGMENTED_SCAN_OF(X, std::uint64_t) \
  SCANLENS_FOR_EACH_SEGMENTED_SCAN_OF(X, float)         \
  SCANLENS_FOR_EACH_SEGMENTED_SCAN_OF(X, double)
#define SCANLENS_FOR_EACH_SEGMENTED_SCAN_OF(X, T) \
  X(T, ::scanlens::Sum)                           \
  X(T, ::scanlens::Min)                           \
  X(T, ::scanlens::Max)
