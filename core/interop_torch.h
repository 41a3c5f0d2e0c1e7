// Memory from PyTorch's allocator. For sources that have PyTorch's headers.
#pragma once

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/util/Exception.h>

#include <cstddef>
#include <memory>

#include "core/device_allocator.h"

namespace scanlens {

/// An allocator that shares PyTorch's cache of device memory. Its memory during a capture comes from the
/// graph's own pool, where PyTorch keeps it until it is given back.
inline std::shared_ptr<DeviceAllocator> torch_allocator() {
  class Allocator final : public DeviceAllocator {
   public:
    void* allocate(std::size_t bytes, int ordinal, void* stream) override try {
      const c10::cuda::CUDAGuard guard(static_cast<c10::DeviceIndex>(ordinal));
      return c10::cuda::CUDACachingAllocator::raw_alloc_with_stream(bytes, static_cast<cudaStream_t>(stream));
    } catch (const c10::OutOfMemoryError&) {
      return nullptr;
    }
    void release(void* memory, std::size_t, int, void*) noexcept override {
      c10::cuda::CUDACachingAllocator::raw_delete(memory);
    }
    bool keeps_through_capture() const override { return true; }
  };
  return std::make_shared<Allocator>();
}

}  // namespace scanlens
