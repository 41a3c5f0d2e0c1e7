// The exchange: how the blocks of a running kernel share out its tiles and tell each other their totals.
// Where tiles go by ticket no block ever waits for one that has not started yet. Such a kernel may therefore
// begin early (core/cuda/launch.cuh), and beside others on a part of the GPU: whatever runs gets to its end.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "core/cuda/launch.cuh"
#include "core/cuda/published.cuh"
#include "core/cuda/warp.cuh"
#include "core/runtime/device.h"

namespace scanlens::gpu {

constexpr int kMostBlocks = 160;   ///< blocks of a kernel that exchanges totals
constexpr int kTicketBytes = 128;  ///< bytes of the counters behind tickets: a cache line of their own

/// Meeting place of a pipeline's blocks: tickets, epochs, and the states of their tiles.
inline constexpr MeetingPlace kPipelineExchange{}, kTileStates{};

/// Returns the counters behind tickets and, after them, the epoch of each block.
inline std::byte* pipeline_exchange(Context& context) {
  return meeting_memory(context, kPipelineExchange, kTicketBytes + kMostBlocks * sizeof(unsigned));
}

/// Numbers the blocks of a kernel in the order in which they start, and hands out its tiles in the order in
/// which they ask: so the tiles of lower numbers are with blocks that run. All kernels of a context that ask
/// here have the same number of blocks. Nothing has to be cleared between them.
class Tickets {
 public:
  /// Works on pipeline_exchange().
  __device__ explicit Tickets(std::byte* exchange) : counters_(reinterpret_cast<Counters*>(exchange)) {}

  struct Start {
    unsigned place;  ///< among the blocks, in the order in which they started
    unsigned epoch;  ///< the launch's, odd
  };
  /// Called once by every block, before the next kernel may begin (core/cuda/launch.cuh).
  __device__ Start start() const {
    const unsigned long long before = atomicAdd(&counters_->starts, 1ull);
    const unsigned long long launches = before / gridDim.x;
    return {static_cast<unsigned>(before - launches * gridDim.x), 2 * static_cast<unsigned>(launches) + 1};
  }

  /// Returns the block's first tile, of `tiles`; `tiles` or more means no tile. Called once by every block,
  /// before the next kernel may begin. Of the kernels ahead that ask for tiles, only the last may still run.
  __device__ std::int64_t first(std::int64_t tiles) const {
    const Asked before(atomicAdd(&counters_->asked, kOneBlock));
    if (before.blocks < 0) return tiles;  // the others have done everything already
    const int blocks = static_cast<int>(gridDim.x);
    return before.blocks < blocks ? std::int64_t{before.blocks} + before.again : before.blocks - blocks;
  }
  /// Returns one more, after await_previous_kernel(). Every block asks until no tile is left, and then no
  /// more.
  __device__ std::int64_t next(std::int64_t tiles) const {
    const Asked before(atomicAdd(&counters_->asked, 1ull));
    // A block asks again once for each tile that it got, so this was the last time in this launch. Blocks
    // that start only now make up for what is taken off.
    if (before.again == tiles - 1)
      atomicAdd(&counters_->asked, 0 - (gridDim.x * kOneBlock + static_cast<unsigned long long>(tiles)));
    return std::int64_t{min(before.blocks, static_cast<int>(gridDim.x))} + before.again;
  }

 private:
  static constexpr unsigned long long kOneBlock = 1ull << 32;
  /// Counts the blocks that asked for their first tile, and the tiles that were asked for after it. Blocks
  /// from number `gridDim.x` on belong to the next launch.
  struct Asked {
    int blocks;
    unsigned again;
    __device__ explicit Asked(unsigned long long both)
        : blocks(static_cast<int>(both >> 32)), again(static_cast<unsigned>(both)) {}
  };
  struct Counters {
    unsigned long long starts, asked;
  };
  static_assert(sizeof(Counters) <= kTicketBytes);

  Counters* counters_;
};

/// The epochs of launches that need no tickets, because all of their blocks run at once: a word for each
/// block, which it alone reads and writes. All such launches of a context have the same number of blocks, so
/// that the words are in step. What the first publication waits for is a load, not an addition that all
/// blocks queue up for.
class Epochs {
 public:
  /// Works on pipeline_exchange().
  __device__ explicit Epochs(std::byte* exchange)
      : last_(reinterpret_cast<unsigned*>(exchange + kTicketBytes) + blockIdx.x) {}

  /// Returns this launch's: even, not 0.
  __device__ unsigned now() const {
    const unsigned last = *last_;
    return last < 0u - 2 ? last + 2 : 2;
  }
  /// Called once by every block, after the last now() in it.
  __device__ void finish(unsigned epoch) const { *last_ = epoch; }

