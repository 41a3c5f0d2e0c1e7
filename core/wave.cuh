// The wave: a pipeline in which one persistent block a multiprocessor streams tiles of an array through
// shared memory, and every tile learns the total of all tiles before it, in one pass over the data.
//
// Tile i of wave k belongs to block i: tile number k * blocks + i. A tile is cut into one chunk for each of
// 16 worker warps. A chunk goes through three steps, and the steps of neighbouring tiles overlap:
//
// - load: the bulk copy engine brings it to the warp's own ring of slots in shared memory, tiles ahead.
// - reduce: the warp totals it. One more warp, the publisher, puts the 16 totals together and publishes the
//   tile's on a board in device memory (core/exchange.cuh).
// - finish: meanwhile a carrier warp reads the totals of the tiles between this block's last tile and this
//   one, of all other blocks in one round of independent loads, and adds them to the total that it carries.
//   The workers, tiles ahead by now, come back to the chunk with what stands before it, and write.
//
// So there is no chain of inclusive prefixes and no clearing kernel, and the order of all operations is
// fixed: the same array on the same device gives the same bits. In decoupled look-back (Merrill and Garland,
// 2016) tiles wait for their neighbours in turn; tests/bench/RESULTS.md has both, side by side.
//
// Where tiles exchange, a block waits for others, so that all have to run at once: such a launch is
// cooperative, one block a multiprocessor.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "core/barrier.cuh"
#include "core/chunk_io.cuh"
#include "core/context_impl.h"
#include "core/cuda_check.cuh"
#include "core/error.h"
#include "core/exchange.cuh"
#include "core/launch.cuh"
#include "core/warp.cuh"
#include "core/wave_shape.h"

