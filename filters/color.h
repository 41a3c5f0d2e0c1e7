// sRGB transfer functions (IEC 61966-2-1), stated once for C++, CUDA and GLSL.
#ifndef SCANLENS_FILTERS_COLOR_H
#define SCANLENS_FILTERS_COLOR_H

#include "core/held/shared_formula.h"

#ifdef __cplusplus
namespace scanlens {
using std::pow;
#endif

/// Encoded value, 0..1, to linear light, 0..1.
SCANLENS_SHARED float srgb_to_linear(float encoded) {
  return encoded <= 0.04045f ? encoded / 12.92f : pow((encoded + 0.055f) / 1.055f, 2.4f);
}

#ifdef __cplusplus
/// The same in double, for sums of samples that nearly cancel.
inline double srgb_to_linear_in_double(double encoded) {
  return encoded <= 0.04045 ? encoded / 12.92 : pow((encoded + 0.055) / 1.055, 2.4);
}
#endif

/// Linear light to encoded value, 0..1; what lies outside 0..1 is clipped.
SCANLENS_SHARED float linear_to_srgb(float linear) {
  float light = linear < 0.0f ? 0.0f : (linear > 1.0f ? 1.0f : linear);
  return light <= 0.0031308f ? light * 12.92f : 1.055f * pow(light, 1.0f / 2.4f) - 0.055f;
}

#ifdef __cplusplus
}  // namespace scanlens
#endif
#endif
