// Row scans of floats.
#include "core/rows/rows.cuh"
#include "core/scan_axis.h"

namespace scanlens::gpu {

#define SCANLENS_INSTANTIATE(T, Op) \
  template void scan_rows(Context&, View<const T>, View<T>, const ScanForm<T>&, Op);
SCANLENS_FLOAT_ROW_SCANS(SCANLENS_INSTANTIATE)

}  // namespace scanlens::gpu
