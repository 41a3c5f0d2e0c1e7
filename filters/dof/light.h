// From samples to the light that is spread, in whole numbers, and back.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "core/view.h"
#include "filters/color_tables.h"
#include "filters/depth_of_field.h"
#include "filters/dof/light_formula.h"

namespace scanlens {

static_assert(kWhite16 == kLinear16 && kWhite24 == kLinear24);

/// The parameters of light, other than samples.
struct LightScale {
  const std::uint32_t* decode = nullptr;  ///< srgb8_to_linear16, srgb16_to_linear24, or another curve's
  const std::uint8_t* encode8 = nullptr;  ///< linear16_to_srgb8, or another curve's
  const float* encode16 = nullptr;        ///< linear16_to_srgb16, or another curve's
  float one = kOneLight;                  ///< light of 1 in a field
  float most = 1;                         ///< of float samples: the greatest that is kept
  float white = 1;                        ///< of float samples: what counts as white
  Highlights highlights = {};
};

inline Highlights highlights_of(const DofStyle& style) {
  return {style.highlights, style.highlights_from, 1 / style.highlights_range};
}

/// True if lamps have a scale of their own.
inline bool lamps_exceed(const LightRange& light) {
  return light.lamps > light.most;
}

/// Light of 1 in fields of float samples.
inline float light_one(const LightRange& light) {
  constexpr float kHeadRoom = 16;  // as many times that may come together
  const float lamps = lamps_exceed(light) ? light.gathered : 0.f;
  return std::min(kOneLight, 4294967040.f / (kHeadRoom * light.most + lamps));
}

/// Light of one pixel as fields hold it: colours, alpha if there is one, and coverage. Colours are multiplied
/// by alpha.
template <int kSamples>
inline constexpr int kLightChannels = kSamples + 1;
/// The colours among them: all but alpha and coverage.
template <int kSamples>
inline constexpr int kLightColors = kSamples < 3 ? 1 : 3;

/// The light of an integer code in units of 2^-26.
template <class T>
SCANLENS_HOST_DEVICE std::uint32_t light_of_code(T code, const LightScale& scale) {
  const std::uint32_t light = scale.decode[code];
  return sizeof(T) == 1 ? light_of_linear16(light) : light_of_linear24(light);
}

template <class T>
SCANLENS_HOST_DEVICE float alpha_share(T alpha) {
  if constexpr (std::is_floating_point_v<T>)
    return clipped_light(alpha, 1.f);
  else
    return quotient(static_cast<float>(alpha), sizeof(T) == 1 ? 255.f : 65535.f);
}

/// Light that a pixel spreads. `values` has `of`.
template <int kSamples, class T, class Values>
SCANLENS_HOST_DEVICE void light_to_spread(const T* pixel, const LightScale& scale, Values& values) {
  constexpr int kColors = kLightColors<kSamples>;
  for (int c = 0; c < kColors; ++c) {
    if constexpr (std::is_floating_point_v<T>) {
      values.of[c] = light_of_float(clipped_light(pixel[c], scale.most), scale.one);
    } else {
      values.of[c] = light_of_code(pixel[c], scale);
    }
  }
  if (!std::is_floating_point_v<T> && scale.highlights.boost > 0) {
    std::uint32_t brightest = values.of[0];
    for (int c = 1; c < kColors; ++c) brightest = brightest > values.of[c] ? brightest : values.of[c];
    const float gain = highlight_gain(static_cast<float>(brightest), scale.highlights);
    for (int c = 0; c < kColors; ++c) values.of[c] = gained_light(values.of[c], gain);
  }
  if constexpr (kSamples == 4) {
    const float alpha = alpha_share(pixel[3]);
    for (int c = 0; c < kColors; ++c) values.of[c] = weighed_light(values.of[c], alpha);
    values.of[3] = light_of_alpha(alpha);
  }
  values.of[kSamples] = static_cast<std::uint32_t>(kOneLight);
}

/// A pixel's own light, 1 for white, times its alpha, and alpha.
template <int kSamples, class T>
SCANLENS_HOST_DEVICE void light_to_show(const T* pixel, const LightScale& scale, float* light) {
  constexpr int kColors = kLightColors<kSamples>;
  const float alpha = kSamples == 4 ? alpha_share(pixel[kSamples - 1]) : 1.f;
  for (int c = 0; c < kColors; ++c) {
    if constexpr (std::is_floating_point_v<T>)
      light[c] = light_by_alpha(clipped_light(pixel[c], scale.most), alpha);
    else
      light[c] = light_of_entry(scale.decode[pixel[c]], 1 / (sizeof(T) == 1 ? kWhite16 : kWhite24), alpha);
  }
  if (kSamples == 4) light[3] = alpha;
}

/// Light, 1 for white, as a code of 16 bits.
SCANLENS_HOST_DEVICE inline std::uint16_t code_of_light(float light, const float* encode16) {
  const float place = place_of_light(light);
  const float* entry = encode16 + entry_at_place(place);
  return static_cast<std::uint16_t>(code_at_place(place, entry[0], entry[1]));
}

/// Light, 1 for white, as a sample.
template <class T>
SCANLENS_HOST_DEVICE T sample_of_light(float light, const LightScale& scale) {
  if constexpr (std::is_same_v<T, std::uint8_t>) {
    return scale.encode8[entry_of_light(light)];
  } else if constexpr (std::is_same_v<T, std::uint16_t>) {
    return code_of_light(light, scale.encode16);
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
  for (int c = 0; c < kLightColors<kSamples>; ++c)
    out[c] = per_alpha > 0 ? sample_of_light<T>(light[c] * per_alpha, scale) : pixel[c];
}

}  // namespace scanlens
