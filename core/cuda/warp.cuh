// Work that the 32 lanes of a warp do together, for any trivially copyable type. Every lane has to take part.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/operators.h"

namespace scanlens::gpu {

constexpr int kWarp = 32;
constexpr unsigned kAllLanes = 0xFFFFFFFFu;

/// Applies `move` to each 32-bit word of a value.
template <class T, class Move>
__device__ T by_words(const T& value, Move move) {
  constexpr int kWords = (sizeof(T) + 3) / 4;
  unsigned words[kWords] = {};
  memcpy(words, &value, sizeof(T));
#pragma unroll
  for (int i = 0; i < kWords; ++i) words[i] = move(words[i]);
  T moved;
  memcpy(&moved, words, sizeof(T));
  return moved;
}

template <class T>
__device__ T shuffle(const T& value, int lane) {
  return by_words(value, [lane](unsigned word) { return __shfl_sync(kAllLanes, word, lane); });
}
template <class T>
__device__ T shuffle_up(const T& value, int distance) {
  return by_words(value, [distance](unsigned word) { return __shfl_up_sync(kAllLanes, word, distance); });
}
template <class T>
__device__ T shuffle_down(const T& value, int distance) {
  return by_words(value, [distance](unsigned word) { return __shfl_down_sync(kAllLanes, word, distance); });
}
template <class T>
__device__ T shuffle_xor(const T& value, int mask) {
  return by_words(value, [mask](unsigned word) { return __shfl_xor_sync(kAllLanes, word, mask); });
}

/// value of lane 0 op … op value of this lane. Hillis and Steele: five steps, in the order of the lanes.
template <class T, class Op>
__device__ T warp_inclusive_scan(T value, Op op) {
  const int lane = threadIdx.x % kWarp;
#pragma unroll
  for (int distance = 1; distance < kWarp; distance *= 2) {
    const T before = shuffle_up(value, distance);
    if (lane >= distance) value = op(before, value);
  }
  return value;
}

/// value of lane 0 op … op value of lane N - 1, a power of two, in lane 0 only; operands keep the order of
/// the lanes.
template <int N = kWarp, class T, class Op>
__device__ T warp_reduce(T value, Op op) {
#pragma unroll
  for (int distance = 1; distance < N; distance *= 2) value = op(value, shuffle_down(value, distance));
  return value;
}

/// The sum of all lanes' values, in every lane.
template <class T>
__device__ T warp_total(T value) {
#if __CUDA_ARCH__ >= 800
  if constexpr (std::is_same_v<T, std::uint32_t>) return __reduce_add_sync(kAllLanes, value);
#endif
  return shuffle(warp_reduce(value, Sum{}), 0);
}

/// Adds the value of the lane `distance` before, among each kWidth lanes.
template <int kWidth = kWarp>
__device__ std::uint32_t add_before(std::uint32_t value, int distance) {
  std::uint32_t sum;
  asm volatile(
      "{\n"
      ".reg .pred inside;\n"
      ".reg .u32 other;\n"
      "shfl.sync.up.b32 other|inside, %1, %2, %3, 0xFFFFFFFF;\n"
      "mov.u32 %0, %1;\n"
      "@inside add.u32 %0, %0, other;\n"
      "}"
      : "=r"(sum)
      : "r"(value), "r"(distance), "n"((kWarp - kWidth) << 8));
  return sum;
}

}  // namespace scanlens::gpu
