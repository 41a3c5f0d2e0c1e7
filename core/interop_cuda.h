// Streams and memory resources of CUDA's C++ library (CCCL) and of RMM. For sources that nvcc compiles, or
// that have CCCL's headers.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cuda/stream_ref>
#include <memory>
#include <new>
#include <utility>

#include "core/context.h"
#include "core/device_allocator.h"

namespace scanlens {

/// A resource that gives memory in the order of a stream: CCCL 3.1 and RMM say allocate(stream, bytes,
/// alignment), and CCCL before that allocate_async(bytes, alignment, stream).
template <class Resource>
concept StreamOrderedResource = requires(Resource& resource, cuda::stream_ref stream, void* memory,
                                         std::size_t size) {
  resource.allocate(stream, size, size);
  resource.deallocate(stream, memory, size, size);
}
|| requires(Resource& resource, cuda::stream_ref stream, void* memory, std::size_t size) {
  resource.allocate_async(size, size, stream);
  resource.deallocate_async(memory, size, size, stream);
};

/// An allocator over a resource of one device. It holds a copy of the resource or of a reference to it
/// (rmm::device_async_resource_ref); the resource has to outlive the contexts. Its memory in a capture would
/// belong to that graph, so captures take memory by cudaMalloc. std::bad_alloc and its kind are taken for
/// "not that much"; other exceptions pass.
template <StreamOrderedResource Resource>
std::shared_ptr<DeviceAllocator> allocator_of(Resource resource) {
  constexpr static std::size_t kAlignment = 256;
  class Allocator final : public DeviceAllocator {
   public:
    explicit Allocator(Resource&& resource) : resource_(std::move(resource)) {}
    void* allocate(std::size_t bytes, int, void* stream) override try {
      const cuda::stream_ref order(static_cast<cudaStream_t>(stream));
      if constexpr (requires { resource_.allocate(order, bytes, kAlignment); })
        return resource_.allocate(order, bytes, kAlignment);
      else
        return resource_.allocate_async(bytes, kAlignment, order);
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
    void release(void* memory, std::size_t bytes, int, void* stream) noexcept override {
      const cuda::stream_ref order(static_cast<cudaStream_t>(stream));
      if constexpr (requires { resource_.deallocate(order, memory, bytes, kAlignment); })
        resource_.deallocate(order, memory, bytes, kAlignment);
      else
        resource_.deallocate_async(memory, bytes, kAlignment, order);
    }

   private:
    Resource resource_;
  };
  return std::make_shared<Allocator>(std::move(resource));
}

/// A context's stream, for what asks for get_stream() or takes a cuda::stream_ref: CUB's environments.
struct StreamOf {
  const Context& context;

  cuda::stream_ref get_stream() const {
    return cuda::stream_ref(static_cast<cudaStream_t>(context.native_stream()));
  }
  operator cuda::stream_ref() const { return get_stream(); }
};

/// A context on the stream of anything that has one by get_stream() or stream(), or that is one.
template <class Env>
Context context_of(const Env& env, int cuda_ordinal, std::shared_ptr<DeviceAllocator> allocator = nullptr) {
  const auto on = [&](cuda::stream_ref stream) {
    return Context::on_stream(stream.get(), cuda_ordinal, std::move(allocator));
  };
  if constexpr (requires { cuda::stream_ref(env.get_stream()); })
    return on(env.get_stream());
  else if constexpr (requires { cuda::stream_ref(env.stream()); })
    return on(env.stream());
  else
    return on(env);
}

}  // namespace scanlens
