// Summed-area tables of float images on CUDA.
#include "core/sat_cuda.cuh"

namespace scanlens::cuda {

template void summed_area_table(Context&, const SatTask<float, std::uint32_t>&);
template void summed_area_table(Context&, const SatTask<float, std::uint64_t>&);
template void summed_area_table(Context&, const SatTask<float, double>&);

}  // namespace scanlens::cuda
