// Common parts of the kernels that transpose.
#pragma once

#include <cuda_pipeline.h>

#include <algorithm>
#include <cstdint>

#include "core/runtime/cuda_check.cuh"

namespace scanlens::gpu {

constexpr int kSectorBytes = 32;

/// Elements that `address` is past a boundary of `bytes`.
template <class T>
__device__ int past(const T* address, int bytes) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(address) & (bytes - 1)) /
         static_cast<int>(sizeof(T));
}

/// Waits for what this block has loaded asynchronously.
__device__ inline void loaded() {
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
}

inline unsigned tiles(std::int64_t elements, int apart) {
  return static_cast<unsigned>((elements + apart - 1) / apart);
}

/// Leaves to the L1 cache the shared memory that `blocks` blocks do not need (each takes its own and 1 KiB of
/// the system's). The loads in flight pass through the cache and are bounded by its size, too; a request that
/// straddles two of its lines takes up both.
template <class Kernel>
void limit_shared_memory(Kernel* kernel, int blocks, int bytes_per_block) {
  constexpr int kPercent = 228 * 1024 / 100;  // of a multiprocessor's shared memory
  SCANLENS_CUDA_CHECK(set_kernel_attribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                           std::min(100, blocks * (bytes_per_block + 1024) / kPercent + 1)));
}

}  // namespace scanlens::gpu
