// The row scans that the library holds ready compiled, but for those in sums.cu.
#include "core/rows/rows.cuh"

namespace scanlens::gpu {

#define SCANLENS_INSTANTIATE(T, Op) template void scan_rows(Context&, View<const T>, View<T>, Op);
SCANLENS_FOR_EACH_OTHER_ROW_SCAN(SCANLENS_INSTANTIATE)

}  // namespace scanlens::gpu
