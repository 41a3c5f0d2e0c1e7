// The scans of extremes and of floats that go on from a rank to the next.
#include "core/ranks/backends.h"
#include "core/ranks/scan.cuh"

namespace scanlens::gpu {

#define SCANLENS_INSTANTIATE(name, In, Out, Op) \
  template void continue_scan(Context&, const In*, Out*, std::int64_t, bool, Op, const StartOf<Out, Op>*);
SCANLENS_INTEGER_EXTREMES(SCANLENS_INSTANTIATE)
SCANLENS_FLOAT_SCANS(SCANLENS_INSTANTIATE)

}  // namespace scanlens::gpu
