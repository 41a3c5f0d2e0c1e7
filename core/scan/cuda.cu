// The scans that the library holds ready compiled.
#include "core/scan/backends.h"
#include "core/scan/cuda.cuh"

namespace scanlens::gpu {

#define SCANLENS_INSTANTIATE(In, Out, Op) \
  template void scan(Context&, const In*, Out*, std::int64_t, bool, Op);
SCANLENS_FOR_EACH_SCAN(SCANLENS_INSTANTIATE)

}  // namespace scanlens::gpu
