// The interface of a Job, which says what is done to an array and how it is cut into chunks.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "core/cuda/barrier.cuh"
#include "core/pipeline/chunk_io.cuh"
#include "core/pipeline/shape.h"

namespace scanlens::gpu {

/// A Job that finishes a chunk from its slot: finish() gets what the tiles before the chunk's come to, and
/// the warps before this one within the tile.
template <class Job>
concept FinishesFromSlot = requires(const Job job, std::byte* slot, const Chunk chunk,
                                    const typename Job::Carry tiles_before,
                                    const typename Job::Value warps_before) {
  job.finish(slot, chunk, tiles_before, warps_before);
};

/// A Job that holds what it needs of a chunk in registers, type Held, between reducing and finishing it:
/// after hold() the slot is free for another tile. Both calls also get the chunk's own total.
template <class Job>
concept HoldsChunks = requires(const Job job, std::byte* slot, const Chunk chunk,
                               const typename Job::Value total, typename Job::Held held,
                               const typename Job::Carry tiles_before,
                               const typename Job::Value warps_before) {
  job.hold(slot, chunk, total, held);
  job.finish(held, chunk, total, tiles_before, warps_before);
};

/// A job of the pipeline. Value is the total of a chunk. Carry is carried through a row, by default the total
/// of nothing. Members that take a slot are called by a whole warp, but for copy(); results of the type Value
/// count in lane 0.
template <class Job>
concept PipelineJob = requires(const Job job, const typename Job::Value value, typename Job::Carry carry,
                               std::byte* slot, const Chunk chunk, Barrier loaded, std::int64_t y) {
  /// True if totals may be taken in any order.
  { Job::kCommutes } -> std::convertible_to<bool>;
  /// True if blocks take tiles in order, where there are many tiles.
  { Job::kTakesTickets } -> std::convertible_to<bool>;
  /// Choices that the kernel has when it cuts the array.
  { Job::kLimits } -> std::convertible_to<const PipelineLimits&>;

  /// The size of the array, and how many elements row y begins past a 16-byte boundary.
  { job.width() } -> std::same_as<std::int64_t>;
  { job.height() } -> std::same_as<std::int64_t>;
  { job.shift(y) } -> std::same_as<int>;

  /// combine() is associative, and identity() is neutral to it.
  { job.identity() } -> std::same_as<typename Job::Value>;
  { job.combine(value, value) } -> std::same_as<typename Job::Value>;
  /// Adds a total to what is carried.
  job.carry_on(carry, value);
  /// Gets what all tiles before the last come to, and the last, by one lane of the block that has it.
  job.done(carry, value);

  /// Starts the copies of a chunk to its slot, and arrives at the barrier once.
  job.load(slot, chunk, loaded);
  /// Says, asked by one lane, whether the bulk copy engine can bring the chunk without help.
  { job.copies(chunk) } -> std::same_as<bool>;
  /// Does what load() does where copies() says so, by one lane.
  job.copy(slot, chunk, loaded);

  /// Totals the chunk in the slot.
  { job.reduce(slot, chunk) } -> std::same_as<typename Job::Value>;
  requires FinishesFromSlot<Job> || HoldsChunks<Job>;
};

/// A Job that can go over its rows from their ends: chunks and tiles are counted from there.
template <class Job>
concept ReversibleJob = requires(const Job job) {
  { job.reversed() } -> std::same_as<bool>;
};
/// A Job that may have fewer elements than it is cut for. Where width_waits() says so, the kernels ahead have
/// to be done before filled_width() is asked.
template <class Job>
concept ClippedJob = requires(const Job job) {
  { job.width_waits() } -> std::same_as<bool>;
  { job.filled_width() } -> std::same_as<std::int64_t>;
};

template <PipelineJob Job>
__device__ bool width_waits(const Job& job) {
  if constexpr (ClippedJob<Job>)
    return job.width_waits();
  else
    return false;
}

/// Multiple to which the end of a row that is scanned from there is rounded up: chunks begin on boundaries of
/// 16 bytes.
constexpr int kReversedEnd = 16;

/// Returns the `length` elements from `first` on, counted from the 16-byte boundary at or before row y, or
/// from the end of the row.
template <PipelineJob Job>
__device__ Chunk chunk_at(const Job& job, std::int64_t y, std::int64_t first, int length) {
  Chunk chunk;
  chunk.y = y;
  chunk.length = length;
  const int shift = job.shift(y);
  if constexpr (ReversibleJob<Job>)
    if (job.reversed())
      first = (job.width() + shift + kReversedEnd - 1) / kReversedEnd * kReversedEnd - first - length;
  chunk.first = first - shift;
  std::int64_t width;
  if constexpr (ClippedJob<Job>)
    width = job.filled_width();
  else
    width = job.width();
  const std::int64_t left = width - chunk.first;
  chunk.lo = chunk.first >= 0 ? 0 : static_cast<int>(min(-chunk.first, static_cast<std::int64_t>(length)));
  chunk.hi = left >= length ? length : left > 0 ? static_cast<int>(left) : 0;
  if (chunk.lo > chunk.hi) chunk.lo = chunk.hi;
  return chunk;
}

/// Returns a warp's share of a tile; `warps` warps have one each.
template <PipelineJob Job>
__device__ Chunk chunk_of(const Job& job, const PipelineShape& shape, std::int64_t tile, int warp,
                          int warps = kWorkers) {
  const std::int64_t y = shape.height == 1 ? 0 : tile / shape.tiles_per_row;
  const std::int64_t in_row = tile - y * shape.tiles_per_row;
  const std::int64_t long_tiles = min(in_row, shape.long_tiles);
  const int length = in_row < shape.long_tiles ? shape.chunk : shape.short_chunk;
  return chunk_at(
      job, y, warps * (long_tiles * shape.chunk + (in_row - long_tiles) * shape.short_chunk) + warp * length,
      length);
}

}  // namespace scanlens::gpu
