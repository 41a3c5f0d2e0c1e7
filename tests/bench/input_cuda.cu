#include <algorithm>

#include "core/runtime/cuda_check.cuh"
#include "tests/bench/input.h"

namespace scanlens::bench::gpu {

template <class T>
__global__ void fill_kernel(T* out, std::int64_t count, Input input) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride)
    out[i] = input.at<T>(static_cast<std::uint64_t>(i));
}

template <class T>
void fill(Context& context, std::span<T> out, Input input) {
  constexpr std::int64_t kThreads = 256, kMostBlocks = 4096;
  const auto count = static_cast<std::int64_t>(out.size());
  if (count == 0) return;
  const auto blocks = static_cast<unsigned>(std::min(kMostBlocks, (count + kThreads - 1) / kThreads));
  SCANLENS_CUDA_CHECK(scanlens::gpu::launch_kernel(
      fill_kernel<T>, blocks, kThreads, 0, scanlens::gpu::stream_of(context), out.data(), count, input));
}

#define SCANLENS_INSTANTIATE(T) template void fill(Context&, std::span<T>, Input);
SCANLENS_INSTANTIATE(std::uint8_t)
SCANLENS_INSTANTIATE(std::uint16_t)
SCANLENS_INSTANTIATE(std::uint32_t)
SCANLENS_INSTANTIATE(std::uint64_t)
SCANLENS_INSTANTIATE(float)
SCANLENS_INSTANTIATE(double)
#undef SCANLENS_INSTANTIATE

}  // namespace scanlens::bench::gpu
