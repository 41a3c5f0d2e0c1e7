// What the steps of depth of field by layers share: app/gl/layered.cpp runs them, filters/dof/README.md tells of the
// method, and filters/dof/layered_cuda.cu takes the same steps on the same formulas.
//   CHANNELS         1, 3 or 4: the picture is grey, RGB, or RGB and alpha; its texture has four
//   SIXTEEN_BITS     codes have 16 bits, not 8
#include "filters/dof/layers_formula.h"
#include "filters/dof/light_formula.h"

layout(binding = 0) uniform sampler2D color;  // sRGB-encoded
layout(std430, binding = 1) readonly buffer Circles { float circles[]; };
layout(std430, binding = 3) readonly buffer Cuts { LayerCuts cuts; };
layout(std430, binding = 5) readonly buffer Decoding { uint decoding[]; };  // code to linear light
uniform ivec2 size;  // the picture's

const int kColors = CHANNELS < 3 ? 1 : 3, kLight = CHANNELS, kPlanes = kLight + 1;  // the last is coverage
#ifdef SIXTEEN_BITS
const float kMostCode = 65535.0, kPerWhite = 1.0 / kWhite24;
#else
const float kMostCode = 255.0, kPerWhite = 1.0 / kWhite16;
#endif

uvec4 codes_at(ivec2 pixel) { return uvec4(texelFetch(color, pixel, 0) * kMostCode + 0.5); }
float circle_at(ivec2 pixel) { return circles[pixel.y * size.x + pixel.x]; }

float alpha_share(uvec4 codes) { return quotient(float(codes.a), kMostCode); }

// Light that a pixel shows: light_to_show in filters/dof/light.h, for codes.
void light_to_show(uvec4 codes, out float light[kLight]) {
#if CHANNELS == 4
  float alpha = alpha_share(codes);
  light[3] = alpha;
#else
  float alpha = 1.0;
#endif
  for (int c = 0; c < kColors; ++c) light[c] = light_of_entry(decoding[codes[c]], kPerWhite, alpha);
}
