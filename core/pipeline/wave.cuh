// The wave: a pipeline in which one persistent block a multiprocessor streams tiles of an array through
// shared memory, and every tile learns the total of all tiles before it, in one pass over the data.
//
// A tile is cut into one chunk for each of 16 worker warps. A chunk goes through three steps, and the steps
// of neighbouring tiles overlap:
//
// - load: the bulk copy engine brings it to the warp's own ring of slots in shared memory, tiles ahead.
// - reduce: the warp totals it. One more warp, the publisher, puts the 16 totals together and publishes the
//   tile's on a board in device memory (core/pipeline/exchange.cuh).
// - finish: meanwhile a carrier warp reads the totals of the tiles before this one that it has not read yet,
//   in one round of independent loads, and adds them to the total that it carries. The workers, tiles ahead
//   by now, come back to the chunk with what stands before it, and write.
//
// So there is no chain of inclusive prefixes and no clearing kernel, and the order of all operations is
// fixed: the same array on the same device gives the same bits. In decoupled look-back (Merrill and Garland,
// 2016) tiles wait for their neighbours in turn; tests/bench/RESULTS.md has both, side by side.
//
// Which block has which tile:
//
// - Tile k * blocks + i belongs to block i. Where tiles exchange, all blocks wait for each other, so that the
//   launch is cooperative.
// - Or blocks take tiles in order, each the next one when it has room for it. A tile waits only for those of
//   lower numbers, and who took one of these is running. So no harm is done if only some of the blocks have
//   found room on the GPU, and the launch can begin early (core/cuda/launch.cuh). Totals are carried from
//   window to window, as many neighbouring tiles as there are blocks, so that the order of operations does
//   not depend on who takes what. That takes longer to read, which shows where there are few tiles.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <string>

#include "core/cuda/barrier.cuh"
#include "core/cuda/launch.cuh"
#include "core/cuda/warp.cuh"
#include "core/error.h"
#include "core/pipeline/chunk_io.cuh"
#include "core/pipeline/exchange.cuh"
#include "core/pipeline/wave_shape.h"
#include "core/runtime/context_impl.h"
#include "core/runtime/cuda_check.cuh"

namespace scanlens::gpu {

constexpr int kWaveThreads = (kWorkers + 2) * kWarp;
/// Tiles whose totals and prefixes are in shared memory. A warp may write the total of one while another
/// still reads those of the tile 2 kMostLag + 1 before.
constexpr int kDepth = 8;
static_assert(kDepth > 2 * kMostLag + 1);
/// Tiles whose numbers are in shared memory: those that the publisher still has to look at, up to those that
/// are about to be loaded.
constexpr int kNumbers = 2 * kMostSlots;

// A Job says what is done to a chunk. It has the types Value, what a chunk comes to, and Carry, what is
// carried through a row and by default is that of nothing; and these members, called by a whole warp where
// they take a chunk:
//
// - kCommutes: whether totals may be taken in any order
// - kTakesTickets: whether blocks take tiles in order, where there are many
// - identity() and combine(Value, Value): associative, neutral
// - carry_on(Carry&, Value)
// - width() and height() of the array; shift(y): elements from a 16-byte boundary to row y
// - load(slot, Chunk, Barrier&): starts the copies, and arrives once
// - copies(Chunk), asked by one lane: whether the bulk copy engine can bring it without help; and copy(slot,
//   Chunk, Barrier&), by one lane, in place of load() then
// - reduce(slot, Chunk): its Value, in lane 0
// - finish(slot, Chunk, Carry, Value): given those of the tiles before, and of the tile's warps before; or,
//   instead, the type Held, hold(slot, Chunk, Value, Held&), after which the slot is free, and finish(Held,
//   Chunk, Value, Carry, Value), given the chunk's own Value besides
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

/// Whether the bulk copy engine can bring a whole chunk of an array by itself. `from` is where it begins.
template <class T>
__device__ bool bulk_copies([[maybe_unused]] const Chunk& chunk, [[maybe_unused]] const T* from) {
#if __CUDA_ARCH__ >= 900
  if constexpr (kBulk<T>) return chunk.whole() && stands_on(from, 16);
#endif
  return false;
}

/// What the warps of a block share. kByTicket: blocks take tiles in order.
template <class Job, bool kByTicket>
struct WaveShared {
  Barrier loaded[kWorkers][kMostSlots];  ///< a warp's slots
  Barrier reduced[kDepth];               ///< all warps of a tile have their totals
  Barrier prefixed[kDepth];              ///< the prefix of a tile is known
  /// It is known which tile comes next, or that none does.
  Barrier numbered[kByTicket ? kNumbers : 1];
  /// Of the block's tiles; from shape.tiles on: there is none.
  std::int64_t numbers[kByTicket ? kNumbers : 1];
  Chunk chunks[kWorkers][kMostSlots];  ///< what lies in a warp's slots
  typename Job::Value totals[kDepth][kWorkers];
  typename Job::Carry tiles_before[kDepth];
  unsigned epoch;  ///< of the launch, where blocks take tiles in order

