// Scans per backend. Called by the checked public functions only.
#pragma once

#include <cstdint>

#include "core/context.h"
#include "core/operators.h"
#include "core/scan/form.h"
#include "core/view.h"

// The backends declare the same functions, for n >= 1. The CPU's definitions stand in core/scan/cpu.h, with
// faster ones for some types in cpu.cpp; CUDA's stand in cuda.cuh and segmented.cuh.
#define SCANLENS_DECLARE_SCANS                                                                           \
  template <class In, class Out, class Op>                                                               \
  void scan(Context& context, const In* in, Out* out, std::int64_t n, const ScanForm<Out>& form, Op op); \
  template <class T, class Op>                                                                           \
  void segmented_scan(Context& context, const T* in, const std::uint8_t* heads, T* out, std::int64_t n,  \
                      const ScanForm<T>& form, Op op);

namespace scanlens::cpu {
SCANLENS_DECLARE_SCANS
}
namespace scanlens::gpu {
SCANLENS_DECLARE_SCANS

/// Scans every row by itself; made for rows too long for one block's registers.
template <class In, class Out, class Op>
void scan_in_pipeline(Context& context, View<const In> in, View<Out> out, const ScanForm<Out>& form, Op op);
}  // namespace scanlens::gpu

#undef SCANLENS_DECLARE_SCANS
