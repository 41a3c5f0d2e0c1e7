// From samples to the light that is spread, in whole numbers, and back. Stated once for C++, CUDA and GLSL.
#ifndef SCANLENS_FILTERS_DOF_LIGHT_FORMULA_H
#define SCANLENS_FILTERS_DOF_LIGHT_FORMULA_H

#include "core/held/exact_formula.h"

#ifdef __cplusplus
namespace scanlens {
#endif

/// Coverage of 1, and white of integer samples. Sums of 64 times as much fit a field.
SCANLENS_CONSTANT float kOneLight = 67108864.0f;  // 2^26

/// Light of 1 in the tables that decode codes of 8 and 16 bits, and in the one that encodes.
SCANLENS_CONSTANT float kWhite16 = 65535.0f;
SCANLENS_CONSTANT float kWhite24 = 16777215.0f;

/// Light in units of 2^-26, from what the tables hold.
SCANLENS_SHARED uint light_of_linear16(uint light) {
  return light << 10 | light >> 6;
}
SCANLENS_SHARED uint light_of_linear24(uint light) {
  return light << 2 | light >> 22;
}

/// A float sample as light, at most `most`. NaN is dark; GLSL may compare with NaN as it likes, so shaders
/// test for it first.
SCANLENS_SHARED float clipped_light(float value, float most) {
  return value > 0.0f ? (value < most ? value : most) : 0.0f;
}
/// Light of float samples in a field, where light of 1 is `one`.
SCANLENS_SHARED uint light_of_float(float light, float one) {
  SCANLENS_EXACT float units = light * one;
  return uint(units);
}

/// Lamps beyond the most light are counted in units 2^kLampShift times as large. A disc's area makes them
/// fit.
SCANLENS_CONSTANT int kLampShift = 6;

/// Light of white that a pixel spreads beyond what it shows.
struct Highlights {
  float boost;
  float from;       ///< light from which on it comes in, of white
  float per_range;  ///< 1 / (light from there to all of it)
};

/// Factor of the light that a pixel spreads to the light that it shows, up to 1 + the boost.
SCANLENS_SHARED float highlight_gain(float brightest, Highlights highlights) {
  SCANLENS_EXACT float over = (brightest * (1.0f / kOneLight) - highlights.from) * highlights.per_range;
  float share = over < 0.0f ? 0.0f : (over > 1.0f ? 1.0f : over);
  SCANLENS_EXACT float gain = 1.0f + highlights.boost * (share * share);
  return gain;
}
SCANLENS_SHARED uint gained_light(uint light, float gain) {
  SCANLENS_EXACT float gained = float(light) * gain;
  return uint(gained);
}

/// Light times alpha, a share of 1.
SCANLENS_SHARED uint weighed_light(uint light, float alpha) {
  return product_shifted(light, uint(alpha * 65536.0f), 16);
}
/// Alpha as light.
SCANLENS_SHARED uint light_of_alpha(float alpha) {
  return uint(alpha * 65536.0f) << 10;
}

/// Light that is shown, 1 for white, times alpha: from an entry of a table where white is 1 / per_white, and
/// from a float sample's.
SCANLENS_SHARED float light_of_entry(uint entry, float per_white, float alpha) {
  SCANLENS_EXACT float light = float(entry) * per_white * alpha;
  return light;
}
SCANLENS_SHARED float light_by_alpha(float light, float alpha) {
  SCANLENS_EXACT float weighed = light * alpha;
  return weighed;
}

/// The entry of linear16_to_srgb8 for light, 1 for white.
SCANLENS_SHARED int entry_of_light(float light) {
  float entry = light * kWhite16 + 0.5f;
  return entry < kWhite16 ? int(entry) : 65535;
}

/// The place of light among the entries of linear16_to_srgb16, and the entry that it lies at or after.
SCANLENS_SHARED float place_of_light(float light) {
  return (light < 1.0f ? light : 1.0f) * kWhite16;
}
SCANLENS_SHARED int entry_at_place(float place) {
  return int(place) < 65534 ? int(place) : 65534;
}
/// The code between the entry at a place and the next.
SCANLENS_SHARED uint code_at_place(float place, float low, float high) {
  return uint(low + (high - low) * (place - float(entry_at_place(place))) + 0.5f);
}

#ifdef __cplusplus
}  // namespace scanlens
#endif
#endif
