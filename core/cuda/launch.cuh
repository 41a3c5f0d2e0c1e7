// Launches that begin before the kernel ahead of them in the stream has ended.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "core/runtime/cuda_check.cuh"
#include "core/runtime/device.h"

namespace scanlens::gpu {

/// Waits for the kernel ahead. A kernel launched by launch_early as Blocks::independent calls it before it
/// touches device memory that others use. Exceptions: counters that every kernel takes for itself before
/// let_next_kernel_begin(), and fetches into the L2. Code before the call overlaps with the end of the kernel
/// ahead, and with its launch (programmatic dependent launch; Hopper only).
__device__ inline void await_previous_kernel() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
/// The next kernel in the stream, if launched by launch_early, may begin once every block has come here.
__device__ inline void let_next_kernel_begin() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

enum class Blocks {
  independent,  ///< a block waits at most for such as surely run already
  all_at_once,  ///< blocks wait for each other, so none may be left out (a cooperative launch)
};

/// Dynamic shared memory of a launch, and the most that any launch of the same kernel asks for: the limit
/// belongs to the kernel, so contexts in several threads have to agree on it. `most` 0: the limit need not be
/// set, or has been.
struct SharedBytes {
  std::size_t now = 0, most = 0;
};

/// Launches a kernel. It may begin early if it can wait for the kernel ahead by itself, and does not need all
/// of its blocks at once.
template <class... Parameters, class... Arguments>
void launch_early(Context& context, void (*kernel)(Parameters...), Blocks blocks, dim3 grid, int threads,
                  SharedBytes shared, const Arguments&... arguments) {
  cudaLaunchAttribute attributes[2] = {};
  unsigned count = 0;
  // Not both: of two streams' kernels that had each begun early on a part of the GPU, neither would ever get
  // the rest.
  if (blocks == Blocks::independent && has_hopper_code(context, reinterpret_cast<const void*>(kernel))) {
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
    SCANLENS_CUDA_CHECK(set_kernel_attribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                             static_cast<int>(shared.most)));
  SCANLENS_CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, arguments...));
}

/// Memory of at least `bytes` bytes for words that name the launch that wrote them; zero at first.
inline std::byte* kept_words(Context& context, const MeetingPlace& place, std::int64_t bytes) {
  constexpr std::size_t kStep = std::size_t{1} << 16;
  return meeting_memory(context, place, (static_cast<std::size_t>(bytes) + kStep - 1) / kStep * kStep);
}

}  // namespace scanlens::gpu
