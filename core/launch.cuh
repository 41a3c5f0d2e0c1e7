// Launches that begin before the kernel ahead of them in the stream has ended.
#pragma once

#include <cuda_runtime.h>

#include "core/context_impl.h"
#include "core/cuda_check.cuh"

namespace scanlens::cuda {

/// The first thing that a kernel launched by launch_early as Blocks::independent does before it touches
/// device memory. What stands before it overlaps with the end of the kernel ahead, and with its launch
/// (programmatic dependent launch; Hopper only).
__device__ inline void await_previous_kernel() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

enum class Blocks {
  independent,
  all_at_once,  ///< blocks wait for each other, so none may be left out (a cooperative launch)
};

/// Dynamic shared memory of a launch, and the most that any launch of the same kernel asks for: the limit
/// belongs to the kernel, so contexts in several threads have to agree on it. `most` 0: the limit need not be
/// set, or has been.
struct SharedBytes {
  std::size_t now = 0, most = 0;
};

template <class... Parameters, class... Arguments>
void launch_early(Context& context, void (*kernel)(Parameters...), Blocks blocks, dim3 grid, int threads,
                  SharedBytes shared, const Arguments&... arguments) {
  cudaLaunchAttribute attributes[2] = {};
  unsigned count = 0;
  // Not both: of two streams' kernels that had each begun early on a part of the GPU, neither would ever get
  // the rest.
  if (context.impl().traits.hopper && blocks == Blocks::independent) {
    attributes[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[count++].val.programmaticStreamSerializationAllowed = 1;
  }
  if (blocks == Blocks::all_at_once) {
    attributes[count].id = cudaLaunchAttributeCooperative;
    attributes[count++].val.cooperative = 1;
  }
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = static_cast<unsigned>(threads);
  config.dynamicSmemBytes = shared.now;
  config.stream = stream_of(context);
  config.attrs = attributes;
  config.numAttrs = count;
  if (shared.most > 0)
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(shared.most)));
  CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, arguments...));
}

}  // namespace scanlens::cuda
