// Summed-area tables of 32-bit samples on CUDA.
#include "core/sat/cuda/table.cuh"

namespace scanlens::gpu {

template void summed_area_table(Context&, const SatTask<std::uint32_t, std::uint32_t>&);

}  // namespace scanlens::gpu