 private:
  unsigned* last_;
};

/// The total of every tile, published under the epoch of the launch. The epoch tells it apart from words of
/// earlier launches (but for that 2^31 launches ago). Every tile has its own words. Nothing is cleared
/// between launches or replays of a graph.
template <class T>
class TileStates {
 public:
  using State = Published<T>;

  /// Works on memory from tile_state_words().
  __device__ TileStates(std::uint64_t* words, unsigned epoch) : words_(words), epoch_(epoch) {}

  __device__ void publish(std::int64_t tile, const T& value) const {
    State::store(words_ + tile * State::kWords, value, epoch_);
  }
  /// Loads what a tile published, or what lay there before.
  __device__ State load(std::int64_t tile) const { return State::load(words_ + tile * State::kWords); }
  /// Says whether a state that was loaded is of this launch, and then gives its value.
  __device__ bool value_of(const State& state, T& value) const { return state.value_if(epoch_, value); }

 private:
  std::uint64_t* words_;
  unsigned epoch_;
};

/// Returns the words of the states of `tiles` tiles.
template <class T>
std::uint64_t* tile_state_words(Context& context, std::int64_t tiles) {
  const std::int64_t words = tiles * Published<T>::kWords;
  return reinterpret_cast<std::uint64_t*>(
      kept_words(context, kTileStates, words * static_cast<std::int64_t>(sizeof(std::uint64_t))));
}

/// States that one warp has read, of `blocks` neighbouring tiles (the window), and with kWindows 2 of as many
/// after them. Their total does not depend on the order of reading.
template <int kWindows, class Value, class Combine>
class Window {
 public:
  __device__ Window(const TileStates<Value>& states, int blocks, Value identity, bool commutative,
                    Combine combine)
      : states_(states), blocks_(blocks), identity_(identity), commutative_(commutative), combine_(combine) {}

  __device__ std::int64_t first() const { return first_; }

  /// Waits for the first `count` tiles. All states are asked for side by side: a lane takes every 32nd.
  __device__ void read(int count) {
    typename TileStates<Value>::State states[kLoads];
    unsigned missing = 0;
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      const bool held = position(i) < blocks_ * (i / kLoadsEach + 1);
      if (held && position(i) >= read_ && position(i) < count) missing |= 1u << i;
    }
    while (missing) {
#pragma unroll
      for (int i = 0; i < kLoads; ++i)
        if (missing >> i & 1) states[i] = states_.load(first_ + position(i));
#pragma unroll
      for (int i = 0; i < kLoads; ++i)
        if ((missing >> i & 1) && states_.value_of(states[i], values_[i])) missing &= ~(1u << i);
    }
    read_ = max(read_, count);
    __syncwarp();
  }

  /// Returns the total of the tiles from `begin` to before `end` of the i-th window, counted from its first,
  /// all read, in lane 0.
  __device__ Value total(int window, int begin, int end) const {
    Value total = identity_;
#pragma unroll
    for (int i = 0; i < kLoadsEach; ++i) {
      const int position = i * kWarp + static_cast<int>(threadIdx.x) % kWarp;
      const bool counts = position >= begin && position < end;
      Value value = counts ? values_[window * kLoadsEach + i] : identity_;
      if (!commutative_) value = warp_reduce(value, combine_);
      total = combine_(total, value);
    }
    return commutative_ ? warp_reduce(total, combine_) : total;
  }

  /// Moves to tiles that were not read yet. `first` may be before the first tile of all.
  __device__ void move_to(std::int64_t first) {
    first_ = first;
    read_ = first < 0 ? static_cast<int>(-first) : 0;
  }
  /// Moves on by one window.
  __device__ void move_on() {
    first_ += blocks_;
    read_ = max(read_ - blocks_, 0);
#pragma unroll
    for (int i = kLoadsEach; i < kLoads; ++i) values_[i - kLoadsEach] = values_[i];
  }

 private:
  static constexpr int kLoadsEach = kMostBlocks / kWarp, kLoads = kWindows * kLoadsEach;

  /// Returns the place in the window of the lane's i-th value.
  __device__ int position(int i) const {
    return i / kLoadsEach * blocks_ + i % kLoadsEach * kWarp + static_cast<int>(threadIdx.x) % kWarp;
  }

  const TileStates<Value>& states_;
  int blocks_;
  Value identity_;
  bool commutative_;
  Combine combine_;
  std::int64_t first_ = 0;
  int read_ = 0;
  Value values_[kLoads];
};

}  // namespace scanlens::gpu
