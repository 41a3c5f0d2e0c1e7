// Summed-area tables of squares on CUDA.
#include "core/sat/cuda/table.cuh"

namespace scanlens::gpu {

template <class T, class S>
void table_of_squares(Context& context, const SatTask<T, S>& task) {
  launch_held<true>(context, task);
}

template void table_of_squares(Context&, const SatTask<std::uint8_t, std::uint64_t>&);
template void table_of_squares(Context&, const SatTask<std::uint16_t, std::uint64_t>&);
template void table_of_squares(Context&, const SatTask<float, double>&);

}  // namespace scanlens::gpu
