// The tile states of a column scan on CUDA: words in which blocks publish the totals of their tiles.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "core/cuda/published.cuh"
#include "core/runtime/device.h"

namespace scanlens::gpu {

inline constexpr MeetingPlace kColumnExchange{};

/// The totals of the tiles of each round: a value per band and column, published under the tag of the round.
/// Tags count on from launch to launch, and leave out 0, which words hold that nobody wrote.
///
/// The caller sees to it that rounds are read before they are overwritten, kRounds later.
template <class T>
class ColumnStates {
 public:
  using State = Published<T>;
  static constexpr int kRounds = 8;
  static constexpr int kMostBlocks = 512;
  static constexpr std::size_t kBytes = 512 * 1024;  ///< of device memory; the blocks' tags come first
  static constexpr std::size_t kTagBytes = kMostBlocks * sizeof(unsigned);
  static constexpr std::size_t kMostValues =
      (kBytes - kTagBytes) / (kRounds * State::kWords * sizeof(std::uint64_t));

  /// Has room for `values` per round, at most kMostValues.
  __device__ ColumnStates(std::byte* exchange, int values, unsigned rounds)
      : tag_(reinterpret_cast<unsigned*>(exchange) + blockIdx.x),
        words_(reinterpret_cast<std::uint64_t*>(exchange + kTagBytes)),
        round_words_(values * State::kWords),
        first_tag_(*tag_ <= ~0u - rounds ? *tag_ + 1 : 1) {}

  /// Leaves the tag of the last round for the next launch. One thread of every block makes this call, so that
  /// the tags of all blocks stay equal. By then all threads of the block have constructed their ColumnStates.
  __device__ void finish(unsigned rounds) const { *tag_ = first_tag_ - 1 + rounds; }

  __device__ void publish(int round, int place, const T& value) const {
    State::store(words_at(round, place), value, tag_of(round));
  }

  /// Loads what the words hold, perhaps not yet the value. The caller can do other work before it waits.
  __device__ State load(int round, int place) const { return State::load(words_at(round, place)); }

  /// Waits until the words hold the value, unless `state` does already, and returns it.
  __device__ T wait(State state, int round, int place) const {
    while (!state.holds(tag_of(round))) state = load(round, place);
    return state.value();
  }

 private:
  __device__ unsigned tag_of(int round) const { return first_tag_ + static_cast<unsigned>(round); }
  __device__ std::uint64_t* words_at(int round, int place) const {
    return words_ + (round % kRounds * round_words_ + place * State::kWords);
  }

  unsigned* tag_;
  std::uint64_t* words_;
  int round_words_;
  unsigned first_tag_;
};

}  // namespace scanlens::gpu
