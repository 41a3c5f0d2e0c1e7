// Summed-area tables of 8-bit images on CUDA.
#include "core/sat/cuda/tiles.cuh"

namespace scanlens::gpu {

template void summed_area_table(Context&, const SatTask<std::uint8_t, std::uint32_t>&);
template void summed_area_table(Context&, const SatTask<std::uint8_t, std::uint64_t>&);

}  // namespace scanlens::gpu
