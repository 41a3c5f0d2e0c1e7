// Half and BFloat16: floats of 16 bits, to keep values in. Arithmetic on them is done in float.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/held/half_bits.h"

namespace scanlens {

/// IEEE 754 binary16: CUDA's __half, torch.float16, numpy.float16.
struct Half {
  std::uint16_t bits;

  Half() = default;
  SCANLENS_HOST_DEVICE explicit Half(float value) : bits(half_bits::from_float(value)) {}
  SCANLENS_HOST_DEVICE explicit operator float() const { return half_bits::to_float(bits); }
};

/// The upper half of a float: CUDA's __nv_bfloat16, torch.bfloat16.
struct BFloat16 {
  std::uint16_t bits;

  BFloat16() = default;
  SCANLENS_HOST_DEVICE explicit BFloat16(float value) : bits(half_bits::brain_from_float(value)) {}
  SCANLENS_HOST_DEVICE explicit operator float() const {
    return half_bits::same_bits<float>(static_cast<std::uint32_t>(bits) << 16);
  }
};

/// The type in which values of a type are combined: their own, but for floats of 16 bits.
template <class T>
using CombinedIn = std::conditional_t<std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>, float, T>;

}  // namespace scanlens
