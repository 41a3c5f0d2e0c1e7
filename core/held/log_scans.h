// Scans of logarithms that the library holds compiled.
#pragma once

#include <span>

#include "core/half.h"
#include "core/held/scans.h"

namespace scanlens {

struct LogSumExp;

#define SCANLENS_LOG_SCANS(X)                                          \
  X(LogF32, float, float, ::scanlens::LogSumExp)                       \
  X(LogF64, double, double, ::scanlens::LogSumExp)                     \
  X(LogF16, ::scanlens::Half, ::scanlens::Half, ::scanlens::LogSumExp) \
  X(LogBF16, ::scanlens::BFloat16, ::scanlens::BFloat16, ::scanlens::LogSumExp)

namespace compiled {
#define SCANLENS_HOLDS_LOG_SCAN(name, In, Out, Op)                                                          \
  template <>                                                                                               \
  inline constexpr bool kHoldsScan<In, Out, Op> = true;                                                     \
  template <>                                                                                               \
  inline constexpr bool kHoldsAxisScan<In, Out, Op> = true;                                                 \
  template <>                                                                                               \
  void scan(Context& context, const char* call, bool inclusive, std::span<const In> in, std::span<Out> out, \
            Op op, const ScanOptions<Out>& options);                                                        \
  template <>                                                                                               \
  void scan_axis(Context& context, const char* call, bool inclusive, std::span<const In> in,                \
                 std::span<Out> out, const Axis& axis, Op op, const ScanOptions<Out>& options);
SCANLENS_LOG_SCANS(SCANLENS_HOLDS_LOG_SCAN)
#undef SCANLENS_HOLDS_LOG_SCAN
}  // namespace compiled

}  // namespace scanlens
