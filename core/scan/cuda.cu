// The scans that the library holds ready compiled, but for those in sums.cu.
#include "core/scan/cuda.cuh"

namespace scanlens::gpu {

#define SCANLENS_INSTANTIATE(In, Out, Op)                                \
  template void scan(Context&, const In*, Out*, std::int64_t, bool, Op); \
  template void scan_in_pipeline(Context&, View<const In>, View<Out>, bool, Op);
SCANLENS_FOR_EACH_OTHER_SCAN(SCANLENS_INSTANTIATE)

}  // namespace scanlens::gpu
