// Rows scanned on a two-dimensional grid of thread blocks: the blocks of one grid row share one image row, a
// tile each.
//
//   1. Every block scans its tile: each thread sums eight neighbouring elements, a work-efficient tree scan
//   in shared
//      memory (up-sweep, down-sweep) turns the threads' totals into offsets, and each thread adds its offset
//      back. A row of several tiles leaves its tile totals in a smaller array, one row per image row.
//   2. That array is scanned in the same way, recursively until a row is a single tile.
//   3. Every block adds the total of the tiles before it to its tile (the seeds' "uniform add").
//
// Source: GPU Gems 3, listing 39-2 (the tree), 39-3 (padding against bank conflicts), section 39.2.4 (long
// rows), 39.2.5 (eight elements a thread), 39.3.2 (the grid).
#include <algorithm>

#include "core/cuda_check.cuh"
#include "core/rows_backends.h"

namespace scanlens::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kItems = 8;  // elements a thread
constexpr int kTile = kThreads * kItems;
constexpr int kBanks = 32;
constexpr unsigned kMostGridRows = 65535;

/// Where element i of the tree lies: one word of padding every 32 keeps the strides of the tree off a single
/// bank.
__device__ constexpr int padded(int i) {
  return i + i / kBanks;
}

/// Replaces the kThreads values of `tree` by their exclusive sums and returns the total in every thread.
template <class T>
__device__ T tree_scan(T* tree) {
  const int thread = threadIdx.x;

  // Up-sweep: after step d, element 2d(k + 1) - 1 holds the sum of its 2d elements.
#pragma unroll
  for (int d = 1; d < kThreads; d *= 2) {
    __syncthreads();
    const int right = 2 * d * (thread + 1) - 1;
    if (right < kThreads) tree[padded(right)] += tree[padded(right - d)];
  }

  __syncthreads();
  const T total = tree[padded(kThreads - 1)];
  __syncthreads();
  if (thread == 0) tree[padded(kThreads - 1)] = 0;

    // Down-sweep: a node hands its value to its left child, and its value plus the left child's sum to its
    // right one.
#pragma unroll
  for (int d = kThreads / 2; d > 0; d /= 2) {
    __syncthreads();
    const int right = 2 * d * (thread + 1) - 1;
    if (right < kThreads) {
      const T left = tree[padded(right - d)];
      tree[padded(right - d)] = tree[padded(right)];
      tree[padded(right)] += left;
    }
  }
  __syncthreads();
  return total;
}

/// Step 1. Elements pass through shared memory so that neighbouring threads touch neighbouring addresses of
/// `in` and `out`. `totals`, if any, gets the sum of tile blockIdx.x of each row.
template <class T>
__global__ void __launch_bounds__(kThreads) scan_tiles_kernel(View<const T> in, View<T> out, View<T> totals) {
  __shared__ T tile[padded(kTile)];
  __shared__ T tree[padded(kThreads)];
  const int thread = threadIdx.x;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kTile;
  const int count = static_cast<int>(in.width - first < kTile ? in.width - first : kTile);

  for (std::int64_t y = blockIdx.y; y < in.height; y += gridDim.y) {
    const T* from = in.row(y) + first;
#pragma unroll
    for (int i = thread; i < kTile; i += kThreads) tile[padded(i)] = i < count ? from[i] : T{0};
    __syncthreads();

    T items[kItems];
    T sum = 0;
#pragma unroll
    for (int i = 0; i < kItems; ++i) items[i] = sum += tile[padded(thread * kItems + i)];

    tree[padded(thread)] = sum;
    const T total = tree_scan(tree);
    if (totals.data && thread == 0) totals(blockIdx.x, y) = total;

    const T offset = tree[padded(thread)];
#pragma unroll
    for (int i = 0; i < kItems; ++i) tile[padded(thread * kItems + i)] = items[i] + offset;
    __syncthreads();

    T* to = out.row(y) + first;
#pragma unroll
    for (int i = thread; i < kTile; i += kThreads)
      if (i < count) to[i] = tile[padded(i)];
    __syncthreads();
  }
}

/// Step 3. Block b works on tile b + 1: the first tile of a row has nothing before it.
template <class T>
__global__ void __launch_bounds__(kThreads) add_offsets_kernel(View<T> out, View<const T> totals) {
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x + 1) * kTile;
  const std::int64_t last = out.width - first < kTile ? out.width : first + kTile;
  for (std::int64_t y = blockIdx.y; y < out.height; y += gridDim.y) {
    const T offset = totals(blockIdx.x, y);
    for (std::int64_t x = first + threadIdx.x; x < last; x += kThreads) out(x, y) += offset;
  }
}

}  // namespace

template <class T>
void scan_rows(Context& context, View<const T> in, View<T> out) {
  const cudaStream_t stream = stream_of(context);
  const std::int64_t tiles = (in.width + kTile - 1) / kTile;
  const auto grid_rows = static_cast<unsigned>(std::min<std::int64_t>(in.height, kMostGridRows));
  const auto grid_columns = static_cast<unsigned>(tiles);

  Workspace workspace(context);
  View<T> totals;
  if (tiles > 1) totals = View<T>(workspace.take<T>(tiles * in.height), tiles, in.height);

  scan_tiles_kernel<<<dim3(grid_columns, grid_rows), kThreads, 0, stream>>>(in, out, totals);
  CUDA_CHECK_LAUNCH(scan_tiles_kernel);
  if (tiles == 1) return;

  cuda::scan_rows(context, View<const T>(totals), totals);
  add_offsets_kernel<<<dim3(grid_columns - 1, grid_rows), kThreads, 0, stream>>>(out, View<const T>(totals));
  CUDA_CHECK_LAUNCH(add_offsets_kernel);
}

template void scan_rows(Context&, View<const std::uint32_t>, View<std::uint32_t>);
template void scan_rows(Context&, View<const std::uint64_t>, View<std::uint64_t>);

}  // namespace scanlens::cuda
