// The picture whose depth of field is made, as light: app/gl/layered.cpp runs the steps,
// filters/dof/README.md describes the method, and filters/dof/layered_cuda.cu takes the same steps on the
// same formulas.
//   CHANNELS         1, 3 or 4: the picture is grey, RGB, or RGB and alpha; its texture has four
//   BITS             8 or 16: its samples are codes, sRGB-encoded; 32: they are floats of linear light
#include "filters/dof/layers_formula.h"
#include "filters/dof/light_formula.h"

layout(binding = 0) uniform sampler2D color;
layout(std430, binding = 1) readonly buffer Circles { float circles[]; };
uniform ivec2 size;  // the picture's

const int kColors = CHANNELS < 3 ? 1 : 3, kLight = CHANNELS, kPlanes = kLight + 1;  // the last is coverage

float circle_at(ivec2 pixel) { return circles[pixel.y * size.x + pixel.x]; }

#if BITS == 32
#define Samples vec4
uniform float most_light;  // the greatest that is kept

Samples samples_at(ivec2 pixel) { return texelFetch(color, pixel, 0); }
float kept_light(float value, float most) { return isnan(value) ? 0.0 : clipped_light(value, most); }
float alpha_share(Samples samples) { return kept_light(samples.a, 1.0); }
float shown_light(float value, float alpha) { return light_by_alpha(kept_light(value, most_light), alpha); }
#else
#define Samples uvec4
layout(std430, binding = 5) readonly buffer Decoding { uint decoding[]; };  // code to linear light
const float kMostCode = BITS == 16 ? 65535.0 : 255.0, kPerWhite = 1.0 / (BITS == 16 ? kWhite24 : kWhite16);

Samples samples_at(ivec2 pixel) { return uvec4(texelFetch(color, pixel, 0) * kMostCode + 0.5); }
float alpha_share(Samples codes) { return quotient(float(codes.a), kMostCode); }
float shown_light(uint code, float alpha) { return light_of_entry(decoding[code], kPerWhite, alpha); }
#endif

// Light that a pixel shows: light_to_show in filters/dof/light.h. Components are named, since a vector that is indexed
// lies in memory.
void light_to_show(Samples samples, out float light[kLight]) {
#if CHANNELS == 4
  float alpha = alpha_share(samples);
  light[3] = alpha;
#else
  float alpha = 1.0;
#endif
  light[0] = shown_light(samples.r, alpha);
#if CHANNELS > 1
  light[1] = shown_light(samples.g, alpha);
  light[2] = shown_light(samples.b, alpha);
#endif
}
