#include "core/cuda/launch.cuh"
#include "tests/unit/support/late_writer.h"

namespace scanlens::test {
namespace {

__global__ void write_late_kernel(std::uint32_t* words, std::int64_t n, std::uint32_t value) {
  gpu::let_next_kernel_begin();
  constexpr long long kCycles = 4'000'000;  // some milliseconds
  const long long start = clock64();
  while (clock64() - start < kCycles) {
  }
  for (std::int64_t i = threadIdx.x; i < n; i += blockDim.x) words[i] = value;
}

}  // namespace

void write_late(Context& context, std::uint32_t* words, std::int64_t n, std::uint32_t value) {
  const gpu::DeviceGuard device(context);
  SCANLENS_CUDA_CHECK(
      gpu::launch_kernel(write_late_kernel, 1, 256, 0, gpu::stream_of(context), words, n, value));
}

}  // namespace scanlens::test
