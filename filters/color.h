// sRGB transfer functions (IEC 61966-2-1), stated once for C++, CUDA and GLSL: the shader loader pastes this
// file into shaders as it stands, so it keeps to what the three languages share.
#ifndef SCANLENS_FILTERS_COLOR_H
#define SCANLENS_FILTERS_COLOR_H

#ifdef __cplusplus
#include <cmath>
#ifdef __CUDACC__
#define SCANLENS_SHARED __host__ __device__ inline
#else
#define SCANLENS_SHARED inline
#endif
namespace scanlens {
using std::pow;
#else
#define SCANLENS_SHARED
#endif

/// Encoded value, 0..1, to linear light, 0..1.
SCANLENS_SHARED float srgb_to_linear(float encoded) {
  return encoded <= 0.04045f ? encoded / 12.92f : pow((encoded + 0.055f) / 1.055f, 2.4f);
}

/// Linear light to encoded value, 0..1; what lies outside 0..1 is clipped.
SCANLENS_SHARED float linear_to_srgb(float linear) {
  float light = linear < 0.0f ? 0.0f : (linear > 1.0f ? 1.0f : linear);
  return light <= 0.0031308f ? light * 12.92f : 1.055f * pow(light, 1.0f / 2.4f) - 0.055f;
}

#ifdef __cplusplus
}  // namespace scanlens
#endif
#endif
