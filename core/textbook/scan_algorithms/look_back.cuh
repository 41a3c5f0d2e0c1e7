// Decoupled look-back: one pass, in which every element is read once and written once. A block scans a large
// tile in registers as the warp-shuffle algorithm does, and publishes its sum. Then it adds up what the tiles
// before it have published, going backwards to the first that knows its whole prefix.
//
// Forward progress: a block takes its tile by a ticket, so the tiles before it belong to blocks that are
// already running. Waiting for them ends, in whatever order the hardware starts blocks.
//
// Source: Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016.
#pragma once

#include "core/cuda/published.cuh"
#include "core/textbook/scan_algorithms/backends.h"
#include "core/textbook/scan_algorithms/shuffle.cuh"

namespace scanlens::gpu::algorithms {

constexpr int kLookBackThreads = 1024;
constexpr int kLookBackVectors = 8;
constexpr int kLookBackTile = kLookBackThreads * kLookBackVectors * kLanes;

/// The states of all tiles, each published with its flag for a tag, and the next ticket; all zero before the
/// kernel starts.
struct Tiles {
  std::uint64_t* states;
  unsigned* next;

  template <class T>
  __device__ TileState<T> read(std::int64_t tile) const {
    const auto state = Published<T>::load(states + tile);
    return {static_cast<typename TileState<T>::Flag>(state.tag(0)), state.value()};
  }
  template <class T>
  __device__ void publish(std::int64_t tile, TileState<T> state) const {
    static_assert(Published<T>::kWords == 1, "flag and value travel together");
    Published<T>::store(states + tile, state.value, state.flag);
  }
};

/// The sum of everything before `tile`, in every lane of the warp that asks. A round reads 32 tiles at once,
/// the nearest in lane 0.
template <class T>
__device__ T look_back(const Tiles& tiles, std::int64_t tile) {
  const int lane = threadIdx.x % kWarp;
  T sum{0};
  for (std::int64_t nearest = tile - 1;; nearest -= kWarp) {
    const std::int64_t mine = nearest - lane;
    TileState<T> state{TileState<T>::prefix, T{0}};  // before the first tile
    unsigned empty = 0, prefixes = 0;
    do {
      if (mine >= 0) state = tiles.read<T>(mine);
      empty = __ballot_sync(kAllLanes, state.flag == TileState<T>::empty);
      prefixes = __ballot_sync(kAllLanes, state.flag == TileState<T>::prefix);
    } while (empty & ((prefixes & -prefixes) - 1));  // an empty one nearer than the nearest prefix

    // Tiles beyond the nearest prefix are part of it.
    const int last = prefixes ? __ffs(static_cast<int>(prefixes)) - 1 : kWarp - 1;
    T round = lane <= last ? state.value : T{0};
#pragma unroll
    for (int d = kWarp / 2; d > 0; d /= 2) round += __shfl_xor_sync(kAllLanes, round, d);
    sum += round;
    if (prefixes) return sum;
  }
}

template <class T>
__global__ void __launch_bounds__(kLookBackThreads)
    look_back_kernel(ScanKind kind, const T* in, T* out, std::int64_t count, bool aligned, Tiles tiles) {
  using Tile = VectorTile<kWarp, kLookBackVectors, T>;
  constexpr int kWarps = kLookBackThreads / kWarp;
  __shared__ unsigned ticket;
  __shared__ T warp_sums[kWarps];
  __shared__ T before_tile;
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;

  if (threadIdx.x == 0) ticket = atomicAdd(tiles.next, 1u);
  __syncthreads();
  const std::int64_t first = (static_cast<std::int64_t>(ticket) * kWarps + warp) * Tile::kElements;

  Tile tile;
  tile.load(in + first, count - first, aligned, lane);
  const T warp_sum = warp_scan(tile, kind);
  if (lane == 0) warp_sums[warp] = warp_sum;
  __syncthreads();

  if (warp == 0) {
    scan_warp_sums<kWarps>(warp_sums);
    __syncwarp();
    const T total = warp_sums[kWarps - 1];
    if (lane == 0) tiles.publish<T>(ticket, {TileState<T>::total, total});
    const T prefix = look_back<T>(tiles, ticket);
    if (lane == 0) {
      tiles.publish<T>(ticket, {TileState<T>::prefix, prefix + total});
      before_tile = prefix;
    }
  }
  __syncthreads();

  tile.add(before_tile + (warp > 0 ? warp_sums[warp - 1] : T{0}));
  tile.store(out + first, count - first, aligned, lane);
}

template <class T>
void scan_by_look_back(Context& context, ScanKind kind, const T* in, T* out, std::int64_t count) {
  const cudaStream_t stream = stream_of(context);
  const unsigned blocks = blocks_of(count, kLookBackTile);
  Workspace workspace(context);
  const std::int64_t words = std::int64_t{blocks} + 1;
  auto* cleared = workspace.take<std::uint64_t>(words);
  SCANLENS_CUDA_CHECK(
      cudaMemsetAsync(cleared, 0, static_cast<std::size_t>(words) * sizeof(std::uint64_t), stream));

  const Tiles tiles{cleared + 1, reinterpret_cast<unsigned*>(cleared)};
  SCANLENS_CUDA_CHECK(launch_kernel(look_back_kernel<T>, blocks, kLookBackThreads, 0, stream, kind, in, out,
                                    count, vectors_fit(in, out), tiles));
}

}  // namespace scanlens::gpu::algorithms
