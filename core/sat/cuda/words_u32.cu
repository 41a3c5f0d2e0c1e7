// Summed-area tables of 16- and 32-bit samples in 32 bits on CUDA.
#include "core/sat/cuda/table.cuh"

namespace scanlens::gpu {

template void summed_area_table(Context&, const SatTask<std::uint16_t, std::uint32_t>&);
template void summed_area_table(Context&, const SatTask<std::uint32_t, std::uint32_t>&);

}  // namespace scanlens::gpu
