// The least and the greatest of the lanes of a warp: one instruction per word, from Ampere on.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/cuda/warp.cuh"

namespace scanlens::gpu {

/// An integer in the same order as the values, NaN apart; -0 comes before +0.
template <class T>
__device__ auto ordered(T value) {
  if constexpr (std::is_same_v<T, float>) {
    const int bits = __float_as_int(value);
    return bits ^ (bits >> 31 & 0x7FFFFFFF);
  } else if constexpr (std::is_same_v<T, double>) {
    const long long bits = __double_as_longlong(value);
    return bits ^ (bits >> 63 & 0x7FFFFFFFFFFFFFFF);
  } else if constexpr (sizeof(T) < sizeof(int)) {
    return static_cast<int>(value);
  } else {
    return value;
  }
}
/// Returns the float again: the sign bit stays, so that the bits are flipped by the same rule.
template <class T, class Integer>
__device__ T from_ordered(Integer order) {
  if constexpr (std::is_same_v<T, float>)
    return __int_as_float(ordered(__int_as_float(order)));
  else if constexpr (std::is_same_v<T, double>)
    return __longlong_as_double(ordered(__longlong_as_double(order)));
  else
    return static_cast<T>(order);
}

/// Integers of 64 bits take two steps: the high halves, then the low ones of those that have the least high
/// half.
template <class Integer>
__device__ Integer warp_least(Integer mine) {
  if constexpr (sizeof(Integer) > 4) {
    using High = std::conditional_t<std::is_signed_v<Integer>, int, unsigned>;
    const auto high = static_cast<High>(mine >> 32);
    const High least = warp_least(high);
    const unsigned low = warp_least(high == least ? static_cast<unsigned>(mine) : 0xFFFFFFFFu);
    return static_cast<Integer>(static_cast<std::uint64_t>(least) << 32 | low);
  } else {
#if __CUDA_ARCH__ >= 800
    return __reduce_min_sync(kAllLanes, mine);
#else
#pragma unroll
    for (int distance = kWarp / 2; distance > 0; distance /= 2) {
      const Integer other = shuffle_xor(mine, distance);
      mine = other < mine ? other : mine;
    }
    return mine;
#endif
  }
}
template <class Integer>
__device__ Integer warp_greatest(Integer mine) {
  return ~warp_least(static_cast<Integer>(~mine));
}

}  // namespace scanlens::gpu