namespace scanlens::cuda {

constexpr int kWaveThreads = (kWorkers + 2) * kWarp;
/// Tiles whose totals and prefixes are in shared memory. A warp may write the total of one while another
/// still reads those of the tile 2 kMostLag + 1 before.
constexpr int kDepth = 8;
static_assert(kDepth > 2 * kMostLag + 1);

// A Job says what is done to a chunk. It has the types Value, what a chunk comes to, and Carry, what is
// carried through a row and by default is that of nothing; and these members, called by a whole warp where
// they take a chunk:
//
// - kCommutes: whether totals may be taken in any order
// - identity() and combine(Value, Value): associative, neutral
// - carry_on(Carry&, Value)
// - width() and height() of the array; shift(y): elements from a 16-byte boundary to row y
// - load(slot, Chunk, Barrier&): starts the copies, and arrives once
// - reduce(slot, Chunk): its Value, in lane 0
// - finish(slot, Chunk, Carry, Value): given those of the tiles before, and of the tile's warps before
// - or the type Held, hold(slot, Chunk, Value, Held&), after which the slot is free, and finish(Held, Carry,
//   Value)
// - done(Carry, Value): given those of all tiles before the last, and of the last

/// The `length` elements from `first` on, counted from the 16-byte boundary at or before row y.
template <class Job>
__device__ Chunk chunk_at(const Job& job, std::int64_t y, std::int64_t first, int length) {
  Chunk chunk;
  chunk.y = y;
  chunk.first = first - job.shift(y);
  chunk.length = length;
  const std::int64_t left = job.width() - chunk.first;
  chunk.lo = chunk.first >= 0 ? 0 : static_cast<int>(min(-chunk.first, static_cast<std::int64_t>(length)));
  chunk.hi = left >= length ? length : left > 0 ? static_cast<int>(left) : 0;
  if (chunk.lo > chunk.hi) chunk.lo = chunk.hi;
  return chunk;
}

template <class Job>
__device__ Chunk chunk_of(const Job& job, const WaveShape& shape, std::int64_t tile, int warp,
                          int warps = kWorkers) {
  const std::int64_t y = shape.height == 1 ? 0 : tile / shape.tiles_a_row;
  const std::int64_t in_row = tile - y * shape.tiles_a_row;
  const std::int64_t long_tiles = min(in_row, shape.long_tiles);
  const int length = in_row < shape.long_tiles ? shape.chunk : shape.short_chunk;
  return chunk_at(
      job, y, warps * (long_tiles * shape.chunk + (in_row - long_tiles) * shape.short_chunk) + warp * length,
      length);
}

template <class Job>
struct WaveShared {
  Barrier loaded[kWorkers][kMostSlots];  ///< a warp's slots
  Barrier reduced[kDepth];               ///< all warps of a tile have their totals
  Barrier prefixed[kDepth];              ///< the prefix of a tile is known
  Chunk chunks[kWorkers][kMostSlots];    ///< what lies in a warp's slots
  typename Job::Value totals[kDepth][kWorkers];
  typename Job::Carry tiles_before[kDepth];
  unsigned first_tag;
};

/// The total of the first `warps` warps' chunks of the block's k-th tile, in lane 0.
template <class Job>
__device__ typename Job::Value total_of_warps(const Job& job, const WaveShared<Job>& shared, int k,
                                              int warps) {
  using Value = typename Job::Value;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const Value mine = lane < warps ? shared.totals[k % kDepth][lane] : job.identity();
  return warp_reduce(mine, [&job](const Value& a, const Value& b) { return job.combine(a, b); });
}

/// A warp's share of the block's k-th tile, on its way to a slot of the warp's ring.
template <class Job>
__device__ void load_chunk(const Job& job, const WaveShape& shape, WaveShared<Job>& shared, std::byte* ring,
                           int warp, int k, int slot) {
  const Chunk chunk = chunk_of(job, shape, static_cast<std::int64_t>(k) * gridDim.x + blockIdx.x, warp);
  if (threadIdx.x % kWarp == 0) shared.chunks[warp][slot] = chunk;
  job.load(ring + slot * shape.slot_bytes, chunk, shared.loaded[warp][slot]);
}

/// Waits until it is known what stands before the block's k-th tile. Returns what the warps before this one
/// come to within the tile.
template <class Job>
__device__ typename Job::Value await_prefix(const Job& job, WaveShared<Job>& shared, int k, int warp) {
  shared.reduced[k % kDepth].wait(k / kDepth);
  const typename Job::Value warps_before = shuffle(total_of_warps(job, shared, k, warp), 0);
  shared.prefixed[k % kDepth].wait(k / kDepth);
  return warps_before;
}

/// Loads, reduces and finishes the chunks of one warp. `tiles` is how many tiles the block has.
template <class Job>
__device__ void work(const Job& job, const WaveShape& shape, WaveShared<Job>& shared, std::byte* ring,
                     int warp, int tiles) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  int reduce_slot = 0, reduce_round = 0, finish_slot = 0;
  for (int k = 0; k < tiles + shape.lag; ++k) {
    if (k < tiles) {
#if __CUDA_ARCH__ >= 900
      shared.loaded[warp][reduce_slot].wait(reduce_round);
#else
      load_chunk(job, shape, shared, ring, warp, k, reduce_slot);
#endif
      const Chunk chunk = shared.chunks[warp][reduce_slot];
      const typename Job::Value total = job.reduce(ring + reduce_slot * shape.slot_bytes, chunk);
      if (lane == 0) {
        shared.totals[k % kDepth][warp] = total;
        shared.reduced[k % kDepth].arrive();
      }
      if (++reduce_slot == shape.slots) reduce_slot = 0, ++reduce_round;
    }
    if (k >= shape.lag) {
      const int finished = k - shape.lag;
      const typename Job::Value warps_before = await_prefix(job, shared, finished, warp);
      const Chunk chunk = shared.chunks[warp][finish_slot];
      job.finish(ring + finish_slot * shape.slot_bytes, chunk, shared.tiles_before[finished % kDepth],
                 warps_before);
      __syncwarp();
#if __CUDA_ARCH__ >= 900
      if (finished + shape.slots < tiles)
        load_chunk(job, shape, shared, ring, warp, finished + shape.slots, finish_slot);
#endif
      if (++finish_slot == shape.slots) finish_slot = 0;
    }
  }
}

/// The same for a Job that between reduce and finish holds what it has of a chunk in registers. The slot is
/// free for another tile meanwhile, not only after the exchange: three slots have two tiles on their way.
template <class Job>
__device__ void work_holding(const Job& job, const WaveShape& shape, WaveShared<Job>& shared, std::byte* ring,
                             int warp, int tiles) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  typename Job::Held held;
  typename Job::Value total;
  int slot = 0, round = 0;
  for (int k = 0; k <= tiles; ++k) {
    std::byte* at = ring + slot * shape.slot_bytes;
    if (k < tiles) {
#if __CUDA_ARCH__ >= 900
      shared.loaded[warp][slot].wait(round);
#else
      load_chunk(job, shape, shared, ring, warp, k, slot);
#endif
      const Chunk chunk = shared.chunks[warp][slot];
      total = job.reduce(at, chunk);
      if (lane == 0) {
        shared.totals[k % kDepth][warp] = total;
        shared.reduced[k % kDepth].arrive();
      }
      total = shuffle(total, 0);
    }
    if (k > 0) {
      const int finished = k - 1;
      const typename Job::Value warps_before = await_prefix(job, shared, finished, warp);
      job.finish(held, shared.tiles_before[finished % kDepth], warps_before);
    }
    if (k < tiles) {
      const Chunk chunk = shared.chunks[warp][slot];
      job.hold(at, chunk, total, held);
      __syncwarp();
#if __CUDA_ARCH__ >= 900
      if (k + shape.slots < tiles) load_chunk(job, shape, shared, ring, warp, k + shape.slots, slot);
#endif
      if (++slot == shape.slots) slot = 0, ++round;
    }
  }
}

