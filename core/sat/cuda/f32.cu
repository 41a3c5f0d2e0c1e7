// Summed-area tables of float images on CUDA.
#include "core/sat/cuda/table.cuh"

namespace scanlens::gpu {

template void summed_area_table(Context&, const SatTask<float, std::uint64_t>&);
template void summed_area_table(Context&, const SatTask<float, double>&);

}  // namespace scanlens::gpu
