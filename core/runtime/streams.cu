// Streams, events, captures and pools of the caller's.
#include <cudaTypedefs.h>

#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/device_allocator.h"
#include "core/error.h"
#include "core/runtime/context_impl.h"
#include "core/runtime/cuda_backend.h"
#include "core/runtime/cuda_check.cuh"
#include "core/runtime/cuda_event.cuh"
#include "core/runtime/driver.cuh"
#include "core/runtime/recently_used.h"

namespace scanlens::gpu {
namespace {

cudaStream_t stream_of(const Context::Impl& context) {
  return static_cast<cudaStream_t>(context.stream);
}

/// Returns the CUcontext of a stream, of the current one for CUDA's default streams; null for that of a green
/// context.
void* context_of(void* stream) {
  CUcontext context = nullptr;
  CUgreenCtx green = nullptr;
  static const auto function = driver_function<PFN_cuStreamGetCtx_v12050>("cuStreamGetCtx", 12050);
  SCANLENS_CUDA_CHECK(static_cast<cudaError_t>(function(static_cast<CUstream>(stream), &context, &green)));
  return green ? nullptr : context;
}

/// Returns a stream for what must not become part of a graph. It does not wait for others.
cudaStream_t private_stream(int ordinal) {
  static std::mutex mutex;
  static auto& streams = *new std::map<int, void*>;  // for objects of static storage duration, too
  const std::lock_guard lock(mutex);
  void*& stream = streams[ordinal];
  if (!stream) stream = create_stream(ordinal);
  return static_cast<cudaStream_t>(stream);
}

/// The arenas of graphs that are gone. CUDA forbids to free them in the callback that reports it.
struct Ended {
  std::mutex mutex;
  std::vector<std::shared_ptr<Arena>> arenas;
};
Ended& ended() {
  static auto& all = *new Ended;
  return all;
}

void CUDART_CB end(void* arena) {
  auto* held = static_cast<std::shared_ptr<Arena>*>(arena);
  {
    const std::lock_guard lock(ended().mutex);
    ended().arenas.push_back(std::move(*held));
  }
  delete held;
}

class PoolAllocator : public DeviceAllocator {
 public:
  explicit PoolAllocator(cudaMemPool_t pool) : pool_(pool) {}

  void* allocate(std::size_t bytes, int, void* stream) override {
    void* memory = nullptr;
    const cudaError_t status =
        cudaMallocFromPoolAsync(&memory, bytes, pool_, static_cast<cudaStream_t>(stream));
    if (!succeeded(status) && status == cudaErrorMemoryAllocation) return nullptr;
    SCANLENS_CUDA_CHECK(status);
    return memory;
  }
  void release(void* memory, std::size_t, int, void* stream) noexcept override {
    succeeded(cudaFreeAsync(memory, static_cast<cudaStream_t>(stream)));
  }

