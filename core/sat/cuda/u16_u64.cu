// Summed-area tables of 16-bit images in 64 bits on CUDA.
#include "core/sat/cuda/table.cuh"

namespace scanlens::gpu {

template void summed_area_table(Context&, const SatTask<std::uint16_t, std::uint64_t>&);

}  // namespace scanlens::gpu