  /// That of the block's k-th tile, once it is known.
  __device__ std::int64_t await_number(int k) {
    if (kByTicket) numbered[k % kNumbers].wait(k / kNumbers);
    return number(k);
  }
  __device__ std::int64_t number(int k) const {
    return kByTicket ? numbers[k % kNumbers] : static_cast<std::int64_t>(k) * gridDim.x + blockIdx.x;
  }
};

/// How many tiles the block has; where blocks take them in order, more than it will get.
template <bool kByTicket>
__device__ int most_tiles(const WaveShape& shape) {
  if (kByTicket) return INT_MAX - kMostLag;
  return blockIdx.x < shape.tiles ? static_cast<int>((shape.tiles - blockIdx.x + gridDim.x - 1) / gridDim.x)
                                  : 0;
}

/// The total of the first `warps` warps' chunks of the block's k-th tile, in lane 0.
template <class Job, bool kByTicket>
__device__ typename Job::Value total_of_warps(const Job& job, const WaveShared<Job, kByTicket>& shared, int k,
                                              int warps) {
  using Value = typename Job::Value;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const Value mine = lane < warps ? shared.totals[k % kDepth][lane] : job.identity();
  return warp_reduce(mine, [&job](const Value& a, const Value& b) { return job.combine(a, b); });
}

/// A warp's share of the block's k-th tile, if there is such a tile, on its way to a slot of the warp's ring.
template <class Job, bool kByTicket>
__device__ void load_chunk(const Job& job, const WaveShape& shape, WaveShared<Job, kByTicket>& shared,
                           std::byte* ring, int warp, int k, int slot) {
  const std::int64_t tile = shared.await_number(k);
  if (tile >= shape.tiles) return;
  const Chunk chunk = chunk_of(job, shape, tile, warp);
  if (threadIdx.x % kWarp == 0) shared.chunks[warp][slot] = chunk;
  job.load(ring + slot * shape.slot_bytes, chunk, shared.loaded[warp][slot]);
}

/// What a lane starts to load.
struct Planned {
  Chunk chunk{};
  bool there = false;  ///< there is such a chunk
  bool alone = false;  ///< the bulk copy engine can bring it without help
};

/// That of the block's k-th tile, once its number is known.
template <class Job, bool kByTicket>
__device__ Planned plan_chunk(const Job& job, const WaveShape& shape, WaveShared<Job, kByTicket>& shared,
                              int warp, int k) {
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
template <class Job, bool kByTicket>
__device__ void load_planned(const Job& job, const WaveShape& shape, WaveShared<Job, kByTicket>& shared,
                             std::byte* ring, int warp, int slot, const Planned& planned) {
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

/// A warp's share of the block's k-th tile, if there is such a tile, on its way to a slot by one lane. It
/// takes more registers than load_chunk(), which a Job that holds chunks does not have.
template <class Job, bool kByTicket>
__device__ void load_next(const Job& job, const WaveShape& shape, WaveShared<Job, kByTicket>& shared,
                          std::byte* ring, int warp, int k, int slot) {
  Planned planned;
  if (threadIdx.x % kWarp == 0) planned = plan_chunk(job, shape, shared, warp, k);
  load_planned(job, shape, shared, ring, warp, slot, planned);
}

/// Waits until it is known what stands before the block's k-th tile. Returns what the warps before this one
/// come to within the tile.
template <class Job, bool kByTicket>
__device__ typename Job::Value await_prefix(const Job& job, WaveShared<Job, kByTicket>& shared, int k,
                                            int warp) {
  shared.reduced[k % kDepth].wait(k / kDepth);
  const typename Job::Value warps_before = shuffle(total_of_warps(job, shared, k, warp), 0);
  shared.prefixed[k % kDepth].wait(k / kDepth);
  return warps_before;
}

/// What this lane loads first. Found out before the block's warps meet, which saves half a microsecond, as
/// far as it is known then: not where numbers of tiles have to be asked for.
template <class Job, bool kByTicket>
__device__ Planned first_planned(const Job& job, const WaveShape& shape, WaveShared<Job, kByTicket>& shared,
                                 int warp) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  if constexpr (!kByTicket)
    if (lane < shape.slots) return plan_chunk(job, shape, shared, warp, lane);
  return {};
}

/// The first loads of one warp, as far as it has room.
template <class Job, bool kByTicket>
__device__ void fill_ring([[maybe_unused]] const Job& job, [[maybe_unused]] const WaveShape& shape,
                          [[maybe_unused]] WaveShared<Job, kByTicket>& shared,
                          [[maybe_unused]] std::byte* ring, [[maybe_unused]] int warp,
                          [[maybe_unused]] const Planned& planned) {
#if __CUDA_ARCH__ >= 900
  if constexpr (kByTicket)  // which become known one after the other
    for (int k = 0; k < shape.slots; ++k) load_next(job, shape, shared, ring, warp, k, k);
  else
    load_planned(job, shape, shared, ring, warp, 0, planned);
#endif
}

/// Whether the block has a k-th tile; k is less than most_tiles(). The workers ask in turn.
template <class Job, bool kByTicket>
__device__ bool has_tile(const Job& job, const WaveShape& shape, WaveShared<Job, kByTicket>& shared,
                         std::byte* ring, int warp, int k, int slot) {
#if __CUDA_ARCH__ < 900
  load_chunk(job, shape, shared, ring, warp, k, slot);
#endif
  return !kByTicket || shared.number(k) < shape.tiles;
}

/// Loads, reduces and finishes the chunks of one warp.
template <class Job, bool kByTicket>
__device__ void work(const Job& job, const WaveShape& shape, WaveShared<Job, kByTicket>& shared,
                     std::byte* ring, int warp) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  int tiles = most_tiles<kByTicket>(shape);
  int reduce_slot = 0, reduce_round = 0, finish_slot = 0;
  for (int k = 0; k < tiles + shape.lag; ++k) {
    if (k < tiles && !has_tile(job, shape, shared, ring, warp, k, reduce_slot)) tiles = k;
    if (k < tiles) {
#if __CUDA_ARCH__ >= 900
      shared.loaded[warp][reduce_slot].wait(reduce_round);
#endif
      const Chunk chunk = shared.chunks[warp][reduce_slot];
      const typename Job::Value total = job.reduce(ring + reduce_slot * shape.slot_bytes, chunk);
      if (lane == 0) {
        shared.totals[k % kDepth][warp] = total;
        shared.reduced[k % kDepth].arrive();
      }
      if (++reduce_slot == shape.slots) reduce_slot = 0, ++reduce_round;
    }
    const int finished = k - shape.lag;
    if (finished >= 0 && finished < tiles) {
      const typename Job::Value warps_before = await_prefix(job, shared, finished, warp);
      const Chunk chunk = shared.chunks[warp][finish_slot];
      job.finish(ring + finish_slot * shape.slot_bytes, chunk, shared.tiles_before[finished % kDepth],
                 warps_before);
      __syncwarp();
#if __CUDA_ARCH__ >= 900
      if (finished + shape.slots < tiles)
        load_next(job, shape, shared, ring, warp, finished + shape.slots, finish_slot);
#endif
      if (++finish_slot == shape.slots) finish_slot = 0;
    }
  }
}

/// The same for a Job that between reduce and finish holds what it has of a chunk in registers. The slot is
/// free for another tile meanwhile, not only after the exchange: three slots have two tiles on their way.
template <class Job, bool kByTicket>
__device__ void work_holding(const Job& job, const WaveShape& shape, WaveShared<Job, kByTicket>& shared,
                             std::byte* ring, int warp) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  int tiles = most_tiles<kByTicket>(shape);
  typename Job::Held held;
  int slot = 0, round = 0;
  for (int k = 0; k <= tiles; ++k) {
    std::byte* at = ring + slot * shape.slot_bytes;
    if (k < tiles && !has_tile(job, shape, shared, ring, warp, k, slot)) tiles = k;
    if (k < tiles) {
#if __CUDA_ARCH__ >= 900
      shared.loaded[warp][slot].wait(round);
#endif
      const Chunk chunk = shared.chunks[warp][slot];
      const typename Job::Value total = job.reduce(at, chunk);
      if (lane == 0) {
        shared.totals[k % kDepth][warp] = total;
        shared.reduced[k % kDepth].arrive();
      }
    }
    if (k > 0) {
      const int finished = k - 1;
      const typename Job::Value warps_before = await_prefix(job, shared, finished, warp);
      job.finish(held, chunk_of(job, shape, shared.number(finished), warp),
                 shared.totals[finished % kDepth][warp], shared.tiles_before[finished % kDepth],
                 warps_before);
    }
    if (k < tiles) {
      const Chunk chunk = shared.chunks[warp][slot];
      __syncwarp();  // the total is written
      job.hold(at, chunk, shared.totals[k % kDepth][warp], held);
      __syncwarp();
#if __CUDA_ARCH__ >= 900
      if (k + shape.slots < tiles) load_chunk(job, shape, shared, ring, warp, k + shape.slots, slot);
#endif
      if (++slot == shape.slots) slot = 0, ++round;
    }
  }
}

