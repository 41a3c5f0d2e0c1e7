// Messages are put together without fmt here: nvcc does not compile fmt 9 as C++20.
#include <string>

#include "core/error.h"
#include "core/runtime/context_impl.h"
#include "core/runtime/cuda_backend.h"
#include "core/runtime/cuda_check.cuh"
#include "core/runtime/cuda_event.cuh"
#include "core/runtime/staged_copy.cuh"
#include "core/runtime/wait_mark.h"

namespace scanlens::gpu {

namespace {
/// Returns true if the same work may succeed later or elsewhere.
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
  if (succeeded(status)) return;
  throw Error(worth_retrying(status) ? ErrorKind::retry : ErrorKind::failed,
              std::string("CUDA: ") + cudaGetErrorString(status) + " (" + cudaGetErrorName(status) + ") in " +
                  call + " at " + file + ":" + std::to_string(line),
              status);
}

bool succeeded(cudaError_t status) noexcept {
  if (status == cudaSuccess) return true;
  cudaGetLastError();  // clears the error, so that the next call is not blamed for it
  return false;
}

cudaStream_t stream_of(const Context& context) {
  return static_cast<cudaStream_t>(context.impl().stream);
}

bool has_hopper_code(Context& context, const void* kernel) {
  std::unordered_map<const void*, bool>& known = context.impl().has_hopper_code;
  if (const auto found = known.find(kernel); found != known.end()) return found->second;
  cudaFuncAttributes attributes;
  SCANLENS_CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
  return known[kernel] = attributes.ptxVersion >= 90;
}

std::int64_t l2_bytes_of(const Context& context) {
  return context.impl().traits.l2_bytes;
}

namespace {
__global__ void probe_kernel() {}

/// Describes the code that the GPU runs: "code for compute capability 9.0", and whether the driver compiled
/// it from PTX.
std::string code_of(const cudaFuncAttributes& kernel) {
  const auto version = [](int number) {
    return std::to_string(number / 10) + "." + std::to_string(number % 10);
  };
  return "code for compute capability " + version(kernel.ptxVersion) +
         (kernel.binaryVersion == kernel.ptxVersion ? "" : ", compiled by the driver");
}

/// Returns true if CUDA found neither machine code for the device nor PTX that its driver compiles for it.
bool has_no_code(cudaError_t status) {
  return status == cudaErrorNoKernelImageForDevice || status == cudaErrorInvalidDeviceFunction ||
         status == cudaErrorUnsupportedPtxVersion || status == cudaErrorInvalidKernelImage;
}
}  // namespace

int device_count(std::string& cause) {
  int count = 0;
  if (const cudaError_t status = cudaGetDeviceCount(&count); !succeeded(status)) {
    cause = cudaGetErrorString(status);
    return 0;
  }
  return count;
}

DeviceInfo probe(int ordinal) {
  const DeviceGuard device(ordinal);
  cudaDeviceProp properties;
  SCANLENS_CUDA_CHECK(cudaGetDeviceProperties(&properties, ordinal));
  const std::string capability = std::to_string(properties.major) + "." + std::to_string(properties.minor);
  cudaFuncAttributes attributes;
  const cudaError_t status = cudaFuncGetAttributes(&attributes, probe_kernel);
  if (!succeeded(status) && has_no_code(status))
    throw Error(ErrorKind::failed,
                std::string(properties.name) + " has compute capability " + capability +
                    ", and this build has code for " SCANLENS_CODE
                    " alone; configure it with -DSCANLENS_CUDA_ARCHITECTURES=" +
                    std::to_string(properties.major) + std::to_string(properties.minor) +
                    ", or =all for every GPU that scanlens serves (7.5 and newer)",
                status);
  SCANLENS_CUDA_CHECK(status);
  return {"cuda:" + std::to_string(ordinal), properties.name,
          "compute capability " + capability + ", " + std::to_string(properties.multiProcessorCount) +
              " multiprocessors, " + std::to_string(properties.totalGlobalMem >> 30) + " GiB, " +
              code_of(attributes)};
}

std::byte* allocate(int ordinal, std::size_t bytes) {
  const DeviceGuard device(ordinal);
  void* memory = nullptr;
  const cudaError_t status = cudaMalloc(&memory, bytes);
  if (!succeeded(status) && status == cudaErrorMemoryAllocation)
    throw Error(ErrorKind::retry,
                "out of memory on cuda:" + std::to_string(ordinal) + ": " + std::to_string(bytes >> 20) +
                    " MiB were not available",
                status);
  SCANLENS_CUDA_CHECK(status);
  return static_cast<std::byte*>(memory);
}

void release(int ordinal, std::byte* memory) noexcept {
  if (!memory) return;
  try {
    const DeviceGuard device(ordinal);
    succeeded(cudaFree(memory));
  } catch (const Error&) {
    // The device is gone, and its memory with it.
  }
}

std::size_t available_memory(int ordinal) {
  const DeviceGuard device(ordinal);
  std::size_t available = 0, total = 0;
  SCANLENS_CUDA_CHECK(cudaMemGetInfo(&available, &total));
  return available;
}

Traits traits(int ordinal) {
  const DeviceGuard device(ordinal);
  Traits found;
  SCANLENS_CUDA_CHECK(
      cudaDeviceGetAttribute(&found.multiprocessors, cudaDevAttrMultiProcessorCount, ordinal));
  SCANLENS_CUDA_CHECK(
      cudaDeviceGetAttribute(&found.shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, ordinal));
  SCANLENS_CUDA_CHECK(cudaDeviceGetAttribute(&found.l2_bytes, cudaDevAttrL2CacheSize, ordinal));
  cudaFuncAttributes attributes;
  SCANLENS_CUDA_CHECK(cudaFuncGetAttributes(&attributes, probe_kernel));
  found.hopper = attributes.ptxVersion >= 90;
  return found;
}

void* create_stream(int ordinal) {
  const DeviceGuard device(ordinal);
  cudaStream_t stream = nullptr;
  SCANLENS_CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return stream;
}

void destroy_stream(int ordinal, void* stream) noexcept {
  try {
    const DeviceGuard device(ordinal);
    succeeded(cudaStreamDestroy(static_cast<cudaStream_t>(stream)));
  } catch (const Error&) {
    // The device is gone, and its streams with it.
  }
}

void synchronize(const Context::Impl& context) {
  const DeviceGuard device(context);
  const WaitMark mark(context.cuda_ordinal);
  SCANLENS_CUDA_CHECK(cudaStreamSynchronize(static_cast<cudaStream_t>(context.stream)));
}

double time(const Context& context, WorkRef work) {
  const DeviceGuard device(context);
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

namespace {
/// Returns where memory lies; cudaMemoryTypeUnregistered: in pageable host memory.
cudaMemoryType type_of(const void* memory) {
  cudaPointerAttributes attributes;
  SCANLENS_CUDA_CHECK(cudaPointerGetAttributes(&attributes, memory));
  return attributes.type;
}
}  // namespace

void copy_bytes(const Context& context, const void* from, std::int64_t from_pitch_bytes, void* to,
                std::int64_t to_pitch_bytes, std::int64_t row_bytes, std::int64_t rows) {
  const DeviceGuard device(context);
  const cudaStream_t stream = stream_of(context);
  const auto bytes = static_cast<std::size_t>(row_bytes);
  const bool packed = rows == 1 || (from_pitch_bytes == row_bytes && to_pitch_bytes == row_bytes);
  const cudaMemoryType source = type_of(from), target = type_of(to);
  const bool up = source == cudaMemoryTypeUnregistered && target == cudaMemoryTypeDevice;
  const bool down = source == cudaMemoryTypeDevice && target == cudaMemoryTypeUnregistered;
  const std::size_t all = bytes * static_cast<std::size_t>(rows);
  if (packed && all >= kLeastStaged && (up || down) && capture_of(context.impl()).id == 0)
    return copy_staged(context, from, to, all, up ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost);
  if (packed)
    SCANLENS_CUDA_CHECK(cudaMemcpyAsync(to, from, all, cudaMemcpyDefault, stream));
  else
    SCANLENS_CUDA_CHECK(cudaMemcpy2DAsync(to, static_cast<std::size_t>(to_pitch_bytes), from,
                                          static_cast<std::size_t>(from_pitch_bytes), bytes,
                                          static_cast<std::size_t>(rows), cudaMemcpyDefault, stream));
  // CUDA may still be at work on pageable memory, whose copy has to be complete when the call returns.
  if (source != cudaMemoryTypeUnregistered && target != cudaMemoryTypeUnregistered) return;
  if (context.impl().recording && capture_of(context.impl()).id != 0) return;
  refuse_capture(context, "copy of pageable memory");
  const WaitMark mark(context.cuda_ordinal());
  SCANLENS_CUDA_CHECK(cudaStreamSynchronize(stream));
}

namespace {
/// Gives a context another stream meanwhile, where its own is CUDA's legacy one, which cannot be captured.
class CapturableStream {
 public:
  explicit CapturableStream(Context::Impl& context) : context_(context), own_(context.stream) {
    if (own_ && own_ != cudaStreamLegacy) return;
    other_ = create_stream(context.cuda_ordinal);
    context.stream = other_;
  }
  ~CapturableStream() {
    context_.stream = own_;
    if (other_) destroy_stream(context_.cuda_ordinal, other_);
  }
  CapturableStream(const CapturableStream&) = delete;
  CapturableStream& operator=(const CapturableStream&) = delete;

 private:
  Context::Impl& context_;
  void* own_;
  void* other_ = nullptr;
};
}  // namespace

void* record(const Context& context, WorkRef work) {
  const DeviceGuard device(context);
  const CapturableStream capturable(context.impl());
  const cudaStream_t stream = stream_of(context);
  cudaGraph_t graph = nullptr;
  SCANLENS_CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  try {
    work();
  } catch (...) {
    succeeded(cudaStreamEndCapture(stream, &graph));  // ends the capture, whatever it holds
    if (graph) succeeded(cudaGraphDestroy(graph));
    throw;
  }
  SCANLENS_CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t executable = nullptr;
  const cudaError_t status = cudaGraphInstantiate(&executable, graph, 0);
  succeeded(cudaGraphDestroy(graph));
  SCANLENS_CUDA_CHECK(status);
  return executable;
}

void launch_graph(const Context& context, void* graph) {
  const DeviceGuard device(context);
  SCANLENS_CUDA_CHECK(cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph), stream_of(context)));
}

void destroy_graph(int ordinal, void* graph) noexcept {
  try {
    const DeviceGuard device(ordinal);
    succeeded(cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(graph)));
  } catch (const Error&) {
    // The device is gone, and its graphs with it.
  }
}

}  // namespace scanlens::gpu