/// Puts the warps' totals of each tile together and publishes the tile's.
template <class Job>
__device__ void publish(const Job& job, WaveShared<Job>& shared, const Board<typename Job::Value>& board,
                        int tiles) {
  for (int k = 0; k < tiles; ++k) {
    shared.reduced[k % kDepth].wait(k / kDepth);
    const typename Job::Value total = total_of_warps(job, shared, k, kWorkers);
    if (threadIdx.x % kWarp == 0) board.publish(shared.first_tag + k, total);
    __syncwarp();
  }
}

/// By one warp: the total of the tiles first … tile - 1 that other blocks publish, in lane 0; `first` is no
/// more than `blocks` tiles back. Waits for all of the last `blocks` tiles, so that no block runs further
/// ahead of another than the board has rounds. `tag` is that of the tile's own wave.
///
/// All words are asked for in one round of independent loads, side by side: a lane takes every 32nd.
template <class Value, class Combine>
__device__ Value total_since(const Board<Value>& board, unsigned tag, std::int64_t tile, std::int64_t first,
                             Value identity, bool commutative, Combine combine) {
  constexpr int kMostLoads = kMostBlocks / kWarp;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int blocks = static_cast<int>(gridDim.x);
  // Positions count from tile - blocks: this block's own tile before, then those of the blocks above it in
  // the wave before, then those of the blocks below it in this wave.
  const int begin = tile < blocks ? blocks - static_cast<int>(tile) : 0;
  const int wanted = blocks - static_cast<int>(tile - first);
  typename Board<Value>::Words words[kMostLoads];
  Value values[kMostLoads];
  unsigned missing = 0;
#pragma unroll
  for (int i = 0; i < kMostLoads; ++i) {
    const int position = i * kWarp + lane;
    values[i] = identity;
    if (position >= begin && position < blocks) missing |= 1u << i;
  }
  while (missing) {
#pragma unroll
    for (int i = 0; i < kMostLoads; ++i)
      if (missing >> i & 1) {
        const int block = static_cast<int>(blockIdx.x) + i * kWarp + lane;
        words[i] = block < blocks ? board.load(tag - 1, block) : board.load(tag, block - blocks);
      }
#pragma unroll
    for (int i = 0; i < kMostLoads; ++i)
      if (missing >> i & 1) {
        const bool before = static_cast<int>(blockIdx.x) + i * kWarp + lane < blocks;
        if (Board<Value>::value_of(words[i], before ? tag - 1 : tag, values[i])) missing &= ~(1u << i);
      }
  }
  __syncwarp();

  Value total = identity;
#pragma unroll
  for (int i = 0; i < kMostLoads; ++i) {
    if (i * kWarp >= blocks) break;
    if (i * kWarp + lane < wanted) values[i] = identity;
    if (!commutative) values[i] = warp_reduce(values[i], combine);
    total = combine(total, values[i]);
  }
  return commutative ? warp_reduce(total, combine) : total;
}

/// Carries the total from tile to tile of this block.
template <class Job>
__device__ void carry(const Job& job, const WaveShape& shape, WaveShared<Job>& shared,
                      const Board<typename Job::Value>& board, int tiles) {
  using Value = typename Job::Value;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const auto combine = [&job](const Value& a, const Value& b) { return job.combine(a, b); };
  typename Job::Carry total;  // of lane 0
  for (int k = 0; k < tiles; ++k) {
    const std::int64_t tile = static_cast<std::int64_t>(k) * gridDim.x + blockIdx.x;
    if (shape.exchanges()) {
      const std::int64_t own_before = tile - gridDim.x;
      const std::int64_t row_start = shape.height == 1 ? 0 : tile / shape.tiles_a_row * shape.tiles_a_row;
      const Value since = total_since(board, shared.first_tag + k, tile, max(own_before, row_start),
                                      job.identity(), Job::kCommutes, combine);
      if (own_before < row_start) total = typename Job::Carry();
      job.carry_on(total, since);
    }
    // Never ahead of the workers, who count the completions of the barrier by turns.
    shared.reduced[k % kDepth].wait(k / kDepth);
    if (lane == 0) {
      shared.tiles_before[k % kDepth] = total;
      shared.prefixed[k % kDepth].arrive();
    }
    if (tile == shape.tiles - 1) {
      const Value last = total_of_warps(job, shared, k, kWorkers);
      if (lane == 0) job.done(total, last);
    }
    __syncwarp();
  }
}