/// That of the launch; 0 where tiles do not exchange. Without tickets publish() and carry() each read it, so
/// that the block's warps do not wait for it when they meet.
template <class Job, bool kByTicket>
__device__ unsigned epoch_of([[maybe_unused]] const WaveShape& shape,
                             [[maybe_unused]] const WaveShared<Job, kByTicket>& shared,
                             [[maybe_unused]] std::byte* exchange) {
  if constexpr (kByTicket)
    return shared.epoch;
  else
    return shape.exchanges() ? Epochs(exchange).now() : 0;
}

/// Puts the warps' totals of each tile together and publishes the tile's.
template <class Job, bool kByTicket>
__device__ void publish(const Job& job, const WaveShape& shape, WaveShared<Job, kByTicket>& shared,
                        std::byte* exchange, std::uint64_t* words) {
  const unsigned epoch = epoch_of(shape, shared, exchange);
  const Board<typename Job::Value> board(words, epoch);
  const int tiles = most_tiles<kByTicket>(shape);
  for (int k = 0; k < tiles; ++k) {
    const std::int64_t tile = shared.await_number(k);
    if (kByTicket && tile >= shape.tiles) break;
    shared.reduced[k % kDepth].wait(k / kDepth);
    const typename Job::Value total = total_of_warps(job, shared, k, kWorkers);
    if (threadIdx.x % kWarp == 0) board.publish(tile, total);
    __syncwarp();
  }
  if constexpr (!kByTicket) {
    // Not before carry() has read it.
    if (tiles > 0) shared.prefixed[(tiles - 1) % kDepth].wait((tiles - 1) / kDepth);
    if (threadIdx.x % kWarp == 0) Epochs(exchange).finish(epoch);
  }
}

