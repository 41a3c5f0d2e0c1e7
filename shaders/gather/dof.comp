// Applies depth of field: every pixel reads its disparity, and the mean over its circle of confusion from the
// summed-area table. filters/dof/pixel.h has the same pixel function, on the same formulas.
//   TABLE_64         the table holds 64-bit sums, as pairs of words (low, high)
//   TABLE_BLOCKS     the table is table_write.comp's
//   WEIGH_BY_ALPHA   colours are weighed by alpha, which the table's last channel sums
#version 450 core
layout(local_size_x = 64, local_size_y = 4) in;

#include "filters/dof_formula.h"

layout(binding = 0) uniform sampler2D color;      // sRGB-encoded
layout(binding = 1) uniform sampler2D disparity;
layout(binding = 0) writeonly uniform image2D result;
#ifdef TABLE_BLOCKS
layout(std430, binding = 0) readonly buffer Table { uint table[]; };
uniform int pitch;        // words from row to row of the table
#else
layout(std430, binding = 0) readonly buffer Table { uvec4 table[]; };  // inclusive, four channels per pixel
#endif

uniform ivec2 size;       // the picture's; asking imageSize for it costs a fifth of the time
uniform Blur blur;
uniform float white;      // what the table's colour terms are at white
uniform float alpha_one;  // what its alpha terms are at full alpha

#ifdef TABLE_64
struct Sums { uvec4 low, high; };
Sums plus(Sums a, Sums b) {
  uvec4 low = a.low + b.low;
  return Sums(low, a.high + b.high + uvec4(lessThan(low, a.low)));
}
Sums minus(Sums a, Sums b) { return Sums(a.low - b.low, a.high - b.high - uvec4(lessThan(a.low, b.low))); }
vec4 to_float(Sums a) { return vec4(a.high) * 4294967296.0 + vec4(a.low); }
Sums at(int x, int y) {
  if (x < 0 || y < 0) return Sums(uvec4(0), uvec4(0));
  int i = 2 * (y * size.x + x);
  uvec4 rg = table[i], ba = table[i + 1];
  return Sums(uvec4(rg.xz, ba.xz), uvec4(rg.yw, ba.yw));
}
#elif defined(TABLE_BLOCKS)
#define Sums uvec3
Sums plus(Sums a, Sums b) { return a + b; }
Sums minus(Sums a, Sums b) { return a - b; }
vec4 to_float(Sums a) { return vec4(a, 0.0); }
Sums at(int x, int y) {
  int i = (y + 1) * pitch + 96 + 3 * (x & ~31) + (x & 31);
  return Sums(table[i], table[i + 32], table[i + 64]);
}
#else
#define Sums uvec4
Sums plus(Sums a, Sums b) { return a + b; }
Sums minus(Sums a, Sums b) { return a - b; }
vec4 to_float(Sums a) { return vec4(a); }
Sums at(int x, int y) { return x < 0 || y < 0 ? uvec4(0) : table[y * size.x + x]; }
#endif

Sums box_sum(Box box) {
  return SCANLENS_BOX_SUM(plus, minus, at(box.x1, box.y1), at(box.x1, box.y0 - 1), at(box.x0 - 1, box.y1),
                          at(box.x0 - 1, box.y0 - 1));
}

void main() {
  ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(pixel, size))) return;
  vec4 encoded = texelFetch(color, pixel, 0);

  BoxKernel kernel = box_of_equal_area(circle_of_confusion(texelFetch(disparity, pixel, 0).r, blur));
  if (is_sharp(kernel)) {
    imageStore(result, pixel, encoded);
    return;
  }

  Box inner = clipped_box(pixel.x, pixel.y, kernel.inner, size.x, size.y);
  Box outer = clipped_box(pixel.x, pixel.y, kernel.inner + 1, size.x, size.y);
  Sums inner_sums = box_sum(inner);
  vec4 inner_sum = to_float(inner_sums), ring = to_float(minus(box_sum(outer), inner_sums));
  float area = ring_sum(box_area(inner), box_area(outer) - box_area(inner), kernel);

#ifdef WEIGH_BY_ALPHA
  float weight = ring_sum(inner_sum.a, ring.a, kernel);
  float alpha = weight / (area * alpha_one);
#else
  float weight = area;
  float alpha = encoded.a;
#endif
  vec3 light = vec3(ring_sum(inner_sum.r, ring.r, kernel), ring_sum(inner_sum.g, ring.g, kernel),
                    ring_sum(inner_sum.b, ring.b, kernel)) / (weight * white);
  vec3 blurred = vec3(linear_to_srgb(light.r), linear_to_srgb(light.g), linear_to_srgb(light.b));
  imageStore(result, pixel, vec4(weight > 0.0 ? blurred : encoded.rgb, alpha));
}
