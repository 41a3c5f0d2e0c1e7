// Conversions between floats of 32 and of 16 bits.
#pragma once

#include <cstdint>
#include <cstring>

#include "core/view.h"

namespace scanlens {

namespace half_bits {

template <class To, class From>
SCANLENS_HOST_DEVICE To same_bits(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof(To));
  return to;
}

/// The IEEE 754 binary16 nearest to a float, ties to even.
SCANLENS_HOST_DEVICE inline std::uint16_t from_float(float value) {
#if defined(__CUDA_ARCH__)
  std::uint16_t bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  return bits;
#else
  const auto bits = same_bits<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) return static_cast<std::uint16_t>(sign | 0x7E00u);   // NaN
  if (magnitude >= 0x477FF000u) return static_cast<std::uint16_t>(sign | 0x7C00u);  // rounds to infinity
  if (magnitude < 0x38800000u) {
    // Adding 1/2 to a magnitude below 2^-14 leaves its multiple of 2^-24 in the lowest bits, rounded.
    const float sum = same_bits<float>(magnitude) + 0.5f;
    return static_cast<std::uint16_t>(sign | (same_bits<std::uint32_t>(sum) - 0x3F000000u));
  }
  const std::uint32_t rounded = magnitude + 0xFFFu + (magnitude >> 13 & 1u);
  return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
#endif
}
SCANLENS_HOST_DEVICE inline float to_float(std::uint16_t half) {
#if defined(__CUDA_ARCH__)
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half));
  return value;
#else
  const std::uint32_t sign = (half & 0x8000u) << 16, magnitude = half & 0x7FFFu;
  if (magnitude >= 0x7C00u) return same_bits<float>(sign | 0x7F800000u | (magnitude & 0x3FFu) << 13);
  if (magnitude >= 0x0400u) return same_bits<float>(sign | ((magnitude << 13) + 0x38000000u));
  const float small = static_cast<float>(magnitude) * 0x1p-24f;
  return same_bits<float>(sign | same_bits<std::uint32_t>(small));
#endif
}

/// The upper half of the nearest float that has no more digits than bfloat16, ties to even.
SCANLENS_HOST_DEVICE inline std::uint16_t brain_from_float(float value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  std::uint16_t rounded;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(rounded) : "f"(value));
  return rounded;
#else
  const auto bits = same_bits<std::uint32_t>(value);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return static_cast<std::uint16_t>(bits >> 16 | 0x40u);  // NaN
  return static_cast<std::uint16_t>((bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16);
#endif
}

}  // namespace half_bits

}  // namespace scanlens