/// What stands before tiles that are asked for in order, by one warp; known in lane 0.
template <class Job, bool kByTicket>
class Carrier {
 public:
  using Value = typename Job::Value;
  using Carry = typename Job::Carry;

  __device__ Carrier(const Job& job, const WaveShape& shape, const Board<Value>& board)
      : job_(job),
        shape_(shape),
        blocks_(static_cast<int>(gridDim.x)),
        window_(board, blocks_, job.identity(), Job::kCommutes, Combine{job}) {}

  __device__ Carry before(std::int64_t tile) {
    if constexpr (kByTicket)
      return before_any(tile);
    else
      return before_own(tile);
  }

 private:
  struct Combine {
    const Job& job;
    __device__ Value operator()(const Value& a, const Value& b) const { return job.combine(a, b); }
  };

  /// Carried from one tile of the block to its next, `blocks_` further on.
  __device__ Carry before_own(std::int64_t tile) {
    window_.move_to(tile - blocks_);
    window_.read(blocks_);
    const int none = tile < blocks_ ? blocks_ - static_cast<int>(tile) : 0;
    return before_window_ = carried(tile, window_.total(0, max(row_begin(0, tile), none), blocks_));
  }

  /// Carried from window to window, and from there to the tile.
  __device__ Carry before_any(std::int64_t tile) {
    for (; tile - window_.first() >= 2 * blocks_; window_.move_on()) {
      const std::int64_t next = window_.first() + blocks_;
      window_.read(blocks_);
      before_window_ = carried(next, window_.total(0, row_begin(0, next), blocks_));
    }
    const int end = static_cast<int>(tile - window_.first());
    window_.read(end);
    if (end < blocks_) return carried(tile, window_.total(0, row_begin(0, tile), end));
    // Both totals before either is used: the shuffles of one fill the waiting time of the other's.
    const std::int64_t next = window_.first() + blocks_;
    const Value window = window_.total(0, row_begin(0, next), blocks_);
    const Value rest = window_.total(1, row_begin(blocks_, tile), end - blocks_);
    before_window_ = carried(next, window);
    window_.move_on();
    return carried(tile, rest);
  }

