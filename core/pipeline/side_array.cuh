// One byte for each element, loaded beside the elements of a chunk: flags and heads.
#pragma once

#include "core/cuda/barrier.cuh"
#include "core/cuda/warp.cuh"
#include "core/pipeline/chunk_io.cuh"

namespace scanlens::gpu {

/// The bytes need not stand on the boundaries that the elements stand on: a chunk's bytes keep their distance
/// from the 16-byte boundary before them, which takes this much more of the slot.
constexpr int kSideExtra = 32;

/// A word for each lane at the end of a slot. Reducing a chunk leaves a bit there for each of the lane's
/// elements, so that finishing need not find out again.
constexpr int kLaneWords = kWarp * static_cast<int>(sizeof(unsigned));
template <class Bytes>
__device__ unsigned& lane_word(Bytes* slot, int chunk_bytes) {
  return reinterpret_cast<unsigned*>(slot + chunk_bytes)[threadIdx.x % kWarp];
}

struct SideBytes {
  const std::uint8_t* data;  ///< the byte of element `first` of the chunk

  __device__ SideBytes(const std::uint8_t* array, const Chunk& chunk) : data(array + chunk.first) {}
  __device__ int past_boundary() const {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(data) % 16);
  }

  __device__ unsigned bulk_bytes(const Chunk& chunk) const {
    return gpu::bulk_bytes(data - past_boundary(), chunk.lo + past_boundary(), chunk.hi + past_boundary());
  }
  /// `to` stands on a 16-byte boundary.
  __device__ void load(std::byte* to, const Chunk& chunk, Barrier& loaded) const {
    load_elements(reinterpret_cast<std::uint8_t*>(to), data - past_boundary(), chunk.lo + past_boundary(),
                  chunk.hi + past_boundary(), loaded);
  }

  /// A bit for each of the N elements from `first` on whose byte, loaded to `from`, is not 0. May look at,
  /// and ignores, up to seven bytes behind them.
  template <int N>
  __device__ unsigned bits(const std::byte* from, int first) const {
    const int at = past_boundary() + first;
    const auto* words = reinterpret_cast<const unsigned*>(from) + at / 4;
    const unsigned bytes = __funnelshift_r(words[0], words[1], 8 * (at % 4));
    // The top bit of each byte that is not 0; then the four of them side by side, by a multiplication whose
    // partial products do not meet.
    const unsigned set = (bytes | ((bytes & 0x7F7F7F7Fu) + 0x7F7F7F7Fu)) & 0x80808080u;
    return ((set >> 7) * 0x10204080u >> 28) & ((1u << N) - 1);
  }
};

}  // namespace scanlens::gpu
