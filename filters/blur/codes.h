// Samples between passes, and what becomes of them at the end. Integers stay integers, so that sums over them
// are the same wherever they begin.
//
// Without alpha, and of 8 bits with it, codes have 16 bits around zero: outside the picture there are zeros,
// which then count as little as nothing. Other codes are floats, summed in double; those of 16-bit samples
// with alpha are whole numbers below 2^32, whose sums are exact. Colours are multiplied by alpha.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/view.h"
#include "filters/parts/sample.h"

namespace scanlens {

template <class T, bool kAlpha>
struct Codes {
  static constexpr bool kNarrow =
      std::is_same_v<T, std::uint8_t> || (std::is_same_v<T, std::uint16_t> && !kAlpha);
  using Code = std::conditional_t<kNarrow, std::int16_t, float>;

  /// The code of sample c of a pixel.
  SCANLENS_HOST_DEVICE static Code encode(const T* pixel, int c) {
    if constexpr (!kAlpha) {
      if constexpr (std::is_same_v<T, std::uint8_t>)
        return static_cast<Code>(pixel[c] * 257 - 32768);
      else if constexpr (std::is_same_v<T, std::uint16_t>)
        return static_cast<Code>(pixel[c] - 32768);
      else
        return pixel[c];
    } else {
      if constexpr (std::is_same_v<T, std::uint8_t>)
        return static_cast<Code>(pixel[3] * (c < 3 ? pixel[c] : 255) - 32768);
      else if constexpr (std::is_same_v<T, std::uint16_t>)
        return static_cast<Code>(std::uint32_t{pixel[3]} * (c < 3 ? pixel[c] : 65535u));
      else
        return c < 3 ? pixel[c] * pixel[3] : pixel[3];
    }
  }

  /// A float alpha that may be what rounding has left.
  static constexpr float kNoAlpha = 0x1p-20f;

  /// The sample without alpha of a code, rounded to nearest; of 8 bits to within 1/500.
  SCANLENS_HOST_DEVICE static T sample(Code code) {
    static_assert(!kAlpha);
    if constexpr (std::is_floating_point_v<T>) return code;
    const int value = static_cast<int>(code) + 32768;
    if constexpr (std::is_same_v<T, std::uint8_t>) return static_cast<T>((value + 128 - (value >> 8)) >> 8);
    return static_cast<T>(value);
  }

  /// A pixel of four samples: colours divided by alpha, or `own` ones where alpha is 0.
  SCANLENS_HOST_DEVICE static void pixel(const Code* codes, const T* own, T* out) {
    static_assert(kAlpha);
    if constexpr (std::is_same_v<T, std::uint8_t>) {
      const std::uint32_t alpha = static_cast<std::uint32_t>(codes[3] + 32768);
      for (int c = 0; c < 3; ++c)
        out[c] =
            alpha > 0
                ? static_cast<T>((static_cast<std::uint32_t>(codes[c] + 32768) * 255 + alpha / 2) / alpha)
                : own[c];
      out[3] = static_cast<T>((alpha + 127) / 255);
    } else if constexpr (std::is_same_v<T, std::uint16_t>) {
      for (int c = 0; c < 3; ++c)
        out[c] = codes[3] > 0 ? static_cast<T>(codes[c] / codes[3] * 65535.f + 0.5f) : own[c];
      out[3] = static_cast<T>(codes[3] / 65535.f + 0.5f);
    } else {
      for (int c = 0; c < 3; ++c) out[c] = codes[3] > kNoAlpha ? codes[c] / codes[3] : own[c];
      out[3] = codes[3];
    }
  }
};

/// The types that codes are summed in and sums are divided in.
template <class Code>
struct CodeSums;
template <>
struct CodeSums<std::int16_t> {
  using Sum = std::int32_t;
  using Real = float;
};
template <>
struct CodeSums<float> {
  using Sum = double;
  using Real = double;
};

}  // namespace scanlens
