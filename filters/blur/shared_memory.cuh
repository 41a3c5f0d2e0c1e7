// The size of shared memory. Included by kernels of this room only.
#pragma once

#include <cstdint>

#include "core/runtime/cuda_check.cuh"

namespace scanlens::gpu {

/// Bytes of dynamic shared memory that a block can have on the current device, with a kilobyte left for the
/// kernels' static memory.
inline std::int64_t most_shared_bytes() {
  int device = 0, bytes = 0;
  SCANLENS_CUDA_CHECK(cudaGetDevice(&device));
  SCANLENS_CUDA_CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  return bytes - 1024;
}

}  // namespace scanlens::gpu
