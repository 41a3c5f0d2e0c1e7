// Converts single samples from one depth to another, as sRGB has them. Inside scanlens_files.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "filters/color.h"

namespace scanlens {

/// Alpha is a share, not light, and is never sRGB-encoded.
template <class To, class From>
To converted_sample(From value, bool alpha) {
  constexpr auto kFull = static_cast<float>(
      std::numeric_limits<std::conditional_t<std::is_floating_point_v<To>, From, To>>::max());
  if constexpr (std::is_floating_point_v<From>) {
    const float encoded = alpha ? std::min(value, 1.0f) : linear_to_srgb(value);
    return encoded > 0 ? static_cast<To>(encoded * kFull + 0.5f) : To{0};  // NaN is not
  } else if constexpr (std::is_floating_point_v<To>) {
    const float share = static_cast<float>(value) / kFull;
    return alpha ? share : srgb_to_linear(share);
  } else if constexpr (sizeof(To) < sizeof(From)) {
    return static_cast<To>((value + 128) / 257);
  } else {
    return static_cast<To>(value * 257);
  }
}

}  // namespace scanlens