  __device__ std::int64_t row_start(std::int64_t tile) const {
    return shape_.height == 1 ? 0 : tile / shape_.tiles_a_row * shape_.tiles_a_row;
  }
  /// Where the row of a tile begins, counted from `skipped` tiles after the window's first; not less than 0.
  __device__ int row_begin(int skipped, std::int64_t tile) const {
    return static_cast<int>(max(row_start(tile) - window_.first() - skipped, std::int64_t{0}));
  }
  /// What stands before a tile, given what those of its row and window come to.
  __device__ Carry carried(std::int64_t tile, const Value& total) const {
    Carry carry = row_start(tile) < window_.first() ? before_window_ : Carry();
    job_.carry_on(carry, total);
    return carry;
  }

  const Job& job_;
  const WaveShape& shape_;
  int blocks_;
  Window<kByTicket ? 2 : 1, Value, Combine> window_;
  Carry before_window_;  ///< of the row of the window's first tile
};

/// Takes the block's tiles, as many ahead as there are slots, where blocks do; and carries the total from
/// tile to tile.
template <class Job, bool kByTicket>
__device__ void carry(const Job& job, const WaveShape& shape, WaveShared<Job, kByTicket>& shared,
                      const Tickets& tickets, std::byte* exchange, std::uint64_t* words) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  std::int64_t newest = shared.numbers[0];  // of lane 0
  const auto take = [&] {
    if (newest < shape.tiles) newest = tickets.next(shape.tiles);
  };
  const auto make_known = [&](int k) {
    shared.numbers[k % kNumbers] = newest;
    shared.numbered[k % kNumbers].arrive();
  };
  if (kByTicket && lane == 0) {
    make_known(0);
    for (int k = 1; k < shape.slots; ++k) {
      take();
      make_known(k);
    }
  }
  const Board<typename Job::Value> board(words, epoch_of(shape, shared, exchange));
  Carrier<Job, kByTicket> carrier(job, shape, board);
  const int tiles = most_tiles<kByTicket>(shape);
  for (int k = 0; k < tiles; ++k) {
    const std::int64_t tile = shared.await_number(k);
    if (kByTicket && tile >= shape.tiles) break;
    if (kByTicket && lane == 0) take();  // which takes as long as to read a total
    typename Job::Carry total;
    if (shape.exchanges()) total = carrier.before(tile);
    // Never ahead of the workers, who count the completions of the barriers by turns.
    shared.reduced[k % kDepth].wait(k / kDepth);
    if (lane == 0) {
      shared.tiles_before[k % kDepth] = total;
      shared.prefixed[k % kDepth].arrive();
      if (kByTicket) make_known(k + shape.slots);
    }
    if (tile == shape.tiles - 1) {
      const typename Job::Value last = total_of_warps(job, shared, k, kWorkers);
      if (lane == 0) job.done(total, last);
    }
    __syncwarp();
  }
}

