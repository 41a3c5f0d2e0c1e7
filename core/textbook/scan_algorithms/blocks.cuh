// The step from one block to arrays of any length, by way of the block sums: all algorithms but look_back
// take it.
//
//   1. Every block scans its part of the array and leaves the sum of it in a smaller array.
//   2. The block sums are scanned by the same algorithm, recursively, until a single block holds them all.
//   3. Every block adds the sum of the blocks before it to its part (the "uniform add").
//
// The array is read and written twice; look_back does away with that.
//
// Source: GPU Gems 3, section 39.2.4.
#pragma once

#include "core/context.h"
#include "core/cuda/warp.cuh"
#include "core/runtime/cuda_check.cuh"
#include "core/textbook/scan_algorithms.h"

namespace scanlens::gpu::algorithms {

constexpr int kAddThreads = 256;

inline unsigned blocks_of(std::int64_t count, int block) {
  return static_cast<unsigned>((count + block - 1) / block);
}

/// Makes step 3. Block b works on part b + 1: nothing is before the first.
template <int kBlock, class T>
__global__ void __launch_bounds__(kAddThreads)
    uniform_add_kernel(T* out, const T* increments, std::int64_t count) {
  const std::int64_t first = (static_cast<std::int64_t>(blockIdx.x) + 1) * kBlock;
  const T increment = increments[blockIdx.x + 1];
#pragma unroll
  for (int k = threadIdx.x; k < kBlock; k += kAddThreads)
    if (first + k < count) out[first + k] += increment;
}

/// An Algorithm has kBlock, the number of elements that one of its blocks scans, and a function scan_blocks,
/// which launches step 1.
template <class Algorithm, class T>
void scan_by_blocks(Context& context, ScanKind kind, const T* in, T* out, std::int64_t count) {
  const cudaStream_t stream = stream_of(context);
  const unsigned blocks = blocks_of(count, Algorithm::kBlock);
  Workspace workspace(context);
  T* sums = workspace.take<T>(blocks);

  Algorithm::scan_blocks(stream, kind, in, out, sums, count);
  if (blocks == 1) return;
  scan_by_blocks<Algorithm>(context, ScanKind::exclusive, sums, sums, blocks);
  SCANLENS_CUDA_CHECK(launch_kernel(uniform_add_kernel<Algorithm::kBlock, T>, blocks - 1, kAddThreads, 0,
                                    stream, out, sums, count));
}

}  // namespace scanlens::gpu::algorithms
