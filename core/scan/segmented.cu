// The segmented scans that the library holds ready compiled.
#include "core/scan/segmented.cuh"
#include "core/scan_kinds.h"

namespace scanlens::gpu {

#define SCANLENS_INSTANTIATE(name, In, T, Op)                                             \
  template void segmented_scan(Context&, const T*, const std::uint8_t*, T*, std::int64_t, \
                               const ScanForm<T>&, Op);
SCANLENS_SEGMENTED_SCANS(SCANLENS_INSTANTIATE)

}  // namespace scanlens::gpu
