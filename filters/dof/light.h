// From samples to the light that is spread, in whole numbers, and back.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "core/view.h"
#include "filters/color_tables.h"

namespace scanlens {

/// Coverage of 1, and white of integer samples. Sums of 64 times as much fit a field.
inline constexpr float kOneLight = 67108864.f;  // 2^26

/// What light is made of, besides samples.
struct LightScale {
  const std::uint32_t* decode = nullptr;  ///< srgb8_to_linear16 or srgb16_to_linear24
  const std::uint8_t* encode8 = nullptr;  ///< linear16_to_srgb8
  const float* encode16 = nullptr;        ///< linear_to_srgb16
  float one = kOneLight;                  ///< light of 1 in a field
  float white = 1;                        ///< of float samples: the greatest that is kept
  float highlights = 0;
};

/// Light of one pixel as fields hold it: colours, alpha if there is one, and coverage. Colours are multiplied
/// by alpha.
template <int kSamples>
inline constexpr int kLightChannels = kSamples + 1;

/// The light of an integer code in units of 2^-26.
template <class T>
SCANLENS_HOST_DEVICE std::uint32_t light_of_code(T code, const LightScale& scale) {
  const std::uint32_t light = scale.decode[code];
  return sizeof(T) == 1 ? light << 10 | light >> 6 : light << 2 | light >> 22;
}

/// A float sample as light: NaN is dark.
SCANLENS_HOST_DEVICE inline float clipped_light(float sample, const LightScale& scale) {
  return sample > 0 ? (sample < scale.white ? sample : scale.white) : 0.f;
}

/// How much more light a pixel spreads than it shows: from 0.8 of white on, up to 1 + `highlights` times.
SCANLENS_HOST_DEVICE inline float highlight_gain(float brightest, float highlights) {
  const float over = (brightest - 0.8f) * 5.f;
  const float share = over < 0 ? 0.f : (over > 1 ? 1.f : over);
  return 1.f + highlights * (share * share);
}

template <class T>
SCANLENS_HOST_DEVICE float alpha_share(T alpha) {
  if constexpr (std::is_floating_point_v<T>)
    return alpha > 0 ? (alpha < 1 ? alpha : 1.f) : 0.f;
  else
    return static_cast<float>(alpha) / (sizeof(T) == 1 ? 255.f : 65535.f);
}

/// Light that a pixel spreads. `values` has `of`.
template <int kSamples, class T, class Values>
SCANLENS_HOST_DEVICE void light_to_spread(const T* pixel, const LightScale& scale, Values& values) {
  constexpr int kColors = kSamples < 3 ? 1 : 3;
  for (int c = 0; c < kColors; ++c) {
    if constexpr (std::is_floating_point_v<T>) {
      values.of[c] = static_cast<std::uint32_t>(clipped_light(pixel[c], scale) * scale.one);
    } else {
      values.of[c] = light_of_code(pixel[c], scale);
    }
  }
  if (!std::is_floating_point_v<T> && scale.highlights > 0) {
    std::uint32_t brightest = values.of[0];
    for (int c = 1; c < kColors; ++c) brightest = brightest > values.of[c] ? brightest : values.of[c];
    const float gain = highlight_gain(static_cast<float>(brightest) * (1 / kOneLight), scale.highlights);
    for (int c = 0; c < kColors; ++c)
      values.of[c] = static_cast<std::uint32_t>(static_cast<float>(values.of[c]) * gain);
  }
  if constexpr (kSamples == 4) {
    const auto alpha = static_cast<std::uint32_t>(alpha_share(pixel[3]) * 65536.f);
    for (int c = 0; c < kColors; ++c)
      values.of[c] = static_cast<std::uint32_t>(std::uint64_t{values.of[c]} * alpha >> 16);
    values.of[3] = alpha << 10;
  }
  values.of[kSamples] = static_cast<std::uint32_t>(kOneLight);
}

/// A pixel's own light, 1 for white, times its alpha, and alpha.
template <int kSamples, class T>
SCANLENS_HOST_DEVICE void light_to_show(const T* pixel, const LightScale& scale, float* light) {
  constexpr int kColors = kSamples < 3 ? 1 : 3;
  const float alpha = kSamples == 4 ? alpha_share(pixel[kSamples - 1]) : 1.f;
  for (int c = 0; c < kColors; ++c) {
    if constexpr (std::is_floating_point_v<T>)
      light[c] = clipped_light(pixel[c], scale) * alpha;
    else
      light[c] = static_cast<float>(scale.decode[pixel[c]]) *
                 (sizeof(T) == 1 ? 1 / 65535.f : 1 / 16777215.f) * alpha;
  }
  if (kSamples == 4) light[3] = alpha;
}

/// Light, 1 for white, as a sample.
template <class T>
SCANLENS_HOST_DEVICE T sample_of_light(float light, const LightScale& scale) {
  if constexpr (std::is_same_v<T, std::uint8_t>) {
    const float entry = light * 65535.f + 0.5f;
    return scale.encode8[entry < 65535.f ? static_cast<int>(entry) : 65535];
  } else if constexpr (std::is_same_v<T, std::uint16_t>) {
    const float place = (light < 1 ? light : 1.f) * 65535.f;
    const int entry = static_cast<int>(place) < 65534 ? static_cast<int>(place) : 65534;
    const float low = scale.encode16[entry], high = scale.encode16[entry + 1];
    return static_cast<T>(low + (high - low) * (place - static_cast<float>(entry)) + 0.5f);
  } else {
    return light;
  }
}

template <class T>
SCANLENS_HOST_DEVICE T sample_of_alpha(float alpha) {
  const float share = alpha < 1 ? alpha : 1.f;
  if constexpr (std::is_floating_point_v<T>)
    return share;
  else
    return static_cast<T>(share * (sizeof(T) == 1 ? 255.f : 65535.f) + 0.5f);
}

/// Writes light, as light_to_show makes it, as a pixel. Where alpha is 0 colours are those of `pixel`.
template <int kSamples, class T>
SCANLENS_HOST_DEVICE void show_light(const float* light, const T* pixel, const LightScale& scale, T* out) {
  float per_alpha = 1;
  if constexpr (kSamples == 4) {
    out[3] = sample_of_alpha<T>(light[3]);
    per_alpha = light[3] > 0 ? 1 / light[3] : 0.f;
  }
  for (int c = 0; c < (kSamples < 3 ? 1 : 3); ++c)
    out[c] = per_alpha > 0 ? sample_of_light<T>(light[c] * per_alpha, scale) : pixel[c];
}

}  // namespace scanlens
