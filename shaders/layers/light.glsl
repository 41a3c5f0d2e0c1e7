// The light that pixels spread: light_to_spread in filters/dof/light.h.
#include "layers/picture.glsl"

#if BITS == 32
uniform float light_one;  // light of 1 in a field
#else
uniform Highlights highlights;
#endif

// A scale of floats: the greatest light that is kept, and what light of 1 is in a field.
#if BITS == 32
#define Scale vec2
#define SPREAD_SCALE vec2(most_light, light_one)
uint light_of_sample(float value, vec2 scale) { return light_of_float(kept_light(value, scale.x), scale.y); }
#elif BITS == 16
#define Scale bool
#define SPREAD_SCALE true
uint light_of_sample(uint code, bool scale) { return light_of_linear24(decoding[code]); }
#else
#define Scale bool
#define SPREAD_SCALE true
uint light_of_sample(uint code, bool scale) { return light_of_linear16(decoding[code]); }
#endif

// Makes the light, and last coverage.
void light_to_spread(Samples samples, Scale scale, out uint light[kPlanes]) {
  light[0] = light_of_sample(samples.r, scale);
#if CHANNELS > 1
  light[1] = light_of_sample(samples.g, scale);
  light[2] = light_of_sample(samples.b, scale);
#endif
#if BITS != 32
  if (highlights.boost > 0.0) {
    uint brightest = light[0];
    for (int c = 1; c < kColors; ++c) brightest = max(brightest, light[c]);
    float gain = highlight_gain(float(brightest), highlights);
    for (int c = 0; c < kColors; ++c) light[c] = gained_light(light[c], gain);
  }
#endif
#if CHANNELS == 4
  float alpha = alpha_share(samples);
  for (int c = 0; c < kColors; ++c) light[c] = weighed_light(light[c], alpha);
  light[3] = light_of_alpha(alpha);
#endif
  light[kLight] = uint(kOneLight);
}
void light_to_spread(Samples samples, out uint light[kPlanes]) { light_to_spread(samples, SPREAD_SCALE, light); }
