// Facts about all values of a map, on CUDA. Inside filters/depth/cuda.
#pragma once

#include <climits>
#include <cstdint>

#include "core/context.h"
#include "core/cuda/warp_extremes.cuh"
#include "core/view.h"
#include "filters/depth/tasks.h"

namespace scanlens::gpu {

/// Finds the range of a map's values, but for odd ones, in device memory of the workspace.
const float* find_range(Context& context, Workspace& workspace, View<const float> map);

/// The complement of the least value and the greatest one, both ordered. All bytes 0x80 are less than both.
struct Extremes {
  int below, most;

  __device__ void add(float value) {
    const int place = ordered(value);
    below = max(below, ~place);
    most = max(most, place);
  }
};

constexpr Extremes kNoExtremes{INT_MIN, INT_MIN};

/// Adds those of all threads of a block, which all take part, to those of all blocks.
__device__ inline void collect(const Extremes& own, Extremes* all) {
  __shared__ Extremes of_block;
  const bool first = threadIdx.x + threadIdx.y == 0;
  if (first) of_block = kNoExtremes;
  __syncthreads();
  const int below = warp_greatest(own.below), most = warp_greatest(own.most);
  if (threadIdx.x % kWarp == 0) {
    atomicMax(&of_block.below, below);
    atomicMax(&of_block.most, most);
  }
  __syncthreads();
  if (!first) return;
  atomicMax(&all->below, of_block.below);
  atomicMax(&all->most, of_block.most);
}

/// Returns the range that extremes in host memory are.
ValueRange range_of(const Extremes& extremes);

constexpr unsigned blocks_for(std::int64_t count, std::int64_t per_block) {
  return static_cast<unsigned>((count + per_block - 1) / per_block);
}

}  // namespace scanlens::gpu
