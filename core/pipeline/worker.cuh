// The worker warps of a block of the pipeline: each loads, reduces and finishes its chunks of the block's
// tiles.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/pipeline/shared.cuh"

namespace scanlens::gpu {

/// Starts to load a warp's share of the block's k-th tile, if there is such a tile, to a slot of the warp's
/// ring.
template <PipelineJob Job, bool kByTicket>
__device__ void load_chunk(const Job& job, const PipelineShape& shape, PipelineShared<Job, kByTicket>& shared,
                           std::byte* ring, int warp, int k, int slot) {
  const std::int64_t tile = shared.await_number(k);
  if (tile >= shape.tiles) return;
  const Chunk chunk = chunk_of(job, shape, tile, warp);
  if (threadIdx.x % kWarp == 0) shared.chunks[warp][slot] = chunk;
  job.load(ring + slot * shape.slot_bytes, chunk, shared.loaded[warp][slot]);
}

/// The elements that a lane starts to load.
struct Planned {
  Chunk chunk{};
  bool there = false;  ///< there is such a chunk
  bool alone = false;  ///< the bulk copy engine can bring it without help
};

/// Plans to load the warp's share of the block's k-th tile, once the tile's number is known.
template <PipelineJob Job, bool kByTicket>
__device__ Planned plan_chunk(const Job& job, const PipelineShape& shape,
                              PipelineShared<Job, kByTicket>& shared, int warp, int k) {
  Planned planned;
  const std::int64_t tile = shared.await_number(k);
  if (tile < shape.tiles) {
    planned.chunk = chunk_of(job, shape, tile, warp);
    planned.there = true;
    planned.alone = job.copies(planned.chunk);
  }
  return planned;
}

/// Loads what the lanes have planned to neighbouring slots from `slot` on. By the whole warp, each chunk
/// would begin half a microsecond after the one before.
template <PipelineJob Job, bool kByTicket>
__device__ void load_planned(const Job& job, const PipelineShape& shape,
                             PipelineShared<Job, kByTicket>& shared, std::byte* ring, int warp, int slot,
                             const Planned& planned) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  if (planned.there) {
    shared.chunks[warp][slot + lane] = planned.chunk;
    if (planned.alone)
      job.copy(ring + (slot + lane) * shape.slot_bytes, planned.chunk, shared.loaded[warp][slot + lane]);
  }
  unsigned lanes = __ballot_sync(kAllLanes, planned.there && !planned.alone);
  __syncwarp();  // chunks are written, numbers known
  for (; lanes != 0; lanes &= lanes - 1) {
    const int at = slot + __ffs(static_cast<int>(lanes)) - 1;
    job.load(ring + at * shape.slot_bytes, shared.chunks[warp][at], shared.loaded[warp][at]);
  }
}

/// Does what load_chunk() does, by one lane where the bulk copy engine needs no help. It takes more
/// registers, which a Job that holds chunks does not have.
template <PipelineJob Job, bool kByTicket>
__device__ void load_next(const Job& job, const PipelineShape& shape, PipelineShared<Job, kByTicket>& shared,
                          std::byte* ring, int warp, int k, int slot) {
  Planned planned;
  if (threadIdx.x % kWarp == 0) planned = plan_chunk(job, shape, shared, warp, k);
  load_planned(job, shape, shared, ring, warp, slot, planned);
}

/// Plans what this lane loads first. Called before the block's warps meet, which saves half a microsecond.
/// Plans nothing where the block has to ask for numbers of tiles, or to wait for the width.
template <PipelineJob Job, bool kByTicket>
__device__ Planned first_planned(const Job& job, const PipelineShape& shape,
                                 PipelineShared<Job, kByTicket>& shared, int warp) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  if constexpr (!kByTicket)
    if (lane < shape.slots && !width_waits(job)) return plan_chunk(job, shape, shared, warp, lane);
  return {};
}

/// Starts the first loads of one warp, as many as it has slots.
template <PipelineJob Job, bool kByTicket>
__device__ void fill_ring([[maybe_unused]] const Job& job, [[maybe_unused]] const PipelineShape& shape,
                          [[maybe_unused]] PipelineShared<Job, kByTicket>& shared,
                          [[maybe_unused]] std::byte* ring, [[maybe_unused]] int warp,
                          [[maybe_unused]] const Planned& planned) {
#if __CUDA_ARCH__ >= 800
  // By ticket, numbers become known one after the other.
  if (kByTicket || width_waits(job))
    for (int k = 0; k < shape.slots; ++k) load_next(job, shape, shared, ring, warp, k, k);
  else
    load_planned(job, shape, shared, ring, warp, 0, planned);
#endif
}

