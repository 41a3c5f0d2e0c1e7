// Row scans of unsigned sums, which tables need.
#include "core/rows/rows.cuh"

namespace scanlens::gpu {

#define SCANLENS_INSTANTIATE(T, Op) template void scan_rows(Context&, View<const T>, View<T>, Op);
SCANLENS_FOR_EACH_TABLE_ROW_SCAN(SCANLENS_INSTANTIATE)

}  // namespace scanlens::gpu
