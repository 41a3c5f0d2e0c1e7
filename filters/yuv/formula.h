// The formulas of planes and RGB, stated once for C++ and CUDA. Every product and sum is rounded by itself.
#pragma once

#include <cstdint>

#include "core/view.h"

namespace scanlens {

inline constexpr int kUpTaps = 4;      ///< samples of chroma that make that of a pixel, a way
inline constexpr int kDownTaps = 8;    ///< pixels that make a sample of chroma, a way
inline constexpr int kDownBefore = 3;  ///< of these before the sample's own first pixel

/// One way, along rows or columns. The weights are for two pixels to a sample.
struct YuvWay {
  int step;              ///< pixels to a sample, 1 or 2
  float up[2][kUpTaps];  ///< by the pixel's parity
  float down[kDownTaps];

  /// The first sample of chroma that counts at a pixel.
  SCANLENS_HOST_DEVICE std::int64_t first_up(std::int64_t pixel) const {
    return step == 1 ? pixel : pixel / 2 + pixel % 2 - 2;
  }
  /// The first pixel that counts in a sample of chroma.
  SCANLENS_HOST_DEVICE std::int64_t first_down(std::int64_t sample) const {
    return step == 1 ? sample : 2 * sample - kDownBefore;
  }
};

/// The codes: an offset of luma, the middle of chroma, and factors both ways.
struct YuvCodes {
  float zero, middle, most;
  float per_luma, red_per_red, green_per_blue, green_per_red, blue_per_blue, most_rgb;
  float luma_of[3], blue_of[3], red_of[3];  ///< by colour
};

struct Rgb {
  float red, green, blue;
};

SCANLENS_HOST_DEVICE inline std::int64_t clamped(std::int64_t at, std::int64_t count) {
  return at < 0 ? 0 : (at < count ? at : count - 1);
}

SCANLENS_HOST_DEVICE inline float mixed(const float* weights, float a, float b, float c, float d) {
  return weights[0] * a + weights[1] * b + weights[2] * c + weights[3] * d;
}

SCANLENS_HOST_DEVICE inline float within(float value, float most) {
  const float above = value > 0.f ? value : 0.f;
  return above < most ? above : most;
}

/// A value of 0 .. `most` as the nearest code.
template <class T>
SCANLENS_HOST_DEVICE T code_of(float value, float most) {
  return static_cast<T>(static_cast<int>(within(value, most) + 0.5f));
}

/// RGB of luma and of chroma around its middle.
SCANLENS_HOST_DEVICE inline Rgb rgb_of(float luma, float blue, float red, const YuvCodes& codes) {
  const float grey = (luma - codes.zero) * codes.per_luma;
  return {grey + codes.red_per_red * red, grey - codes.green_per_blue * blue - codes.green_per_red * red,
          grey + codes.blue_per_blue * blue};
}

SCANLENS_HOST_DEVICE inline float weighed(const float* share, const Rgb& rgb) {
  return share[0] * rgb.red + share[1] * rgb.green + share[2] * rgb.blue;
}

}  // namespace scanlens
