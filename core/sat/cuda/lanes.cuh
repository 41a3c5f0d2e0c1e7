// The work of a warp on a row of a summed-area table: sums over its lanes, and the row's staging in shared
// memory.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/cuda/bulk_copy.cuh"
#include "core/cuda/warp.cuh"

namespace scanlens::gpu {

/// Stores the lanes' values side by side in `stage`.
template <class S, int kCount>
__device__ void put_row(S* stage, const S (&values)[kCount], int lane) {
  constexpr int kPerChunk = 16 / sizeof(S), kChunks = kCount / kPerChunk;
  if constexpr (kCount % kPerChunk != 0) {
#pragma unroll
    for (int i = 0; i < kCount; ++i) stage[lane * kCount + i] = values[i];
  } else {
    uint4 chunks[kChunks];
    memcpy(chunks, values, sizeof(values));
    int turn = 0;
    if constexpr (kChunks % 2 == 0) {
      // The i-th chunks of the lanes would meet in the same banks, so lanes begin with different chunks.
      turn = lane * kChunks / 8 % kChunks;
#pragma unroll
      for (int step = 1; step < kChunks; step *= 2) {
        uint4 turned[kChunks];
#pragma unroll
        for (int i = 0; i < kChunks; ++i) turned[i] = turn & step ? chunks[(i + step) % kChunks] : chunks[i];
#pragma unroll
        for (int i = 0; i < kChunks; ++i) chunks[i] = turned[i];
      }
    }
    auto* to = reinterpret_cast<uint4*>(stage) + lane * kChunks;
#pragma unroll
    for (int i = 0; i < kChunks; ++i) to[(i + turn) % kChunks] = chunks[i];
  }
}

/// Replaces each value by the sum of the values that the lanes before have in its place.
template <class S, int kCount>
__device__ void warp_before(S (&values)[kCount], int lane) {
  S inclusive[kCount];
#pragma unroll
  for (int i = 0; i < kCount; ++i) inclusive[i] = values[i];
#pragma unroll
  for (int distance = 1; distance < kWarp; distance *= 2)
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      const S lower = shuffle_up(inclusive[i], distance);
      if (lane >= distance) inclusive[i] += lower;
    }
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    if constexpr (std::is_floating_point_v<S>) {
      const S before = shuffle_up(inclusive[i], 1);
      values[i] = lane > 0 ? before : S{0};
    } else {
      values[i] = inclusive[i] - values[i];
    }
  }
}

/// Values below 2^16, as sums over rows of bytes are, two per word: one addition scans or totals both.
template <int kCount>
struct Pairs {
  static constexpr int kPairs = (kCount + 1) / 2;
  std::uint32_t pair[kPairs];

  __device__ explicit Pairs(const std::uint32_t (&values)[kCount]) {
#pragma unroll
    for (int i = 0; i < kPairs; ++i)
      pair[i] = 2 * i + 1 < kCount ? values[2 * i] | values[2 * i + 1] << 16 : values[2 * i];
  }
  __device__ void unpack(std::uint32_t (&values)[kCount]) const {
#pragma unroll
    for (int i = 0; i < kCount; ++i) values[i] = i % 2 ? pair[i / 2] >> 16 : pair[i / 2] & 0xFFFF;
  }
};

template <bool kInPairs, class S, int kCount>
__device__ void warp_before_each(S (&values)[kCount], int lane) {
  if constexpr (kInPairs) {
    Pairs<kCount> pairs(values);
    warp_before(pairs.pair, lane);
    pairs.unpack(values);
  } else {
    warp_before(values, lane);
  }
}
template <bool kInPairs, class S, int kCount>
__device__ void warp_total_each(S (&values)[kCount]) {
  if constexpr (kInPairs) {
    Pairs<kCount> pairs(values);
#pragma unroll
    for (int i = 0; i < pairs.kPairs; ++i) pairs.pair[i] = warp_total(pairs.pair[i]);
    pairs.unpack(values);
  } else {
#pragma unroll
    for (int i = 0; i < kCount; ++i) values[i] = warp_total(values[i]);
  }
}

}  // namespace scanlens::gpu
