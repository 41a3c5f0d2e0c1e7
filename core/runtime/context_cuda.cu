// Messages are put together without fmt here: nvcc does not compile fmt 9 as C++20.
#include <string>

#include "core/error.h"
#include "core/runtime/context_impl.h"
#include "core/runtime/cuda_backend.h"
#include "core/runtime/cuda_check.cuh"
#include "core/runtime/cuda_event.cuh"

namespace scanlens::gpu {

namespace {
/// Whether the same work may succeed later or elsewhere.
bool worth_retrying(cudaError_t status) {
  switch (status) {
    case cudaErrorMemoryAllocation:
    case cudaErrorDevicesUnavailable:
    case cudaErrorECCUncorrectable:
    case cudaErrorLaunchTimeout:
    case cudaErrorSystemNotReady:
      return true;
    default:
      return false;
  }
}
}  // namespace

void check(cudaError_t status, const char* call, const char* file, int line) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // a refused call stays refused, but must not be blamed on the next one
  throw Error(worth_retrying(status) ? ErrorKind::retry : ErrorKind::failed,
              std::string("CUDA: ") + cudaGetErrorString(status) + " (" + cudaGetErrorName(status) + ") in " +
                  call + " at " + file + ":" + std::to_string(line));
}

cudaStream_t stream_of(const Context& context) {
  SCANLENS_CUDA_CHECK(cudaSetDevice(context.cuda_ordinal()));
  return static_cast<cudaStream_t>(context.impl().stream);
}

namespace {
__global__ void probe_kernel() {}
}  // namespace

int device_count(std::string& cause) {
  int count = 0;
  if (const cudaError_t status = cudaGetDeviceCount(&count); status != cudaSuccess) {
    cudaGetLastError();
    cause = cudaGetErrorString(status);
    return 0;
  }
  return count;
}

std::optional<DeviceInfo> probe(int ordinal, std::string& cause) {
  const std::string id = "cuda:" + std::to_string(ordinal);
  cudaDeviceProp properties;
  cudaFuncAttributes attributes;
  cudaError_t status = cudaSetDevice(ordinal);
  if (status == cudaSuccess) status = cudaGetDeviceProperties(&properties, ordinal);
  if (status == cudaSuccess) status = cudaFuncGetAttributes(&attributes, probe_kernel);
  if (status != cudaSuccess) {  // a GPU that is in use exclusively, broken, or too old for this build
    cudaGetLastError();
    cause = id + ": " + cudaGetErrorString(status);
    return std::nullopt;
  }
  return DeviceInfo{id, properties.name,
                    "compute capability " + std::to_string(properties.major) + "." +
                        std::to_string(properties.minor) + ", " +
                        std::to_string(properties.multiProcessorCount) + " multiprocessors, " +
                        std::to_string(properties.totalGlobalMem >> 30) + " GiB"};
}

std::byte* allocate(int ordinal, std::size_t bytes) {
  SCANLENS_CUDA_CHECK(cudaSetDevice(ordinal));
  void* memory = nullptr;
  const cudaError_t status = cudaMalloc(&memory, bytes);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    throw Error(ErrorKind::retry, "out of memory on cuda:" + std::to_string(ordinal) + ": " +
                                      std::to_string(bytes >> 20) + " MiB were not to be had");
  }
  SCANLENS_CUDA_CHECK(status);
  return static_cast<std::byte*>(memory);
}

void release(std::byte* memory) noexcept {
  cudaFree(memory);
}

std::size_t available_memory(int ordinal) {
  std::size_t available = 0, total = 0;
  SCANLENS_CUDA_CHECK(cudaSetDevice(ordinal));
  SCANLENS_CUDA_CHECK(cudaMemGetInfo(&available, &total));
  return available;
}

Traits traits(int ordinal) {
  SCANLENS_CUDA_CHECK(cudaSetDevice(ordinal));
  Traits found;
  SCANLENS_CUDA_CHECK(
      cudaDeviceGetAttribute(&found.multiprocessors, cudaDevAttrMultiProcessorCount, ordinal));
  SCANLENS_CUDA_CHECK(
      cudaDeviceGetAttribute(&found.shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, ordinal));
  cudaFuncAttributes attributes;
  SCANLENS_CUDA_CHECK(cudaFuncGetAttributes(&attributes, probe_kernel));
  found.hopper = attributes.ptxVersion >= 90;
  return found;
}

Memory zeroed(int ordinal, std::size_t bytes, void* stream) {
  Memory memory(Backend::cuda, bytes, ordinal);
  SCANLENS_CUDA_CHECK(cudaMemsetAsync(memory.data(), 0, bytes, static_cast<cudaStream_t>(stream)));
  return memory;
}

void* create_stream(int ordinal) {
  SCANLENS_CUDA_CHECK(cudaSetDevice(ordinal));
  cudaStream_t stream = nullptr;
  SCANLENS_CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return stream;
}

void destroy_stream(void* stream) noexcept {
  cudaStreamDestroy(static_cast<cudaStream_t>(stream));
}

void synchronize(const Context& context) {
  SCANLENS_CUDA_CHECK(cudaStreamSynchronize(stream_of(context)));
}

double time(const Context& context, const std::function<void()>& work) {
  const cudaStream_t stream = stream_of(context);
  Event start, stop;
  start.record(stream);
  work();
  stop.record(stream);
  stop.wait();
  float milliseconds = 0;
  SCANLENS_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  return milliseconds;
}

void copy_bytes(const Context& context, const void* from, std::int64_t from_pitch_bytes, void* to,
                std::int64_t to_pitch_bytes, std::int64_t row_bytes, std::int64_t rows) {
  const cudaStream_t stream = stream_of(context);
  const auto bytes = static_cast<std::size_t>(row_bytes);
  const bool packed = rows == 1 || (from_pitch_bytes == row_bytes && to_pitch_bytes == row_bytes);
  if (packed)
    SCANLENS_CUDA_CHECK(
        cudaMemcpyAsync(to, from, bytes * static_cast<std::size_t>(rows), cudaMemcpyDefault, stream));
  else
    SCANLENS_CUDA_CHECK(cudaMemcpy2DAsync(to, static_cast<std::size_t>(to_pitch_bytes), from,
                                          static_cast<std::size_t>(from_pitch_bytes), bytes,
                                          static_cast<std::size_t>(rows), cudaMemcpyDefault, stream));
}

void* record(const Context& context, const std::function<void()>& work) {
  const cudaStream_t stream = stream_of(context);
  cudaGraph_t graph = nullptr;
  SCANLENS_CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  try {
    work();
  } catch (...) {
    cudaStreamEndCapture(stream, &graph);  // ends the capture, whatever it holds
    if (graph) cudaGraphDestroy(graph);
    cudaGetLastError();
    throw;
  }
  SCANLENS_CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t executable = nullptr;
  const cudaError_t status = cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphDestroy(graph);
  SCANLENS_CUDA_CHECK(status);
  return executable;
}

void launch_graph(const Context& context, void* graph) {
  SCANLENS_CUDA_CHECK(cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph), stream_of(context)));
}

void destroy_graph(void* graph) noexcept {
  cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(graph));
}

}  // namespace scanlens::gpu
