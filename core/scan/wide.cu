// Scans into 64 bits.
#include "core/scan/cuda.cuh"
#include "core/scan_kinds.h"

namespace scanlens::gpu {

#define SCANLENS_INSTANTIATE(name, In, Out, Op)                                          \
  template void scan(Context&, const In*, Out*, std::int64_t, const ScanForm<Out>&, Op); \
  template void scan_in_pipeline(Context&, View<const In>, View<Out>, const ScanForm<Out>&, Op);
SCANLENS_WIDE_SCANS(SCANLENS_INSTANTIATE)

}  // namespace scanlens::gpu
