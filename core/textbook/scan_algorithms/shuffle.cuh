// warp_shuffle: as vectorized, but threads of a warp hand each other their sums from register to register.
// Shared memory holds one number per warp, and two barriers are left.
//
// Source: "Tuning CUDA Applications for Kepler", section 1.4.3.3. Within a warp the naive algorithm is the
// better one: its 32 lanes do run in step, and the additions that it wastes would be idle lanes otherwise.
#pragma once

#include "core/textbook/scan_algorithms/blocks.cuh"
#include "core/textbook/scan_algorithms/vectors.cuh"

namespace scanlens::gpu::algorithms {

/// The sum of the values of this lane and all before it.
template <class T>
__device__ T warp_inclusive_sum(T value) {
  const int lane = threadIdx.x % kWarp;
#pragma unroll
  for (int d = 1; d < kWarp; d *= 2) {
    const T left = __shfl_up_sync(kAllLanes, value, d);
    if (lane >= d) value += left;
  }
  return value;
}

/// Scans the tile of one warp as if nothing preceded it, and returns the sum of the whole to every lane.
template <int kVectors, class T>
__device__ T warp_scan(VectorTile<kWarp, kVectors, T>& tile, ScanKind kind) {
  tile.scan_vectors();
  T running{0};
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    const T inclusive = warp_inclusive_sum(tile.sum(v));
    // The neighbour's sum, not `inclusive - tile.sum(v)`: that would cancel in floats.
    const T left = __shfl_up_sync(kAllLanes, inclusive, 1);
    tile.complete(v, threadIdx.x % kWarp > 0 ? running + left : running, kind);
    running += __shfl_sync(kAllLanes, inclusive, kWarp - 1);
  }
  return running;
}

/// Replaces the sums of kWarps warps by their inclusive sums; called by all lanes of one warp.
template <int kWarps, class T>
__device__ void scan_warp_sums(T* sums) {
  static_assert(kWarps <= kWarp);
  const int lane = threadIdx.x % kWarp;
  const T sum = warp_inclusive_sum(lane < kWarps ? sums[lane] : T{0});
  if (lane < kWarps) sums[lane] = sum;
}

struct WarpShuffle {
  static constexpr int kThreads = 256;
  static constexpr int kVectors = 2;
  static constexpr int kBlock = kThreads * kVectors * kLanes;

  template <class T>
  static void scan_blocks(cudaStream_t stream, ScanKind kind, const T* in, T* out, T* sums,
                          std::int64_t count);
};

template <class T>
__global__ void __launch_bounds__(WarpShuffle::kThreads)
    warp_shuffle_kernel(ScanKind kind, const T* in, T* out, T* sums, std::int64_t count, bool aligned) {
  using Tile = VectorTile<kWarp, WarpShuffle::kVectors, T>;
  constexpr int kWarps = WarpShuffle::kThreads / kWarp;
  __shared__ T warp_sums[kWarps];
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  const std::int64_t first = (static_cast<std::int64_t>(blockIdx.x) * kWarps + warp) * Tile::kElements;

  Tile tile;
  tile.load(in + first, count - first, aligned, lane);
  const T warp_sum = warp_scan(tile, kind);
  if (lane == 0) warp_sums[warp] = warp_sum;

  __syncthreads();
  if (warp == 0) scan_warp_sums<kWarps>(warp_sums);
  __syncthreads();
  if (threadIdx.x == 0) sums[blockIdx.x] = warp_sums[kWarps - 1];

  tile.add(warp > 0 ? warp_sums[warp - 1] : T{0});
  tile.store(out + first, count - first, aligned, lane);
}

template <class T>
void WarpShuffle::scan_blocks(cudaStream_t stream, ScanKind kind, const T* in, T* out, T* sums,
                              std::int64_t count) {
  SCANLENS_CUDA_CHECK(launch_kernel(warp_shuffle_kernel<T>, blocks_of(count, kBlock), kThreads, 0, stream,
                                    kind, in, out, sums, count, vectors_fit(in, out)));
}

}  // namespace scanlens::gpu::algorithms
