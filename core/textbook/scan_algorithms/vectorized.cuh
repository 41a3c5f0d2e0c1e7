// vectorized: a thread takes eight elements by two loads of 16 bytes, and scans each four in registers. Only
// the sums of the fours go through the conflict-free tree. Each element costs a quarter of the shared memory
// traffic and of the barriers, and accesses to global memory are wider.
//
// Source: Lichterman, in GPU Gems 3, section 39.2.5, together with the unrolling described there; Brent, "The
// Parallel Evaluation of General Arithmetic Expressions", 1974, for why: more work per thread, same depth.
#pragma once

#include "core/textbook/scan_algorithms/tree.cuh"
#include "core/textbook/scan_algorithms/vectors.cuh"

namespace scanlens::gpu::algorithms {

struct Vectorized {
  static constexpr int kThreads = 256;
  static constexpr int kVectors = 2;
  static constexpr int kBlock = kThreads * kVectors * kLanes;

  template <class T>
  static void scan_blocks(cudaStream_t stream, ScanKind kind, const T* in, T* out, T* sums,
                          std::int64_t count);
};

template <class T>
__global__ void __launch_bounds__(Vectorized::kThreads)
    vectorized_kernel(ScanKind kind, const T* in, T* out, T* sums, std::int64_t count, bool aligned) {
  constexpr int kThreads = Vectorized::kThreads, kVectors = Vectorized::kVectors;
  __shared__ T tree[Padded::address(kThreads * kVectors)];
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * Vectorized::kBlock;

  VectorTile<kThreads, kVectors, T> tile;
  tile.load(in + first, count - first, aligned, threadIdx.x);
  tile.scan_vectors();
#pragma unroll
  for (int v = 0; v < kVectors; ++v)
    tree[Padded::address(Padded::leaf_of(threadIdx.x, v, kThreads))] = tile.sum(v);

  const T total = tree_scan<Padded, kThreads * kVectors, true>(tree);
  if (threadIdx.x == 0) sums[blockIdx.x] = total;

#pragma unroll
  for (int v = 0; v < kVectors; ++v)
    tile.complete(v, tree[Padded::address(Padded::leaf_of(threadIdx.x, v, kThreads))], kind);
  tile.store(out + first, count - first, aligned, threadIdx.x);
}

template <class T>
void Vectorized::scan_blocks(cudaStream_t stream, ScanKind kind, const T* in, T* out, T* sums,
                             std::int64_t count) {
  SCANLENS_CUDA_CHECK(launch_kernel(vectorized_kernel<T>, blocks_of(count, kBlock), kThreads, 0, stream, kind,
                                    in, out, sums, count, vectors_fit(in, out)));
}

}  // namespace scanlens::gpu::algorithms