template <class Job>
__global__ void __launch_bounds__(kWaveThreads, 1)
    wave_kernel(const __grid_constant__ Job job, const __grid_constant__ WaveShape shape,
                std::byte* exchange) {
  extern __shared__ __align__(128) std::byte slots[];
  // Raw, because what lies in shared memory cannot be constructed.
  __shared__ __align__(16) std::byte shared_bytes[sizeof(WaveShared<Job>)];
  WaveShared<Job>& shared = *reinterpret_cast<WaveShared<Job>*>(shared_bytes);
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const Board<typename Job::Value> board(exchange, static_cast<int>(gridDim.x));
  const int tiles =
      blockIdx.x < shape.tiles ? static_cast<int>((shape.tiles - blockIdx.x + gridDim.x - 1) / gridDim.x) : 0;
  std::byte* ring = slots + static_cast<std::size_t>(warp) * shape.slots * shape.slot_bytes;

  if (warp < kWorkers) {
    if (lane == 0) {
      for (int i = 0; i < shape.slots; ++i) shared.loaded[warp][i].init(1);
      Barrier::init_done();
    }
    __syncwarp();
    await_previous_kernel();
#if __CUDA_ARCH__ >= 900
    for (int k = 0; k < min(tiles, shape.slots); ++k) load_chunk(job, shape, shared, ring, warp, k, k);
#endif
  } else if (threadIdx.x == kWorkers * kWarp) {
    for (int i = 0; i < kDepth; ++i) {
      shared.reduced[i].init(kWorkers);
      shared.prefixed[i].init(1);
    }
    await_previous_kernel();
    if (shape.exchanges()) shared.first_tag = board.first_tag();
  }
  __syncthreads();

  if (warp < kWorkers) {
    if constexpr (requires { typename Job::Held; })
      work_holding(job, shape, shared, ring, warp, tiles);
    else
      work(job, shape, shared, ring, warp, tiles);
  } else if (warp == kWorkers) {
    if (shape.exchanges()) {
      publish(job, shared, board, tiles);
      if (lane == 0)
        board.finish(shared.first_tag, static_cast<unsigned>((shape.tiles + gridDim.x - 1) / gridDim.x));
    }
  } else {
    carry(job, shape, shared, board, tiles);
  }
}

inline int wave_blocks(const Context& context) {
  return std::min(context.impl().traits.multiprocessors, kMostBlocks);
}

/// Queues the work. `slack` is the most that Job::shift returns.
template <class Job>
void run_wave(Context& context, const Job& job, const WaveLimits& limits, int slack) {
  static_assert(Board<typename Job::Value>::bytes() <= kWaveExchangeBytes, "values are too large");
  static_assert(Board<typename Job::Value>::kRounds > 2 * kMostLag + 3);
  // What the block has besides, rounded up to what the rings' alignment can cost.
  constexpr std::size_t kBeside = (sizeof(WaveShared<Job>) + 1023) / 1024 * 1024;
  const std::size_t rings_bytes = static_cast<std::size_t>(context.impl().traits.shared_bytes) - kBeside;
  const int ring_bytes = static_cast<int>(rings_bytes) / kWorkers;
  const int blocks = wave_blocks(context);
  const WaveShape shape = wave_shape(limits, job.width() + slack, job.height(), blocks, ring_bytes);
  if (shape.slots < 1)
    throw Error(ErrorKind::usage, "elements of " + std::to_string(limits.element_bytes) +
                                      " bytes are too large for this GPU's shared memory");
  const bool exchanges = shape.tiles_a_row > 1;
  launch_early(context, wave_kernel<Job>, exchanges ? Blocks::all_at_once : Blocks::independent,
               static_cast<unsigned>(exchanges ? blocks : std::min<std::int64_t>(blocks, shape.tiles)),
               kWaveThreads,
               SharedBytes{static_cast<std::size_t>(shape.slots) * kWorkers * shape.slot_bytes, rings_bytes},
               job, shape, context.impl().exchange.data());
}

}  // namespace scanlens::cuda
