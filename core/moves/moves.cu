// The steps on CUDA: a thread for each.
#include "core/cuda/launch.cuh"
#include "core/moves/moves.h"

namespace scanlens::gpu {
namespace {

constexpr int kThreads = 256;

template <class Step>
__global__ void __launch_bounds__(kThreads)
    step_kernel(std::int64_t count, const __grid_constant__ Step step) {
  let_next_kernel_begin();
  await_previous_kernel();
  const std::int64_t stride = std::int64_t{gridDim.x} * kThreads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x; i < count; i += stride) step(i);
}

}  // namespace

template <class Step>
void for_each_step(Context& context, std::int64_t count, Step step) {
  constexpr std::int64_t kMostBlocks = 1 << 20;
  const std::int64_t blocks = (count + kThreads - 1) / kThreads;
  launch_early(context, step_kernel<Step>, Blocks::independent,
               static_cast<unsigned>(blocks < kMostBlocks ? blocks : kMostBlocks), kThreads, SharedBytes{},
               count, step);
}

#define SCANLENS_INSTANTIATE(...) template void for_each_step(Context&, std::int64_t, __VA_ARGS__);
SCANLENS_STEPS(SCANLENS_INSTANTIATE)

}  // namespace scanlens::gpu
