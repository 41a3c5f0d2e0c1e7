// Copies by the bulk copy engine, which takes no registers and no thread while it runs (Hopper and newer):
// out of shared memory, and of boxes of two-dimensional tensors both ways. Copies into shared memory that
// arrive at a barrier are Barrier::copy (core/cuda/barrier.cuh).
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "core/cuda/barrier.cuh"

namespace scanlens::gpu {

/// Waits until the bulk copies from shared memory that this thread started have read all of it.
__device__ inline void await_reads() {
#if __CUDA_ARCH__ >= 900
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
#endif
}

/// Copies from shared memory by the bulk copy engine. Both ends are aligned to 16 bytes.
__device__ inline void copy_out([[maybe_unused]] void* to, [[maybe_unused]] const void* from,
                                [[maybe_unused]] int bytes) {
#if __CUDA_ARCH__ >= 900
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
               "r"(static_cast<unsigned>(__cvta_generic_to_shared(from))), "r"(bytes)
               : "memory");
#endif
}
__device__ inline void commit_copies() {
#if __CUDA_ARCH__ >= 900
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
#endif
}

/// Marks what is read or written once: the L2 cache may give it up first. Image and table so marked, 4096 x
/// 4096 RGB takes 74 us instead of 84.
__device__ inline std::uint64_t once() {
  std::uint64_t policy;
  asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}

/// Copies from shared memory what is written once. Both ends are aligned to 16 bytes.
__device__ inline void copy_out_once(void* to, const void* from, int bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%0], [%1], %2, %3;" ::"l"(to),
               "r"(static_cast<unsigned>(__cvta_generic_to_shared(from))), "r"(bytes), "l"(once())
               : "memory");
}

/// Copies a box of a tensor to shared memory. Bytes beyond the tensor read as zero.
__device__ inline void copy_box(void* to, const CUtensorMap& tensor, int x, int y, Barrier& barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1, "
      "{%2, %3}], "
      "[%4], %5;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(to))),
      "l"(&tensor), "r"(x), "r"(y), "r"(static_cast<unsigned>(__cvta_generic_to_shared(&barrier))),
      "l"(once())
      : "memory");
}

/// Copies a box from shared memory, from a 128-byte boundary on, to a tensor. Bytes beyond the tensor are not
/// written, but the engine writes 16 bytes at least.
__device__ inline void copy_box_out(const CUtensorMap& tensor, int x, int y, const void* from) {
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group.L2::cache_hint [%0, {%1, %2}], [%3], %4;" ::"l"(
          &tensor),
      "r"(x), "r"(y), "r"(static_cast<unsigned>(__cvta_generic_to_shared(from))), "l"(once())
      : "memory");
}

}  // namespace scanlens::gpu
