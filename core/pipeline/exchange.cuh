// How the blocks of a running kernel share out its tiles and tell each other their totals. Where tiles go by
// ticket none ever waits for a block that has not started yet, so that such a kernel may begin early
// (core/cuda/launch.cuh), and beside others on a part of the GPU: whatever runs gets to its end.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>

#include "core/cuda/launch.cuh"
#include "core/cuda/warp.cuh"
#include "core/runtime/context_impl.h"

namespace scanlens::gpu {

constexpr int kMostBlocks = 160;   ///< of a kernel that exchanges
constexpr int kTicketBytes = 128;  ///< of the counters behind tickets: a cache line of their own

/// Where the blocks of waves meet: tickets and epochs, and the words of their boards.
inline constexpr MeetingPlace kWaveExchange{}, kWaveWords{};

/// Tickets, and behind them a word for each block.
inline std::byte* wave_exchange(Context& context) {
  return context.impl().meeting_memory(kWaveExchange, kTicketBytes + kMostBlocks * sizeof(unsigned));
}

/// Numbers the blocks of a kernel in the order in which they start, and hands out its tiles in the order in
/// which they ask: whoever has a tile knows that those of lower numbers are with blocks that run. All kernels
/// of a context that ask here have the same number of blocks. Nothing has to be cleared between them.
class Tickets {
 public:
  /// On wave_exchange().
  __device__ explicit Tickets(std::byte* exchange) : counters_(reinterpret_cast<Counters*>(exchange)) {}

  struct Start {
    unsigned place;  ///< among the blocks, in the order in which they started
    unsigned epoch;  ///< of the launch, odd
  };
  /// Once for every block, before the next kernel may begin (core/cuda/launch.cuh).
  __device__ Start start() const {
    const unsigned long long before = atomicAdd(&counters_->starts, 1ull);
    const unsigned long long launches = before / gridDim.x;
    return {static_cast<unsigned>(before - launches * gridDim.x), 2 * static_cast<unsigned>(launches) + 1};
  }

  /// The block's first tile, of `tiles`; from `tiles` on: there is none. Once for every block, before the
  /// next kernel may begin. Of the kernels ahead that ask for tiles, only the last may still run.
  __device__ std::int64_t first(std::int64_t tiles) const {
    const Asked before(atomicAdd(&counters_->asked, kOneBlock));
    if (before.blocks < 0) return tiles;  // the others have done everything already
    const int blocks = static_cast<int>(gridDim.x);
    return before.blocks < blocks ? std::int64_t{before.blocks} + before.again : before.blocks - blocks;
  }
  /// Another one, after await_previous_kernel(). Every block asks until there is none, and then no more.
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
  /// How many blocks asked for their first tile, and how often they asked again. From `gridDim.x` blocks on,
  /// the others are of the next launch.
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
  /// On wave_exchange().
  __device__ explicit Epochs(std::byte* exchange)
      : last_(reinterpret_cast<unsigned*>(exchange + kTicketBytes) + blockIdx.x) {}

  /// Of this launch: even, not 0.
  __device__ unsigned now() const {
    const unsigned last = *last_;
    return last < 0u - 2 ? last + 2 : 2;
  }
  /// Once for every block, after the last now() in it.
  __device__ void finish(unsigned epoch) const { *last_ = epoch; }

 private:
  unsigned* last_;
};

/// Every tile publishes one value. Every 32 bits of it travel with the epoch of the launch in one 64-bit
/// word, so that a word read is known to be whole and of this launch (or of that 2^31 launches ago): no
/// fence, no flag beside the data, no clearing between launches or replays of a graph. Every tile has words
/// of its own, which no other overwrites.
template <class T>
class Board {
 public:
  static constexpr int kWords = (sizeof(T) + 3) / 4;

  /// On memory from board_words().
  __device__ Board(std::uint64_t* words, unsigned epoch) : words_(words), epoch_(epoch) {}