/// Says whether the block has a k-th tile; k is less than most_tiles(). The workers ask in turn.
template <PipelineJob Job, bool kByTicket>
__device__ bool has_tile(const Job& job, const PipelineShape& shape, PipelineShared<Job, kByTicket>& shared,
                         std::byte* ring, int warp, int k, int slot) {
#if __CUDA_ARCH__ < 800
  load_chunk(job, shape, shared, ring, warp, k, slot);
#endif
  return !kByTicket || shared.number(k) < shape.tiles;
}

/// Waits until it is known what stands before the block's k-th tile. Returns what the warps before this one
/// come to within the tile.
template <PipelineJob Job, bool kByTicket>
__device__ typename Job::Value await_prefix(const Job& job, PipelineShared<Job, kByTicket>& shared, int k,
                                            int warp) {
  shared.reduced[k % kDepth].wait(k / kDepth);
  const typename Job::Value warps_before = shuffle(total_of_warps(job, shared, k, warp), 0);
  shared.prefixed[k % kDepth].wait(k / kDepth);
  return warps_before;
}

/// Registers that a warp keeps of the chunk that it reduced last.
template <class Job>
struct Kept {};
template <HoldsChunks Job>
struct Kept<Job> {
  typename Job::Held held;
};

/// Loads, reduces and finishes the chunks of one warp, `lag` tiles later. A Job that holds chunks frees the
/// slot of one before it reduces the next, so that three slots have two tiles on their way. Other Jobs leave
/// chunks in their slots until they are finished.
template <PipelineJob Job, bool kByTicket>
__device__ void work(const Job& job, const PipelineShape& shape, PipelineShared<Job, kByTicket>& shared,
                     std::byte* ring, int warp) {
  using Value = typename Job::Value;
  constexpr bool kHolds = HoldsChunks<Job>;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int lag = kHolds ? 1 : shape.lag;
  int tiles = most_tiles<kByTicket>(shape);
  [[maybe_unused]] Kept<Job> kept;
  int slot = 0, round = 0;
  [[maybe_unused]] int finish_slot = 0;
  for (int k = 0; k < tiles + lag; ++k) {
    std::byte* at = ring + slot * shape.slot_bytes;
    if (k < tiles && !has_tile(job, shape, shared, ring, warp, k, slot)) tiles = k;
    if (k < tiles) {
#if __CUDA_ARCH__ >= 800
      shared.loaded[warp][slot].wait(round);
#endif
      const Chunk chunk = shared.chunks[warp][slot];
      const Value total = job.reduce(at, chunk);
      if (lane == 0) {
        shared.totals[k % kDepth][warp] = total;
        shared.reduced[k % kDepth].arrive();
      }
      if constexpr (!kHolds)
        if (++slot == shape.slots) slot = 0, ++round;
    }
    const int finished = k - lag;
    if (finished >= 0 && (kHolds || finished < tiles)) {
      const Value warps_before = await_prefix(job, shared, finished, warp);
      if constexpr (kHolds) {
        job.finish(kept.held, chunk_of(job, shape, shared.number(finished), warp),
                   shared.totals[finished % kDepth][warp], shared.tiles_before[finished % kDepth],
                   warps_before);
      } else {
        const Chunk chunk = shared.chunks[warp][finish_slot];
        job.finish(ring + finish_slot * shape.slot_bytes, chunk, shared.tiles_before[finished % kDepth],
                   warps_before);
        __syncwarp();
#if __CUDA_ARCH__ >= 800
        if (finished + shape.slots < tiles)
          load_next(job, shape, shared, ring, warp, finished + shape.slots, finish_slot);
#endif
        if (++finish_slot == shape.slots) finish_slot = 0;
      }
    }
    if constexpr (kHolds)
      if (k < tiles) {
        const Chunk chunk = shared.chunks[warp][slot];
        __syncwarp();  // the total is written
        job.hold(at, chunk, shared.totals[k % kDepth][warp], kept.held);
        __syncwarp();
#if __CUDA_ARCH__ >= 800
        if (k + shape.slots < tiles) load_chunk(job, shape, shared, ring, warp, k + shape.slots, slot);
#endif
        if (++slot == shape.slots) slot = 0, ++round;
      }
  }
}

}  // namespace scanlens::gpu
