// The terms of one pixel, for the tables in one pass and for the classic pipeline, on both backends.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "core/sat.h"

namespace scanlens {

/// The term of colour sample `sample`.
template <class T>
SCANLENS_HOST_DEVICE std::uint32_t color_term(T sample, const Terms& terms) {
  if constexpr (std::is_floating_point_v<T>) {
    const float scaled = sample > 0 ? sample * terms.scale : 0.f;  // false for NaN, too
    return static_cast<std::uint32_t>(std::rint(scaled < terms.most ? scaled : terms.most));
  } else {
    return terms.lut ? terms.lut[sample] : sample;
  }
}

/// The term of channel `c` of the pixel at `pixel`, which has `channels` samples; past the last one it is a
/// count of 1. Packed terms are one term, of channel 0.
template <class Sum, class T>
SCANLENS_HOST_DEVICE Sum term(const T* pixel, int channels, int c, const Terms& terms) {
  if (c == channels) return 1;
  if constexpr (std::is_same_v<T, std::uint8_t> && std::is_same_v<Sum, std::uint64_t>)
    if (terms.packed) return pixel[0] | Sum{pixel[1]} << kPackedBits | Sum{pixel[2]} << (2 * kPackedBits);
  if constexpr (std::is_floating_point_v<Sum>) {
    return pixel[c];
  } else {
    Sum alpha = 1;
    if (channels == 4) {
      if constexpr (std::is_floating_point_v<T>)
        alpha = alpha_term(pixel[3]);
      else
        alpha = pixel[3];
      if (c == 3) return alpha;
    }
    const Sum color = color_term(pixel[c], terms);
    return terms.weigh_by_alpha ? color * alpha : color;
  }
}

}  // namespace scanlens
