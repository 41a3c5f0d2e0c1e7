// work_efficient and conflict_free: a balanced tree over the block, in place in shared
// memory. The up-sweep sums from the leaves to the root, the down-sweep hands the sums before each node from
// the root to the leaves: 2 (n - 1) additions in all.
//
// Source: Blelloch, "Prefix Sums and Their Applications", 1990; GPU Gems 3, sections 39.2.2 (listing 39-2)
// and 39.2.3 (listings 39-3, 39-4).
#pragma once

#include "core/textbook/scan_algorithms/blocks.cuh"

namespace scanlens::gpu::algorithms {

constexpr int kTreeThreads = 512;
constexpr int kTreeLeaves = 2 * kTreeThreads;

/// Leaf i at address i. Neighbouring threads of the step of stride d access words 2d apart: from d = 16 on,
/// all 32 threads of a warp meet in one memory bank and are served one by one. A thread takes two
/// neighbouring leaves.
struct Unpadded {
  __host__ __device__ static constexpr int address(int leaf) { return leaf; }
  __device__ static int leaf_of(int thread, int which, int) { return 2 * thread + which; }
};

/// One unused word after every 32, the number of banks: words that were 32 apart are 33 apart, in
/// neighbouring banks. In a tree of up to 1024 leaves no two threads of a warp meet at any step. A thread
/// takes one leaf from each half of the tree, where two neighbouring ones would meet in pairs.
struct Padded {
  static constexpr int kBanks = 32;
  __host__ __device__ static constexpr int address(int leaf) { return leaf + leaf / kBanks; }
  __device__ static int leaf_of(int thread, int which, int threads) { return thread + which * threads; }
};

/// Waits for the threads that made or will make `nodes` nodes of the tree, one each.
template <bool kUnrolled>
__device__ void wait_for_level(int nodes) {
  if (kUnrolled && nodes <= kWarp)
    __syncwarp();  // the first warp is among itself; known only where the loop is unrolled
  else
    __syncthreads();
}

/// Replaces kLeaves values by their exclusive sums, with kLeaves / 2 threads. The sum of all is returned to
/// thread 0. `kUnrolled`: section 39.2.5; the size of the tree is known, so no loop need be left.
template <class Layout, int kLeaves, bool kUnrolled, class T>
__device__ T tree_scan(T* tree) {
  const int k = threadIdx.x;
  constexpr int kUnroll = kUnrolled ? kLeaves : 1;

  // Up-sweep (algorithm 3): after the step of stride d, the last leaf of every 2d holds the sum of them.
#pragma unroll kUnroll
  for (int d = 1; d < kLeaves; d *= 2) {
    wait_for_level<kUnrolled>(kLeaves / d);
    const int right = 2 * d * (k + 1) - 1;
    if (right < kLeaves) tree[Layout::address(right)] += tree[Layout::address(right - d)];
  }

  // Nothing is before the root.
  T total{0};
  if (k == 0) {
    total = tree[Layout::address(kLeaves - 1)];
    tree[Layout::address(kLeaves - 1)] = T{0};
  }

  // Down-sweep (algorithm 4): a node hands what is before it to its left child, and that plus the left
  // child's sum to its right one.
#pragma unroll kUnroll
  for (int d = kLeaves / 2; d > 0; d /= 2) {
    wait_for_level<kUnrolled>(kLeaves / (2 * d));
    const int right = 2 * d * (k + 1) - 1;
    if (right < kLeaves) {
      const T left = tree[Layout::address(right - d)];
      tree[Layout::address(right - d)] = tree[Layout::address(right)];
      tree[Layout::address(right)] += left;
    }
  }
  __syncthreads();
  return total;
}

template <class Layout, class T>
__global__ void __launch_bounds__(kTreeThreads)
    tree_kernel(ScanKind kind, const T* in, T* out, T* sums, std::int64_t count) {
  __shared__ T tree[Layout::address(kTreeLeaves)];
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kTreeLeaves;

  T items[2];
  for (int which = 0; which < 2; ++which) {
    const int leaf = Layout::leaf_of(threadIdx.x, which, kTreeThreads);
    items[which] = first + leaf < count ? in[first + leaf] : T{0};
    tree[Layout::address(leaf)] = items[which];
  }

  const T total = tree_scan<Layout, kTreeLeaves, false>(tree);
  if (threadIdx.x == 0) sums[blockIdx.x] = total;

  for (int which = 0; which < 2; ++which) {
    const int leaf = Layout::leaf_of(threadIdx.x, which, kTreeThreads);
    const T before = tree[Layout::address(leaf)];
    if (first + leaf < count)
      out[first + leaf] = kind == ScanKind::inclusive ? before + items[which] : before;
  }
}

template <class Layout>
struct Tree {
  static constexpr int kBlock = kTreeLeaves;

  template <class T>
  static void scan_blocks(cudaStream_t stream, ScanKind kind, const T* in, T* out, T* sums,
                          std::int64_t count) {
    SCANLENS_CUDA_CHECK(launch_kernel(tree_kernel<Layout, T>, blocks_of(count, kBlock), kTreeThreads, 0,
                                      stream, kind, in, out, sums, count));
  }
};

using WorkEfficient = Tree<Unpadded>;
using ConflictFree = Tree<Padded>;

}  // namespace scanlens::gpu::algorithms