  __device__ void publish(std::int64_t tile, const T& value) const {
    unsigned parts[kWords] = {};
    memcpy(parts, &value, sizeof(T));
    std::uint64_t* to = words_ + tile * kWords;
#pragma unroll
    for (int i = 0; i < kWords; ++i) {
      const std::uint64_t word = static_cast<std::uint64_t>(epoch_) << 32 | parts[i];
      asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to + i), "l"(word) : "memory");
    }
  }

  /// The words that a tile published, or older ones. Apart from value_of, so that several loads can be on
  /// their way before the first is looked at.
  struct Words {
    std::uint64_t word[kWords];
  };
  __device__ Words load(std::int64_t tile) const {
    const std::uint64_t* from = words_ + tile * kWords;
    Words words;
#pragma unroll
    for (int i = 0; i < kWords; ++i)
      asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(words.word[i]) : "l"(from + i) : "memory");
    return words;
  }

  /// Whether the words are of this launch, and then their value.
  __device__ bool value_of(const Words& words, T& value) const {
    bool whole = true;
    unsigned parts[kWords];
#pragma unroll
    for (int i = 0; i < kWords; ++i) {
      whole = whole && static_cast<unsigned>(words.word[i] >> 32) == epoch_;
      parts[i] = static_cast<unsigned>(words.word[i]);
    }
    if (whole) memcpy(&value, parts, sizeof(T));
    return whole;
  }

 private:
  std::uint64_t* words_;
  unsigned epoch_;
};

/// The words of a board for so many tiles.
template <class T>
std::uint64_t* board_words(Context& context, std::int64_t tiles) {
  const std::int64_t words = tiles * Board<T>::kWords;
  return reinterpret_cast<std::uint64_t*>(
      kept_words(context, kWaveWords, words * static_cast<std::int64_t>(sizeof(std::uint64_t))));
}

/// By one warp: the values of `blocks` neighbouring tiles, the window, and with kWindows 2 of as many after
/// them, read as they are published. What they come to does not depend on when which were read.
template <int kWindows, class Value, class Combine>
class Window {
 public:
  __device__ Window(const Board<Value>& board, int blocks, Value identity, bool commutative, Combine combine)
      : board_(board), blocks_(blocks), identity_(identity), commutative_(commutative), combine_(combine) {}

  __device__ std::int64_t first() const { return first_; }

  /// Waits for the first `count` tiles. All words are asked for side by side: a lane takes every 32nd.
  __device__ void read(int count) {
    typename Board<Value>::Words words[kLoads];
    unsigned missing = 0;
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      const bool held = position(i) < blocks_ * (i / kLoadsEach + 1);
      if (held && position(i) >= read_ && position(i) < count) missing |= 1u << i;
    }
    while (missing) {
#pragma unroll
      for (int i = 0; i < kLoads; ++i)
        if (missing >> i & 1) words[i] = board_.load(first_ + position(i));
#pragma unroll
      for (int i = 0; i < kLoads; ++i)
        if ((missing >> i & 1) && board_.value_of(words[i], values_[i])) missing &= ~(1u << i);
    }
    read_ = max(read_, count);
    __syncwarp();
  }

  /// The total of the tiles from `begin` to before `end` of the i-th window, counted from its first, all
  /// read, in lane 0.
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

  /// To tiles of which none was read. `first` may be before the first tile of all.
  __device__ void move_to(std::int64_t first) {
    first_ = first;
    read_ = first < 0 ? static_cast<int>(-first) : 0;
  }
  __device__ void move_on() {
    first_ += blocks_;
    read_ = max(read_ - blocks_, 0);
#pragma unroll
    for (int i = kLoadsEach; i < kLoads; ++i) values_[i - kLoadsEach] = values_[i];
  }

 private:
  static constexpr int kLoadsEach = kMostBlocks / kWarp, kLoads = kWindows * kLoadsEach;

  /// In the window, of the lane's i-th value.
  __device__ int position(int i) const {
    return i / kLoadsEach * blocks_ + i % kLoadsEach * kWarp + static_cast<int>(threadIdx.x) % kWarp;
  }

  const Board<Value>& board_;
  int blocks_;
  Value identity_;
  bool commutative_;
  Combine combine_;
  std::int64_t first_ = 0;
  int read_ = 0;
  Value values_[kLoads];
};

}  // namespace scanlens::gpu
