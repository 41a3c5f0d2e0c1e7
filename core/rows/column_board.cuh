// Where the blocks of a column scan publish the totals of their tiles.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>

#include "core/runtime/context_impl.h"

namespace scanlens::gpu {

inline constexpr MeetingPlace kColumnExchange{};

/// As on core/pipeline/exchange.cuh's board every 32 bits of a value travel with a tag in one 64-bit word, so
/// that a word read is known to be whole and of the round asked for. Tags count on from launch to launch, and
/// leave out 0, which words hold that nobody wrote. A round has a value for every band and column.
///
/// The caller sees to it that rounds are read before they are overwritten, kRounds later.
template <class T>
class ColumnBoard {
 public:
  static constexpr int kRounds = 8;
  static constexpr int kWords = sizeof(T) / 4;
  static constexpr int kMostBlocks = 512;
  static constexpr std::size_t kBytes = 512 * 1024;  ///< of the memory, first the blocks' tags
  static constexpr std::size_t kTagBytes = kMostBlocks * sizeof(unsigned);
  static constexpr std::size_t kMostValues =
      (kBytes - kTagBytes) / (kRounds * kWords * sizeof(std::uint64_t));

  /// For `values` a round, at most kMostValues.
  __device__ ColumnBoard(std::byte* exchange, int values, unsigned rounds)
      : tag_(reinterpret_cast<unsigned*>(exchange) + blockIdx.x),
        words_(reinterpret_cast<std::uint64_t*>(exchange + kTagBytes)),
        round_words_(values * kWords),
        first_tag_(*tag_ <= ~0u - rounds ? *tag_ + 1 : 1) {}

  /// By one thread of every block, once all have constructed theirs: all blocks of all launches advance
  /// together.
  __device__ void finish(unsigned rounds) const { *tag_ = first_tag_ - 1 + rounds; }

  struct Words {
    std::uint64_t word[kWords];
  };

  __device__ void publish(int round, int place, T value) const {
    unsigned halves[kWords];
    memcpy(halves, &value, sizeof(T));
    std::uint64_t* to = words_at(round, place);
#pragma unroll
    for (int i = 0; i < kWords; ++i)
      store(to + i, static_cast<std::uint64_t>(tag_of(round)) << 32 | halves[i]);
  }

  /// What is there, perhaps not yet what is wanted. Apart from wait(), so that other work can be done
  /// meanwhile.
  __device__ Words look(int round, int place) const {
    Words words;
    const std::uint64_t* from = words_at(round, place);
#pragma unroll
    for (int i = 0; i < kWords; ++i) words.word[i] = load(from + i);
    return words;
  }

  /// The value published, once it is there.
  __device__ T wait(Words words, int round, int place) const {
    while (!complete(words, round)) words = look(round, place);
    unsigned halves[kWords];
#pragma unroll
    for (int i = 0; i < kWords; ++i) halves[i] = static_cast<unsigned>(words.word[i]);
    T value;
    memcpy(&value, halves, sizeof(T));
    return value;
  }

 private:
  __device__ unsigned tag_of(int round) const {
    return first_tag_ + static_cast<unsigned>(round);
  }
  __device__ std::uint64_t* words_at(int round, int place) const {
    return words_ + (round % kRounds * round_words_ + place * kWords);
  }
  __device__ bool complete(const Words& words, int round) const {
    bool complete = true;
#pragma unroll
    for (int i = 0; i < kWords; ++i)
      complete = complete && static_cast<unsigned>(words.word[i] >> 32) == tag_of(round);
    return complete;
  }

  static __device__ void store(std::uint64_t* to, std::uint64_t word) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(word) : "memory");
  }
  static __device__ std::uint64_t load(const std::uint64_t* from) {
    std::uint64_t word;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(from) : "memory");
    return word;
  }

  unsigned* tag_;
  std::uint64_t* words_;
  int round_words_;
  unsigned first_tag_;
};

}  // namespace scanlens::gpu
