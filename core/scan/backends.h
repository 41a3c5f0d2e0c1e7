// Scans per backend. Called by the checked public functions only.
#pragma once

#include <cstdint>

#include "core/context.h"
#include "core/operators.h"
#include "core/view.h"

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

/// Scans every row by itself; made for rows too long for one block's registers.
template <class In, class Out, class Op>
void scan_in_pipeline(Context& context, View<const In> in, View<Out> out, bool inclusive, Op op);
}  // namespace scanlens::gpu

#undef SCANLENS_DECLARE_SCANS

// The library holds these scans ready compiled, for both backends: X(In, Out, Op) and X(T, Op) for each.
// Tables need unsigned sums, which are in scanlens_core for that; the others are in scanlens_primitives.
#define SCANLENS_FOR_EACH_SCAN(X) SCANLENS_FOR_EACH_TABLE_SCAN(X) SCANLENS_FOR_EACH_OTHER_SCAN(X)
#define SCANLENS_FOR_EACH_TABLE_SCAN(X)            \
  X(std::uint32_t, std::uint32_t, ::scanlens::Sum) \
  X(std::uint64_t, std::uint64_t, ::scanlens::Sum)
#define SCANLENS_FOR_EACH_OTHER_SCAN(X)           \
  SCANLENS_FOR_EACH_SUM_OF(X, std::int32_t)       \
  SCANLENS_FOR_EACH_SUM_OF(X, float)              \
  SCANLENS_FOR_EACH_SUM_OF(X, double)             \
  SCANLENS_FOR_EACH_SCAN_OF(X, std::int32_t)      \
  SCANLENS_FOR_EACH_SCAN_OF(X, std::uint32_t)     \
  SCANLENS_FOR_EACH_SCAN_OF(X, std::uint64_t)     \
  SCANLENS_FOR_EACH_SCAN_OF(X, float)             \
  SCANLENS_FOR_EACH_SCAN_OF(X, double)            \
  X(std::uint8_t, std::uint32_t, ::scanlens::Sum) \
  X(std::uint16_t, std::uint32_t, ::scanlens::Sum)
#define SCANLENS_FOR_EACH_SUM_OF(X, T) X(T, T, ::scanlens::Sum)
#define SCANLENS_FOR_EACH_SCAN_OF(X, T) \
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
