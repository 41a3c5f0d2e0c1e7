// An allocator of the caller's, in place of cudaMalloc.
#pragma once

#include <cstddef>
#include <memory>

namespace scanlens {

/// Gives and takes device memory in the order of a stream. One object may serve contexts in several threads,
/// and has to be safe for that.
class DeviceAllocator {
 public:
  virtual ~DeviceAllocator() = default;

  /// Returns memory on CUDA device `ordinal`, on a 256-byte boundary, usable in the order of `stream` (a
  /// cudaStream_t); null where there is not that much.
  virtual void* allocate(std::size_t bytes, int ordinal, void* stream) = 0;

  /// Takes memory back in the order of the same stream: work that is queued on it may still use the memory.
  virtual void release(void* memory, std::size_t bytes, int ordinal, void* stream) noexcept = 0;

  /// Returns true if memory that allocate() gives while the stream is being captured stays valid outside of
  /// that graph, too. Where it does not, captures have memory by cudaMalloc.
  virtual bool keeps_through_capture() const { return false; }
};

/// Returns an allocator that takes memory from a cudaMemPool_t of the device, or where `pool` is null from
/// the device's own. A pool gives memory back to the system at each synchronisation unless its attribute
/// cudaMemPoolAttrReleaseThreshold is raised. Throws Error in a build without CUDA.
std::shared_ptr<DeviceAllocator> pool_allocator(int cuda_ordinal, void* pool = nullptr);

}  // namespace scanlens
