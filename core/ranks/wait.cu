// Asks a stream whether it is done, without waiting.
#include "core/ranks/transport.h"
#include "core/runtime/cuda_check.cuh"
#include "core/runtime/device.h"

namespace scanlens::gpu {

bool has_finished(const Context& context) {
  const DeviceGuard device(context);
  const cudaError_t status = cudaStreamQuery(stream_of(context));
  if (status == cudaErrorNotReady) return succeeded(status);
  check(status, "cudaStreamQuery", __FILE__, __LINE__);
  return true;
}

bool is_captured(const Context& context) {
  const DeviceGuard device(context);
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  return succeeded(cudaStreamIsCapturing(stream_of(context), &status)) &&
         status != cudaStreamCaptureStatusNone;
}

}  // namespace scanlens::gpu
