// Compactions by flags on CUDA.
#include "core/compact/cuda.cuh"

namespace scanlens::gpu {

#define SCANLENS_INSTANTIATE(name, T)                                                            \
  template void compact_flagged(Context&, const T*, const std::uint8_t*, T*, T*, std::uint64_t*, \
                                std::int64_t);
SCANLENS_COMPACTED_BITS(SCANLENS_INSTANTIATE)

}  // namespace scanlens::gpu
