// Lays the layers one over the other, from the front, fills what they leave, and shows the light as samples.
#version 450 core
layout(local_size_x = 32, local_size_y = 8) in;
#include "layered.glsl"
#include "filters/dof/composite_formula.h"
#include "filters/dof/fill_formula.h"

layout(binding = 0) writeonly uniform image2D result;
layout(std430, binding = 0) readonly buffer Fields { uint fields[]; };  // [layer][plane][row][column]
layout(std430, binding = 7) readonly buffer Fill { uint fill[]; };  // [plane][row][column], inclusive
uniform int pitch, fill_pitch;  // from row to row
uniform float fill_one;
uniform float per_light;  // 1 / (light of 1 in a field)

// This is sample_of_light in filters/dof/light.h; what it returns is what the picture's format takes for the sample.
#if BITS == 32
float sample_of_light(float light) { return light; }
#elif BITS == 16
layout(std430, binding = 6) readonly buffer Encoding { float encoding[]; };  // linear16_to_srgb16
float sample_of_light(float light) {
  float place = place_of_light(light);
  int entry = entry_at_place(place);
  return float(code_at_place(place, encoding[entry], encoding[entry + 1])) / kMostCode;
}
#else
layout(std430, binding = 6) readonly buffer Encoding { uint encoding[]; };  // linear16_to_srgb8, four codes a word
float sample_of_light(float light) {
  int entry = entry_of_light(light);
  return float(encoding[entry / 4] >> (8 * (entry % 4)) & 255u) / kMostCode;
}
#endif

uint plus(uint a, uint b) { return a + b; }
uint minus(uint a, uint b) { return a - b; }
uint fill_entry(int first, int x, int y) { return x < 0 || y < 0 ? 0u : fill[first + y * fill_pitch + x]; }

// The mean over the cells that fill a pixel; the last is the weight.
void light_around(ivec2 pixel, float circle, out float around[kPlanes]) {
  Box box = fill_box(pixel.x, pixel.y, circle, size.x, size.y);
  float per = 1.0 / (fill_one * box_area(box));
  int plane = fill_pitch * fill_cells(size.y);
  for (int c = 0; c < kPlanes; ++c)
    around[c] = float(SCANLENS_BOX_SUM(plus, minus, fill_entry(c * plane, box.x1, box.y1),
                                       fill_entry(c * plane, box.x1, box.y0 - 1), fill_entry(c * plane, box.x0 - 1, box.y1),
                                       fill_entry(c * plane, box.x0 - 1, box.y0 - 1))) * per;
}

void main() {
  ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(pixel, size))) return;
  vec4 texel = texelFetch(color, pixel, 0);
  float circle = circle_at(pixel), own_share = sharpness(circle);
  int own_layer = layer_of(circle, cuts);
  float sharp[kLight], light[kLight];
  light_to_show(samples_at(pixel), sharp);
  for (int c = 0; c < kLight; ++c) light[c] = 0.0;

  // This is Composite in filters/dof/composite.h.
  precise float left = 1.0;
  int plane = pitch * size.y, count = cuts.count;
  for (int l = 0; l <= count && left > 0.0; ++l) {
    float own = l == own_layer ? own_share : 0.0;
    if (own >= 1.0 && left >= 1.0) {
      imageStore(result, pixel, texel);
      return;
    }
    int at = l * kPlanes * plane + pixel.y * pitch + pixel.x;
    float coverage = whole_coverage(float(fields[at + kLight * plane]) * (1.0 / kOneLight));
    float seen = seen_share(coverage, left, own);
    if (!(seen > 0.0)) continue;
    float per_cover = coverage > 0.0 ? 1.0 / coverage : 0.0;
    for (int c = 0; c < kLight; ++c) {
      float of_layer = float(fields[at + c * plane]) * (c < kColors ? per_light : 1.0 / kOneLight);
      light[c] += seen_light(seen, of_layer * per_cover, own, sharp[c]);
    }
    left -= seen;
  }
  if (left > 0.0) {
    float around[kPlanes], covered = 1.0 - left, per_covered = covered > 1e-9 ? 1.0 / covered : 0.0;
    for (int c = 0; c < kPlanes; ++c) around[c] = 0.0;
    if (circle > 0.0 && left > 1e-6) light_around(pixel, circle, around);
    for (int c = 0; c < kLight; ++c)
      light[c] += filling_light(left, around[c], around[kLight], light[c] * per_covered);
  }

  // This is show_light in filters/dof/light.h.
  float per_alpha = 1.0;
  vec4 shown = texel;
#if CHANNELS == 4
  shown.a = min(light[3], 1.0);
  per_alpha = light[3] > 0.0 ? 1.0 / light[3] : 0.0;
#endif
  if (per_alpha > 0.0) {
    for (int c = 0; c < kColors; ++c) shown[c] = sample_of_light(light[c] * per_alpha);
#if CHANNELS == 1
    shown.gb = shown.rr;
#endif
  }
  imageStore(result, pixel, shown);
}
