// Shared memory of the warps of one block of the pipeline.
#pragma once

#include <cuda_runtime.h>

#include <climits>
#include <cstdint>

#include "core/cuda/barrier.cuh"
#include "core/cuda/warp.cuh"
#include "core/pipeline/job.cuh"

namespace scanlens::gpu {

/// The workers, the publisher and the carrier.
constexpr int kPipelineThreads = (kWorkers + 2) * kWarp;
/// Tiles whose totals and prefixes are in shared memory. A warp may write the total of one while another
/// still reads those of the tile 2 kMostLag + 1 before.
constexpr int kDepth = 8;
static_assert(kDepth > 2 * kMostLag + 1);
/// Tiles whose numbers are in shared memory: those that the publisher still has to look at, up to those that
/// are about to be loaded.
constexpr int kNumbers = 2 * kMostSlots;

/// Shared memory of a block. kByTicket: blocks take tiles in order.
template <PipelineJob Job, bool kByTicket>
struct PipelineShared {
  Barrier loaded[kWorkers][kMostSlots];  ///< a warp's slots
  Barrier reduced[kDepth];               ///< all warps of a tile have their totals
  Barrier prefixed[kDepth];              ///< the prefix of a tile is known
  /// It is known which tile comes next, or that none does.
  Barrier numbered[kByTicket ? kNumbers : 1];
  /// The numbers of the block's tiles; shape.tiles or more means no tile.
  std::int64_t numbers[kByTicket ? kNumbers : 1];
  Chunk chunks[kWorkers][kMostSlots];  ///< what lies in a warp's slots
  typename Job::Value totals[kDepth][kWorkers];
  typename Job::Carry tiles_before[kDepth];
  unsigned epoch;  ///< the launch's, where blocks take tiles in order

  /// Waits until the number of the block's k-th tile is known, and returns it.
  __device__ std::int64_t await_number(int k) {
    if (kByTicket) numbered[k % kNumbers].wait(k / kNumbers);
    return number(k);
  }
  __device__ std::int64_t number(int k) const {
    return kByTicket ? numbers[k % kNumbers] : static_cast<std::int64_t>(k) * gridDim.x + blockIdx.x;
  }
};

/// Returns how many tiles the block has; where blocks take them in order, more than it will get.
template <bool kByTicket>
__device__ int most_tiles(const PipelineShape& shape) {
  if (kByTicket) return INT_MAX - kMostLag;
  return blockIdx.x < shape.tiles ? static_cast<int>((shape.tiles - blockIdx.x + gridDim.x - 1) / gridDim.x)
                                  : 0;
}

/// Returns the total of the first `warps` warps' chunks of the block's k-th tile, in lane 0.
template <PipelineJob Job, bool kByTicket>
__device__ typename Job::Value total_of_warps(const Job& job, const PipelineShared<Job, kByTicket>& shared,
                                              int k, int warps) {
  using Value = typename Job::Value;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const Value mine = lane < warps ? shared.totals[k % kDepth][lane] : job.identity();
  return warp_reduce(mine, [&job](const Value& a, const Value& b) { return job.combine(a, b); });
}

}  // namespace scanlens::gpu
