// Errors of the CUDA runtime, and the stream of a context. One of the headers that show CUDA types.
#pragma once

#include <cuda_runtime.h>

#include "core/context.h"

/// Throws Error with file, line, the call's text and CUDA's message unless the call succeeded.
#define SCANLENS_CUDA_CHECK(call) ::scanlens::gpu::check((call), #call, __FILE__, __LINE__)

/// Throws when the launch just made was refused. Failures while it runs surface at the next synchronisation.
#define SCANLENS_CUDA_CHECK_LAUNCH(kernel) \
  ::scanlens::gpu::check(cudaGetLastError(), "launch of " #kernel, __FILE__, __LINE__)

namespace scanlens::gpu {

void check(cudaError_t status, const char* call, const char* file, int line);

/// Makes the context's device current in this thread and returns its stream.
cudaStream_t stream_of(const Context& context);

}  // namespace scanlens::gpu
