// Light as a screen without HDR shows it. Stated once for C++ and GLSL.
#ifndef SCANLENS_APP_VIEWER_MODEL_SCREEN_FORMULA_H
#define SCANLENS_APP_VIEWER_MODEL_SCREEN_FORMULA_H

#include "filters/color.h"

#ifdef __cplusplus
namespace scanlens {
#endif

/// Presses light below white's, which the brightest becomes. Up to three quarters of white it stays.
SCANLENS_SHARED float tone_mapped(float light, float brightest) {
  const float kKnee = 0.75f;
  if (brightest <= 1.0f || light <= kKnee) return light;
  float above = (light - kKnee) / (1.0f - kKnee), most = (brightest - kKnee) / (1.0f - kKnee);
  return kKnee + (1.0f - kKnee) * above * (1.0f + above / (most * most)) / (1.0f + above);
}

#ifdef __cplusplus
}  // namespace scanlens
#endif
#endif
