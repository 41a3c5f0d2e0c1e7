// How the blocks of a running kernel tell each other their totals: a board of tagged words in device memory.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>

#include "core/context_impl.h"
#include "core/warp.cuh"

namespace scanlens::cuda {

constexpr int kMostBlocks = 160;  ///< of a kernel that exchanges
constexpr std::size_t kWaveExchangeBytes = exchange_part::kMailboxes - exchange_part::kWaves;

/// Each block publishes one value a round. Every 32 bits of a value travel with the tag of their round in one
/// 64-bit word, so that a word read is known to be whole and of the round asked for: no fence, no flag beside
/// the data, no clearing between rounds, launches or replays of a graph. Tags count on from launch to launch:
/// every block keeps the tag it came to in device memory, and since all blocks of all launches advance
/// together, each knows the tags of the others.
///
/// A word is overwritten kRounds rounds later. Who publishes has to be sure by then that all have read it.
template <class T>
class Board {
 public:
  static constexpr int kRounds = 16;
  static constexpr int kWords = (sizeof(T) + 3) / 4;

  /// On the context's exchange, which was zeroed once.
  __device__ Board(std::byte* exchange, int blocks)
      : tags_(reinterpret_cast<unsigned*>(exchange + exchange_part::kWaves)),
        words_(reinterpret_cast<std::uint64_t*>(exchange + exchange_part::kWaves +
                                                kMostBlocks * sizeof(unsigned))),
        blocks_(blocks) {}

  static constexpr std::size_t bytes() {
    return kMostBlocks * (sizeof(unsigned) + kRounds * kWords * sizeof(std::uint64_t));
  }

  /// The tag of this block's round 0.
  __device__ unsigned first_tag() const { return tags_[blockIdx.x] + 1; }
  /// To be called once by every block, those that had nothing to publish too.
  __device__ void finish(unsigned first_tag, unsigned rounds) const {
    tags_[blockIdx.x] = first_tag - 1 + rounds;
  }

  __device__ void publish(unsigned tag, const T& value) const {
    unsigned parts[kWords] = {};
    memcpy(parts, &value, sizeof(T));
    std::uint64_t* to = slot(tag, static_cast<int>(blockIdx.x));
#pragma unroll
    for (int i = 0; i < kWords; ++i) {
      const std::uint64_t word = static_cast<std::uint64_t>(tag) << 32 | parts[i];
      asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to + i), "l"(word) : "memory");
    }
  }

  /// The words that `block` published under `tag`, or older ones. Apart from value_of, so that several loads
  /// can be on their way before the first is looked at.
  struct Words {
    std::uint64_t word[kWords];
  };
  __device__ Words load(unsigned tag, int block) const {
    const std::uint64_t* from = slot(tag, block);
    Words words;
#pragma unroll
    for (int i = 0; i < kWords; ++i)
      asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(words.word[i]) : "l"(from + i) : "memory");
    return words;
  }

  /// Whether the words are those of `tag`, and then their value.
  __device__ static bool value_of(const Words& words, unsigned tag, T& value) {
    bool whole = true;
    unsigned parts[kWords];
#pragma unroll
    for (int i = 0; i < kWords; ++i) {
      whole = whole && static_cast<unsigned>(words.word[i] >> 32) == tag;
      parts[i] = static_cast<unsigned>(words.word[i]);
    }
    if (whole) memcpy(&value, parts, sizeof(T));
    return whole;
  }

 private:
  __device__ std::uint64_t* slot(unsigned tag, int block) const {
    return words_ + (static_cast<int>(tag % kRounds) * blocks_ + block) * kWords;
  }

  unsigned* tags_;
  std::uint64_t* words_;
  int blocks_;
};

}  // namespace scanlens::cuda
