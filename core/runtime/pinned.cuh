// Host memory that the copy engines reach by themselves.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "core/runtime/cuda_check.cuh"

namespace scanlens::gpu {

class Pinned {
 public:
  explicit Pinned(std::size_t bytes) { SCANLENS_CUDA_CHECK(cudaMallocHost(&data_, bytes)); }
  ~Pinned() { succeeded(cudaFreeHost(data_)); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  std::byte* data() const { return static_cast<std::byte*>(data_); }

 private:
  void* data_ = nullptr;
};

}  // namespace scanlens::gpu
