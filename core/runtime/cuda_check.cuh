// Errors of the CUDA runtime, launches, and the stream of a context. This header shows CUDA types.
//
// A caller may have an error of its own pending, which cudaPeekAtLastError would return. So every call is
// judged by the status that it returns, never by the last error; a kernel is launched by launch_kernel() or
// launch_early() (core/cuda/launch.cuh), because <<<>>> returns none.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "core/context.h"

/// Throws Error with file, line, the call's text and CUDA's message unless the call succeeded.
#define SCANLENS_CUDA_CHECK(...) ::scanlens::gpu::check((__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)

namespace scanlens::gpu {

void check(cudaError_t status, const char* call, const char* file, int line);

/// Sets an attribute of a kernel on the current device, as cudaFuncSetAttribute does, which however clears
/// the caller's last error.
cudaError_t set_kernel_attribute(const void* kernel, cudaFuncAttribute attribute, int value);
template <class... Parameters>
cudaError_t set_kernel_attribute(void (*kernel)(Parameters...), cudaFuncAttribute attribute,
                                 std::int64_t value) {
  return set_kernel_attribute(reinterpret_cast<const void*>(kernel), attribute, static_cast<int>(value));
}

/// Returns true if a call succeeded, where a failure does no harm. Clears a failure from the last error, so
/// that no later call finds it.
bool succeeded(cudaError_t status) noexcept;

/// Returns the context's stream. A launch on it needs a DeviceGuard of the context
/// (core/runtime/device.h), which the fork between the backends brings.
cudaStream_t stream_of(const Context& context);

/// Returns true if `kernel`, as it runs on the context's device, was compiled for compute capability 9.0 or
/// newer, so that await_previous_kernel() is in it. A user's own file may have been compiled without.
bool has_hopper_code(Context& context, const void* kernel);

/// Returns the size of the L2 of the context's device, in bytes.
std::int64_t l2_bytes_of(const Context& context);

/// Launches kernel<<<grid, threads, shared, stream>>>(arguments...) and returns the launch's status. Failures
/// while the kernel runs surface at the next synchronisation.
template <class... Parameters, class... Arguments>
cudaError_t launch_kernel(void (*kernel)(Parameters...), dim3 grid, dim3 threads, std::size_t shared,
                          cudaStream_t stream, Arguments&&... arguments) {
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = threads;
  config.dynamicSmemBytes = shared;
  config.stream = stream;
  return cudaLaunchKernelEx(&config, kernel, static_cast<Arguments&&>(arguments)...);
}

}  // namespace scanlens::gpu
