// The service warps of a block of the pipeline: the publisher tells the other blocks what the block's tiles
// come to, and the carrier finds out what stands before them.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "core/pipeline/exchange.cuh"
#include "core/pipeline/shared.cuh"

namespace scanlens::gpu {

/// Returns the launch's epoch; 0 where tiles do not exchange. Without tickets publish() and carry() each read
/// it, so that the block's warps do not wait for it when they meet.
template <PipelineJob Job, bool kByTicket>
__device__ unsigned epoch_of([[maybe_unused]] const PipelineShape& shape,
                             [[maybe_unused]] const PipelineShared<Job, kByTicket>& shared,
                             [[maybe_unused]] std::byte* exchange) {
  if constexpr (kByTicket)
    return shared.epoch;
  else
    return shape.exchanges() ? Epochs(exchange).now() : 0;
}

/// Puts the warps' totals of each tile together and publishes the tile's.
template <PipelineJob Job, bool kByTicket>
__device__ void publish(const Job& job, const PipelineShape& shape, PipelineShared<Job, kByTicket>& shared,
                        std::byte* exchange, std::uint64_t* words) {
  const unsigned epoch = epoch_of(shape, shared, exchange);
  const TileStates<typename Job::Value> states(words, epoch);
  const int tiles = most_tiles<kByTicket>(shape);
  for (int k = 0; k < tiles; ++k) {
    const std::int64_t tile = shared.await_number(k);
    if (kByTicket && tile >= shape.tiles) break;
    shared.reduced[k % kDepth].wait(k / kDepth);
    const typename Job::Value total = total_of_warps(job, shared, k, kWorkers);
    if (threadIdx.x % kWarp == 0) states.publish(tile, total);
    __syncwarp();
  }
  if constexpr (!kByTicket) {
    // The next epoch is not left before carry() has read this one.
    if (tiles > 0) shared.prefixed[(tiles - 1) % kDepth].wait((tiles - 1) / kDepth);
    if (threadIdx.x % kWarp == 0) Epochs(exchange).finish(epoch);
  }
}

/// The value before the first tile of a row.
template <PipelineJob Job>
__device__ typename Job::Carry begun(const Job& job) {
  if constexpr (requires { job.begin(); })
    return job.begin();
  else
    return {};
}

/// Finds out, by one warp, what stands before tiles that are asked for in order; lane 0 knows it.
template <PipelineJob Job, bool kByTicket>
class Carrier {
 public:
  using Value = typename Job::Value;
  using Carry = typename Job::Carry;

  __device__ Carrier(const Job& job, const PipelineShape& shape, const TileStates<Value>& states)
      : job_(job),
        shape_(shape),
        blocks_(static_cast<int>(gridDim.x)),
        window_(states, blocks_, job.identity(), Job::kCommutes, Combine{job}),
        begin_(begun(job)) {}

  /// Returns what stands before every tile where there is no exchange.
  __device__ const Carry& begin() const { return begin_; }
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

  /// Carries the total from one tile of the block to its next, `blocks_` further on.
  __device__ Carry before_own(std::int64_t tile) {
    window_.move_to(tile - blocks_);
    window_.read(blocks_);
    const int none = tile < blocks_ ? blocks_ - static_cast<int>(tile) : 0;
    return before_window_ = carried(tile, window_.total(0, max(row_begin(0, tile), none), blocks_));
  }

  /// Carries the total from window to window, and from there to the tile.
  __device__ Carry before_any(std::int64_t tile) {
    for (; tile - window_.first() >= 2 * blocks_; window_.move_on()) {
      const std::int64_t next = window_.first() + blocks_;
      window_.read(blocks_);
      before_window_ = carried(next, window_.total(0, row_begin(0, next), blocks_));
    }
    const int end = static_cast<int>(tile - window_.first());
    window_.read(end);
    if (end < blocks_) return carried(tile, window_.total(0, row_begin(0, tile), end));
    // Both totals are taken before either is used: the shuffles of one fill the waiting time of the other's.
    const std::int64_t next = window_.first() + blocks_;
    const Value window = window_.total(0, row_begin(0, next), blocks_);
    const Value rest = window_.total(1, row_begin(blocks_, tile), end - blocks_);
    before_window_ = carried(next, window);
    window_.move_on();
    return carried(tile, rest);
  }

  __device__ std::int64_t row_start(std::int64_t tile) const {
    return shape_.height == 1 ? 0 : tile / shape_.tiles_per_row * shape_.tiles_per_row;
  }
  /// Returns where the row of a tile begins, counted from `skipped` tiles after the window's first; not less
  /// than 0.
  __device__ int row_begin(int skipped, std::int64_t tile) const {
    return static_cast<int>(max(row_start(tile) - window_.first() - skipped, std::int64_t{0}));
  }
  /// Returns what stands before a tile, given what the tiles of its row and window come to.
  __device__ Carry carried(std::int64_t tile, const Value& total) const {
    Carry carry = row_start(tile) < window_.first() ? before_window_ : begin_;
    job_.carry_on(carry, total);
    return carry;
  }

  const Job& job_;
  const PipelineShape& shape_;
  int blocks_;
  Window<kByTicket ? 2 : 1, Value, Combine> window_;
  Carry begin_;
  Carry before_window_;  ///< what stands before the window, of the row of its first tile
};

/// Carries the total from tile to tile. By ticket, takes the block's tiles too, as many ahead as there are
/// slots.
template <PipelineJob Job, bool kByTicket>
__device__ void carry(const Job& job, const PipelineShape& shape, PipelineShared<Job, kByTicket>& shared,
                      const Tickets& tickets, std::byte* exchange, std::uint64_t* words) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  std::int64_t newest = shared.numbers[0];  // what lane 0 took last
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
  const TileStates<typename Job::Value> states(words, epoch_of(shape, shared, exchange));
  Carrier<Job, kByTicket> carrier(job, shape, states);
  const int tiles = most_tiles<kByTicket>(shape);
  for (int k = 0; k < tiles; ++k) {
    const std::int64_t tile = shared.await_number(k);
    if (kByTicket && tile >= shape.tiles) break;
    if (kByTicket && lane == 0) take();  // this takes as long as to read a total
    const typename Job::Carry total = shape.exchanges() ? carrier.before(tile) : carrier.begin();
    // The carrier is never ahead of the workers, who count the completions of the barriers by turns.
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

}  // namespace scanlens::gpu
