// naive: in step d = 1, 2, 4, … every element adds the one d places to its left. The depth is only
// log2 n, but every step touches every element: n log2 n additions where a loop makes n.
//
// The threads of a block do not run in lock-step, so a step must not overwrite what others have yet to read:
// it reads from one buffer and writes to the other. That also makes one barrier per step enough.
//
// Source: Hillis and Steele, "Data Parallel Algorithms", 1986; GPU Gems 3, section 39.2.1, listing 39-1.
// Unlike the listing, which shifts its input by one to scan exclusively, this kernel shifts its output: the
// sum of the whole block is at hand then.
#pragma once

#include "core/textbook/scan_algorithms/blocks.cuh"

namespace scanlens::gpu::algorithms {

struct Naive {
  static constexpr int kBlock = 512;  // one element per thread

  template <class T>
  static void scan_blocks(cudaStream_t stream, ScanKind kind, const T* in, T* out, T* sums,
                          std::int64_t count);
};

template <class T>
__global__ void __launch_bounds__(Naive::kBlock)
    naive_kernel(ScanKind kind, const T* in, T* out, T* sums, std::int64_t count) {
  __shared__ T buffers[2][Naive::kBlock];
  T *from = buffers[0], *to = buffers[1];
  const int k = threadIdx.x;
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * Naive::kBlock + k;

  to[k] = i < count ? in[i] : T{0};
  __syncthreads();

  for (int d = 1; d < Naive::kBlock; d *= 2) {
    T* const swapped = from;
    from = to;
    to = swapped;
    to[k] = k >= d ? from[k - d] + from[k] : from[k];
    __syncthreads();
  }

  const T before = k > 0 ? to[k - 1] : T{0};
  if (i < count) out[i] = kind == ScanKind::inclusive ? to[k] : before;
  if (k == Naive::kBlock - 1) sums[blockIdx.x] = to[k];
}

template <class T>
void Naive::scan_blocks(cudaStream_t stream, ScanKind kind, const T* in, T* out, T* sums,
                        std::int64_t count) {
  SCANLENS_CUDA_CHECK(launch_kernel(naive_kernel<T>, blocks_of(count, kBlock), kBlock, 0, stream, kind, in,
                                    out, sums, count));
}

}  // namespace scanlens::gpu::algorithms