 private:
  cudaMemPool_t pool_;
};

}  // namespace

void require_primary(void* stream, int ordinal) {
  const DeviceGuard device(ordinal);
  if (context_of(stream) != primary_context(ordinal))
    throw Error(ErrorKind::usage,
                "on_stream: the stream is not of the primary context of cuda:" + std::to_string(ordinal));
}

void after_stream(const Context::Impl& context, void* stream) {
  const DeviceGuard device(context);
  Event event(cudaEventDisableTiming, context_of(stream));
  event.record(static_cast<cudaStream_t>(stream));
  event.hold(stream_of(context));
}

void after_event(const Context::Impl& context, void* event) {
  const DeviceGuard device(context);
  SCANLENS_CUDA_CHECK(cudaStreamWaitEvent(stream_of(context), static_cast<cudaEvent_t>(event), 0));
}

void before_stream(const Context::Impl& context, void* stream) {
  const DeviceGuard device(context);
  Event event(cudaEventDisableTiming);
  event.record(stream_of(context));
  event.hold(static_cast<cudaStream_t>(stream));
}

void record_event(const Context::Impl& context, void* event) {
  const DeviceGuard device(context);
  SCANLENS_CUDA_CHECK(cudaEventRecord(static_cast<cudaEvent_t>(event), stream_of(context)));
}

Capture capture_of(const Context::Impl& context) {
  const DeviceGuard device(context);
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  unsigned long long id = 0;
  cudaGraph_t graph = nullptr;
  const cudaError_t result = cudaStreamGetCaptureInfo(stream_of(context), &status, &id, &graph);
  // While another stream is captured the default one has no answer; CUDA refuses the launch itself.
  if (!succeeded(result) && result == cudaErrorStreamCaptureImplicit) return {};
  SCANLENS_CUDA_CHECK(result);
  return status == cudaStreamCaptureStatusActive ? Capture{id, graph} : Capture{};
}

void let_own(void* graph, std::shared_ptr<Arena> arena) {
  auto* held = new std::shared_ptr<Arena>(std::move(arena));
  cudaUserObject_t object = nullptr;
  SCANLENS_CUDA_CHECK(cudaUserObjectCreate(&object, held, end, 1, cudaUserObjectNoDestructorSync));
  SCANLENS_CUDA_CHECK(
      cudaGraphRetainUserObject(static_cast<cudaGraph_t>(graph), object, 1, cudaGraphUserObjectMove));
}

void free_ended_arenas() {
  std::vector<std::shared_ptr<Arena>> arenas;
  {
    const std::lock_guard lock(ended().mutex);
    arenas.swap(ended().arenas);
  }
}

void zero(const Context::Impl& context, std::byte* memory, std::size_t bytes) {
  const DeviceGuard device(context);
  const bool capturing = capture_of(context).id != 0;
  const cudaStream_t stream = capturing ? private_stream(context.cuda_ordinal) : stream_of(context);
  SCANLENS_CUDA_CHECK(cudaMemsetAsync(memory, 0, bytes, stream));
  if (capturing) SCANLENS_CUDA_CHECK(cudaStreamSynchronize(stream));
}

void release(DeviceAllocator& allocator, std::byte* memory, std::size_t bytes, int ordinal,
             void* stream) noexcept {
  try {
    const DeviceGuard device(ordinal);
    allocator.release(memory, bytes, ordinal, stream);
  } catch (const Error&) {
    // The device is gone, and its memory with it.
  }
}

namespace {

Memory copy_of(int ordinal, const void* array, std::size_t bytes) {
  const DeviceGuard device(ordinal);
  Memory copy(Backend::cuda, bytes, ordinal);
  const cudaStream_t stream = private_stream(ordinal);
  SCANLENS_CUDA_CHECK(cudaMemcpyAsync(copy.data(), array, bytes, cudaMemcpyHostToDevice, stream));
  SCANLENS_CUDA_CHECK(cudaStreamSynchronize(stream));
  return copy;
}

/// A copy of a table, which holds it: no other table can have its address. Its end waits for the kernels that
/// read it, as cudaFree does.
struct TableCopy {
  std::shared_ptr<const void> owner;
  Memory memory;

  std::size_t bytes() const { return memory.bytes(); }
};

}  // namespace

const std::byte* constant_on_device(int ordinal, const void* array, std::size_t bytes) {
  static std::mutex mutex;
  // The last of an array's copies is the largest; graphs may name earlier copies.
  static auto& copies = *new std::map<std::pair<int, const void*>, std::vector<Memory>>;
  const std::lock_guard lock(mutex);
  std::vector<Memory>& of_array = copies[{ordinal, array}];
  if (of_array.empty() || of_array.back().bytes() < bytes) of_array.push_back(copy_of(ordinal, array, bytes));
  return of_array.back().data();
}

std::shared_ptr<const std::byte> table_on_device(int ordinal, const std::shared_ptr<const void>& owner,
                                                 const void* table, std::size_t bytes) {
  constexpr std::size_t kMostBytes = std::size_t{64} << 20;
  using Key = std::tuple<int, const void*, std::size_t>;
  static auto& copies = *new RecentlyUsed<Key, TableCopy>(kMostBytes);
  const std::shared_ptr<const TableCopy> copy = copies.get({ordinal, table, bytes}, [&] {
    return TableCopy{owner, copy_of(ordinal, table, bytes)};
  });
  return {copy, copy->memory.data()};
}

}  // namespace scanlens::gpu

namespace scanlens {

std::shared_ptr<DeviceAllocator> pool_allocator(int cuda_ordinal, void* pool) {
  const gpu::DeviceGuard device(cuda_ordinal);
  auto found = static_cast<cudaMemPool_t>(pool);
  if (!found) SCANLENS_CUDA_CHECK(cudaDeviceGetDefaultMemPool(&found, cuda_ordinal));
  return std::make_shared<gpu::PoolAllocator>(found);
}

}  // namespace scanlens
