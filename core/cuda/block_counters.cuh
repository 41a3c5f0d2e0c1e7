// Counters of a block in shared memory, which lanes of a warp increase and seldom meet.
//
// A bin has up to 32 counters, one per lane, which lie side by side in the 32 banks of shared memory:
// whatever the data, lanes touch different banks, and no two the same counter. There are at most 2^32
// elements per block in any memory yet built, so that 32 bits hold every count.
//
// Source: Podlozhnyuk, "Histogram calculation in CUDA", 2007, for counters by warp; Gómez-Luna et al., "An
// optimized approach to histogram computation on GPU", 2013, for copies laid out against conflicts.
#pragma once

#include <cuda_runtime.h>

namespace scanlens::gpu {

/// Sets all counters to 0; the block has to meet before any is increased.
__device__ inline void clear_counters(unsigned* counters, int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x) counters[i] = 0;
}

/// Position of a counter in shared memory, in bytes: sums of addresses take fewer instructions than indices
/// do.
__device__ inline unsigned counter_address(const unsigned* counter) {
  return static_cast<unsigned>(__cvta_generic_to_shared(counter));
}
/// Adds 1 to the counter at an address.
__device__ inline void increase_counter(unsigned address) {
  asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(address) : "memory");
}

/// Adds up the counters of a bin, a power of two. Every lane, at a bin of its own, begins with another one:
/// another bank.
__device__ inline unsigned long long counted(const unsigned* counters, int bin, int copies) {
  unsigned long long sum = 0;
  for (int k = 0; k < copies; ++k) sum += counters[bin * copies + (k + threadIdx.x) % copies];
  return sum;
}

}  // namespace scanlens::gpu
