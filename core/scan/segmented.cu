// The segmented scans that the library holds ready compiled.
#include "core/scan/backends.h"
#include "core/scan/segmented.cuh"

namespace scanlens::gpu {

#define SCANLENS_INSTANTIATE(T, Op) \
  template void segmented_scan(Context&, const T*, const std::uint8_t*, T*, std::int64_t, bool, Op);
SCANLENS_FOR_EACH_SEGMENTED_SCAN(SCANLENS_INSTANTIATE)

}  // namespace scanlens::gpu
