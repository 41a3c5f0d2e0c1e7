// Scans by LogSumExp.
#include "core/lines/backends.h"
#include "core/lines/elements.h"
#include "core/lines/lines.cuh"
#include "core/log_sum_exp.h"
#include "core/scan/cuda.cuh"

namespace scanlens::gpu {

template <>
inline constexpr bool kCommutative<LogSumExp, float> = true;
template <>
inline constexpr bool kCommutative<LogSumExp, double> = true;

#define SCANLENS_INSTANTIATE(name, In, Out, Op)                                          \
  template void scan(Context&, const In*, Out*, std::int64_t, const ScanForm<Out>&, Op); \
  template void scan_lines(Context&, const PlainElements<In, Out, Op>&, const Axis&);
SCANLENS_LOG_SCANS(SCANLENS_INSTANTIATE)

}  // namespace scanlens::gpu
