// Row scans of unsigned sums, which summed-area tables also need.
#include "core/rows/rows.cuh"
#include "core/scan_axis.h"

namespace scanlens::gpu {

#define SCANLENS_INSTANTIATE(T, Op) \
  template void scan_rows(Context&, View<const T>, View<T>, const ScanForm<T>&, Op);
SCANLENS_UNSIGNED_ROW_SUMS(SCANLENS_INSTANTIATE)

}  // namespace scanlens::gpu
