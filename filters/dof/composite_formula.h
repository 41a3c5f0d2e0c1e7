// The visible part of each layer, when layers lie one over the other. Stated once for C++, CUDA and GLSL.
#ifndef SCANLENS_FILTERS_DOF_COMPOSITE_FORMULA_H
#define SCANLENS_FILTERS_DOF_COMPOSITE_FORMULA_H

#include "core/held/exact_formula.h"

#ifdef __cplusplus
namespace scanlens {
#endif

/// Rounding leaves the coverage of plain surfaces off 1 by some 2^-20, less than this.
SCANLENS_CONSTANT float kRoundedCover = 1e-5f;
SCANLENS_SHARED float whole_coverage(float coverage) {
  float off = coverage < 1.0f ? 1.0f - coverage : coverage - 1.0f;
  return off < kRoundedCover ? 1.0f : coverage;
}

/// The visible share of a layer where the layers before it leave `left` uncovered. `own`: the share of itself
/// that the pixel keeps if it is in this layer, and 0 otherwise.
SCANLENS_SHARED float seen_share(float coverage, float left, float own) {
  float seen = coverage < left ? coverage : left;
  SCANLENS_EXACT float least = left * own;
  return seen < least ? least : seen;
}

/// Light of one channel that is seen: between the layer's mean and, as far as the pixel is itself, its own.
/// Nothing is taken away, so that a dark pixel beside a lamp is as near to its light as a bright one.
SCANLENS_SHARED float seen_light(float seen, float mean, float own, float sharp) {
  return seen * ((1.0f - own) * mean + own * sharp);
}

/// True if a pixel asks what is seen around: before the focus if more than rounding is left. Behind it the
/// layers of a slope leave a little, and its own mean is as good.
SCANLENS_CONSTANT float kLittleLeft = 0.03125f;
SCANLENS_SHARED bool is_filled(float circle, float left) {
  return left > (circle > 0.0f ? kRoundedCover : kLittleLeft);
}

/// True if a pixel that no layer covers shows itself: the light of a ring may pass the whole picture.
/// `around` is the weight of what is seen around.
SCANLENS_SHARED bool shows_itself(float circle, float left, float around) {
  return left >= 0.999999f && (circle <= 0.0f || !(around > 0.0f));
}

/// The share of the uncovered rest that is filled with what is seen around. Behind the focus a pixel's own
/// mean is as good, up to twice as bright. Lamps make it brighter, and the hidden rest holds none. `own` and
/// `around` are the sums of their colours, as they count in the fill.
SCANLENS_SHARED float share_of_around(float circle, float left, float own, float around) {
  if (circle > 0.0f) return 1.0f;
  float twice = 2.0f * around, brighter = own - twice;
  if (!(left > kLittleLeft && brighter > 0.0f)) return 0.0f;
  float share = left < 2.0f * kLittleLeft ? left * (1.0f / kLittleLeft) - 1.0f : 1.0f;
  return brighter < twice ? share * (brighter / twice) : share;
}

/// Fills what no layer covers: with the mean of what is seen, and a share of it with what is seen around.
SCANLENS_CONSTANT float kLittleFill = 4e-3f;
SCANLENS_SHARED float filling_light(float left, float mean, float share, float around, float weight) {
  return left / (weight + kLittleFill) * (share * around + mean * (kLittleFill + weight * (1.0f - share)));
}

#ifdef __cplusplus
}  // namespace scanlens
#endif
#endif
