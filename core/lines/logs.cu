// Scans by LogSumExp.
#include "core/lines/backends.h"
#include "core/lines/elements.h"
#include "core/lines/lines.cuh"
#include "core/log_sum_exp.h"

namespace scanlens::gpu {

#define SCANLENS_INSTANTIATE(name, In, Out, Op) \
  template void scan_lines(Context&, const LogElements<Out>&, const Axis&);
SCANLENS_LOG_SCANS(SCANLENS_INSTANTIATE)

}  // namespace scanlens::gpu
