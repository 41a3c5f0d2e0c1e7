// From samples to light and back, by tables of tones.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "core/view.h"
#include "filters/parts/sample.h"

namespace scanlens {

struct Tones;

/// Tones in the context's memory. The next colour's entries lie `light_step` and `first_step` further on; 0
/// if all colours share them.
struct ToneView {
  const double* light = nullptr;
  const float* above = nullptr;
  const std::uint16_t* first = nullptr;
  int buckets = 0;
  int light_step = 0, first_step = 0;
  const Tones* host = nullptr;  ///< the tables themselves; null for floats
};

/// Returns the light of a sample of colour `c`.
template <class T>
SCANLENS_HOST_DEVICE double light_of_sample(T sample, int c, const ToneView& tones) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<double>(sample);
  else
    return tones.light[c * tones.light_step + sample];
}

/// Returns the luminance of light in sRGB's primaries (Rec. ITU-R BT.709).
SCANLENS_HOST_DEVICE inline double luminance(const double* light) {
  return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2];
}

/// Writes a pixel's light, times its alpha.
template <int kChannels, class T>
SCANLENS_HOST_DEVICE void light_of_pixel(const T* pixel, const ToneView& tones, double* light) {
  const double alpha =
      kChannels < 4 ? 1 : static_cast<double>(pixel[kChannels - 1]) / static_cast<double>(kWhite<T>);
  for (int c = 0; c < (kChannels < 3 ? kChannels : 3); ++c) {
    light[c] = light_of_sample(pixel[c], c, tones);
    if constexpr (kChannels == 4) light[c] *= alpha;
  }
  if constexpr (kChannels == 4) light[3] = alpha;
}

/// Returns the sample of colour `c` whose light this is.
template <class T>
SCANLENS_HOST_DEVICE T sample_of_light(float light, int c, const ToneView& tones) {
  if constexpr (std::is_floating_point_v<T>) {
    return light;
  } else {
    constexpr int kMost = static_cast<int>(kWhite<T>);
    if (!(light > 0)) return 0;
    if (light >= 1) return kMost;
    const float* const above = tones.above + c * tones.light_step;
    int code =
        tones
            .first[c * tones.first_step + static_cast<int>(sqrtf(light) * static_cast<float>(tones.buckets))];
    while (code < kMost && light >= above[code]) ++code;
    return static_cast<T>(code);
  }
}

/// Writes a pixel from its light times alpha. Pixels without alpha become black.
template <int kChannels, class T>
SCANLENS_HOST_DEVICE void pixel_of_light(const float* light, const ToneView& tones, T* pixel) {
  if constexpr (kChannels < 4) {
    for (int c = 0; c < kChannels; ++c) pixel[c] = sample_of_light<T>(light[c], c, tones);
  } else {
    const float alpha = light[3];
    for (int c = 0; c < 3; ++c) pixel[c] = alpha > 0 ? sample_of_light<T>(light[c] / alpha, c, tones) : T(0);
    pixel[3] = clipped_sample<T>((alpha < 1 ? alpha : 1) * kWhite<T>);  // rings exceed it
  }
}

}  // namespace scanlens