template <class Job, bool kByTicket>
__global__ void __launch_bounds__(kWaveThreads, 1)
    wave_kernel(const __grid_constant__ Job job, const __grid_constant__ WaveShape shape, std::byte* exchange,
                std::uint64_t* words) {
  extern __shared__ __align__(128) std::byte slots[];
  // Raw, because what lies in shared memory cannot be constructed.
  __shared__ __align__(16) std::byte shared_bytes[sizeof(WaveShared<Job, kByTicket>)];
  WaveShared<Job, kByTicket>& shared = *reinterpret_cast<WaveShared<Job, kByTicket>*>(shared_bytes);
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const Tickets tickets(exchange);
  std::byte* ring = slots + static_cast<std::size_t>(warp) * shape.slots * shape.slot_bytes;

  Planned planned;
  if (warp < kWorkers) {
    if (lane < shape.slots) {
      shared.loaded[warp][lane].init(1);
      Barrier::init_done();
    }
    planned = first_planned(job, shape, shared, warp);
  } else if (warp == kWorkers) {
    if (lane < kDepth) {
      shared.reduced[lane].init(kWorkers);
      shared.prefixed[lane].init(1);
    }
    if (kByTicket && lane < kNumbers) shared.numbered[lane].init(1);
    if (kByTicket && lane == kWarp - 1 && shape.exchanges())
      shared.epoch = tickets.start().epoch;  // while the kernel ahead still runs
  } else if (kByTicket && lane == 0) {
    shared.numbers[0] = tickets.first(shape.tiles);
  }
  __syncthreads();
  await_previous_kernel();

  if (warp < kWorkers) {
    fill_ring(job, shape, shared, ring, warp, planned);
    if constexpr (requires { typename Job::Held; })
      work_holding(job, shape, shared, ring, warp);
    else
      work(job, shape, shared, ring, warp);
  } else if (warp == kWorkers) {
    if (lane == 0) let_next_kernel_begin();
    __syncwarp();
    if (shape.exchanges()) publish(job, shape, shared, exchange, words);
  } else {
    carry(job, shape, shared, tickets, exchange, words);
  }
}

inline int wave_blocks(const Context& context) {
  return std::min(context.impl().traits.multiprocessors, kMostBlocks);
}

template <class Job, bool kByTicket>
void launch_wave(Context& context, const Job& job, const WaveShape& shape, std::size_t rings_bytes) {
  const int blocks = wave_blocks(context);
  const bool exchanges = shape.exchanges();
  launch_early(context, wave_kernel<Job, kByTicket>,
               exchanges && !kByTicket ? Blocks::all_at_once : Blocks::independent,
               static_cast<unsigned>(exchanges ? blocks : std::min<std::int64_t>(blocks, shape.tiles)),
               kWaveThreads,
               SharedBytes{static_cast<std::size_t>(shape.slots) * kWorkers * shape.slot_bytes, rings_bytes},
               job, shape, wave_exchange(context),
               exchanges ? board_words<typename Job::Value>(context, shape.tiles) : nullptr);
}

/// Queues the work. `slack` is the most that Job::shift returns.
template <class Job>
void run_wave(Context& context, const Job& job, const WaveLimits& limits, int slack) {
  // What the block has besides, rounded up to what the rings' alignment can cost.
  constexpr std::size_t kBeside = (sizeof(WaveShared<Job, Job::kTakesTickets>) + 1023) / 1024 * 1024;
  const std::size_t rings_bytes = static_cast<std::size_t>(context.impl().traits.shared_bytes) - kBeside;
  const int ring_bytes = static_cast<int>(rings_bytes) / kWorkers;
  const int blocks = wave_blocks(context);
  const WaveShape shape = wave_shape(limits, job.width() + slack, job.height(), blocks, ring_bytes);
  if (shape.slots < 1)
    throw Error(ErrorKind::usage, "elements of " + std::to_string(limits.element_bytes) +
                                      " bytes are too large for this GPU's shared memory");
  if constexpr (Job::kTakesTickets)
    // Where the rings have room for all tiles at once there is nothing to take.
    if (shape.exchanges() && shape.tiles > std::int64_t{blocks} * shape.slots)
      return launch_wave<Job, true>(context, job, shape, rings_bytes);
  launch_wave<Job, false>(context, job, shape, rings_bytes);
}

}  // namespace scanlens::gpu
