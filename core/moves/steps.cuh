// Steps on CUDA: a thread for each.
#pragma once

#include "core/cuda/launch.cuh"
#include "core/moves/moves.h"

namespace scanlens::gpu {

constexpr int kStepThreads = 256;

template <class Step>
__global__ void __launch_bounds__(kStepThreads)
    step_kernel(std::int64_t count, const __grid_constant__ Step step) {
  let_next_kernel_begin();
  await_previous_kernel();
  const std::int64_t stride = std::int64_t{gridDim.x} * kStepThreads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * kStepThreads + threadIdx.x; i < count; i += stride)
    step(i);
}

template <class Step>
void for_each_step(Context& context, std::int64_t count, Step step) {
  constexpr std::int64_t kMostBlocks = 1 << 20;
  const std::int64_t blocks = (count + kStepThreads - 1) / kStepThreads;
  launch_early(context, step_kernel<Step>, Blocks::independent,
               static_cast<unsigned>(blocks < kMostBlocks ? blocks : kMostBlocks), kStepThreads,
               SharedBytes{}, count, step);
}

}  // namespace scanlens::gpu
