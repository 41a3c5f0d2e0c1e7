// Deposits the groups of 4 x 4 and of 2 x 2 pixels that are blurred alike as one, and notes which pixels are in groups.
// Few groups of a tile come near each other's corners, so that their deposits go to the fields directly.
#version 450 core
const ivec2 kAcross = ivec2(32, 8);  // an invocation has 2 x 2 pixels: a group, or a quarter of one of 4 x 4
layout(local_size_x = 32, local_size_y = 8) in;
#include "layers/spread.glsl"
#include "layers/synchronise.glsl"

#define GROUPS_ACCESS writeonly
#include "layers/groups.glsl"

bool holds_shape(int layer, ivec2 first, ivec2 end) { return false; }
void add_held_box(ivec2 first, ivec2 end, uint values[kPlanes]) {}
void add_corner(int layer, ivec2 pixel, uint sign, uint values[kPlanes]) {
  add_to_fields(layer, pixel, sign, values);
}

// The circles of a group: the least, the greatest, and the sum, of quarters: floats add up to the same bits on every
// backend.
vec3 joined(vec3 a, vec3 b, vec3 c, vec3 d) {
  precise float sum = (a.z + b.z) + (c.z + d.z);
  return vec3(min(min(a.x, b.x), min(c.x, d.x)), max(max(a.y, b.y), max(c.y, d.y)), sum);
}
// A pixel beyond the picture counts as in focus: no group with it is spread as one.
vec3 circle_of(ivec2 pixel) { return vec3(all(lessThan(pixel, size)) ? circle_at(pixel) : 0.0); }

bool is_spread_as_one(vec3 circles, ivec2 first, int side) {
  return spread_as_one(circles.x, circles.y, side, first.x, first.y) &&
         layer_of(circles.x, cuts) == layer_of(circles.y, cuts);
}

// The mean over a group of 2^bits pixels, rounded down: their sum does not fit 32 bits.
void mean_of_light(ivec2 first, int side, int bits, out uint mean[kPlanes]) {
  uint rest[kPlanes];
  for (int c = 0; c < kPlanes; ++c) mean[c] = rest[c] = 0u;
  for (int i = 0; i < side * side; ++i) {
    uint light[kPlanes];
    ivec2 pixel = first + ivec2(i % side, i / side);
    light_beside_lamp(pixel, samples_at(pixel), light);
    for (int c = 0; c < kPlanes; ++c) {
      mean[c] += light[c] >> bits;
      rest[c] += light[c] & ((1u << bits) - 1u);
    }
  }
  for (int c = 0; c < kPlanes; ++c) mean[c] += rest[c] >> bits;
}

shared vec3 quarters[kAcross.y][kAcross.x];  // the circles of each
shared uint any_wide;                        // not 0 where one may be spread as one
shared uint four_as_one[kAcross.y / 2];      // bit x: so is that group of 4 x 4

void main() {
  ivec2 local = ivec2(gl_LocalInvocationID.xy), first = ivec2(gl_GlobalInvocationID.xy) * 2;
  vec3 circles = joined(circle_of(first), circle_of(first + ivec2(1, 0)), circle_of(first + ivec2(0, 1)),
                        circle_of(first + 1));
  quarters[local.y][local.x] = circles;
  if (gl_LocalInvocationIndex == 0u) any_wide = 0u;
  if (local.x == 0) four_as_one[local.y / 2] = 0u;
  synchronise();
  if (max(abs(circles.x), abs(circles.y)) >= least_group_radius(2)) any_wide = 1u;
  synchronise();
  bool in_group = false;
  if (any_wide != 0u) {
    ivec2 of_four = local & ~1;
    vec3 four = joined(quarters[of_four.y][of_four.x], quarters[of_four.y][of_four.x + 1],
                       quarters[of_four.y + 1][of_four.x], quarters[of_four.y + 1][of_four.x + 1]);
    if (local == of_four && is_spread_as_one(four, first, 4))
      atomicOr(four_as_one[local.y / 2], 1u << local.x / 2);
    synchronise();
    bool in_four = (four_as_one[local.y / 2] >> local.x / 2 & 1u) != 0u;
    if (in_four || is_spread_as_one(circles, first, 2)) in_group = true;
    if (in_group && (!in_four || local == of_four)) {
      int side = in_four ? 4 : 2;
      uint light[kPlanes];
      mean_of_light(first, side, side / 2 * 2, light);
      taken_layers = ~0u;
      spread_light(first, side, in_four ? four.z * 0.0625 : circles.z * 0.25, light);
    }
  }
  if (all(lessThan(first, size))) groups[group_at(first)] = in_group ? 1u : 0u;
}
