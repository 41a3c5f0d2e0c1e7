// Finds every pixel's signed circle of confusion, the greatest of each tile, and the least and the greatest of all and of
// each tile of the fields.
#version 450 core
layout(local_size_x = 16, local_size_y = 16) in;
#define DEPTHS_ACCESS
#include "layers/depths.glsl"
#include "core/spread/field_tiles_formula.h"

layout(binding = 1) uniform sampler2D disparity;
layout(std430, binding = 1) writeonly buffer Circles { float circles[]; };
uniform ivec2 size;
uniform vec3 scale_focus_most;
uniform vec2 near_far;
uniform int field_tiles_across;

// A tile is so many pixels large, or twice as many, or four times: a quarter of a work group lies in one.
const int kSide = 16, kQuarter = kSide / 2, kWithRim = kSide + 2;
const int kNone = int(0x80000000u);  // less than what any number is ordered as
shared float around[kWithRim * kWithRim];
shared int greatest[4], least_complement;

float circle_at(ivec2 pixel) {
  LayeredLens lens =
      LayeredLens(scale_focus_most.x, scale_focus_most.y, scale_focus_most.z, near_far.x, near_far.y);
  float value = texelFetch(disparity, clamp(pixel, ivec2(0), size - 1), 0).r;
  // GLSL may compare with what is no number as it likes.
  return isnan(value) ? -lens.most * lens.far : signed_circle(value, lens);
}

float unmixed_circle_at(int place) {
  const int toward[4] = int[4](1, kWithRim, kWithRim + 1, 1 - kWithRim);
  float own = around[place], ones[4], others[4], range = 0.0;
  for (int i = 0; i < 4; ++i) {
    ones[i] = around[place + toward[i]];
    others[i] = around[place - toward[i]];
    range = max(range, max(abs(ones[i] - own), abs(others[i] - own)));
  }
  // Few pixels are mixed.
  return range > 0.5 * kLeastMixed ? unmixed_circle(own, ones, others) : own;
}

void main() {
  int own = int(gl_LocalInvocationIndex);
  ivec2 corner = ivec2(gl_WorkGroupID.xy) * kSide;
  if (own < 4) greatest[own] = kNone;
  if (own == 4) least_complement = kNone;
  for (int i = own; i < kWithRim * kWithRim; i += kSide * kSide)
    around[i] = circle_at(corner + ivec2(i % kWithRim, i / kWithRim) - 1);
  memoryBarrierShared();
  barrier();

  ivec2 pixel = ivec2(gl_GlobalInvocationID.xy), local = ivec2(gl_LocalInvocationID.xy);
  if (all(lessThan(pixel, size))) {
    int place = (local.y + 1) * kWithRim + local.x + 1;
    float circle = unmixed_circle_at(place);
    circles[pixel.y * size.x + pixel.x] = circle;
    atomicMax(greatest[local.y / kQuarter * 2 + local.x / kQuarter], ordered(circle));
    atomicMax(least_complement, ~ordered(circle));
  }
  memoryBarrierShared();
  barrier();

  // A work group lies in one tile of the fields.
  int of_field_tile =
      field_tile_extremes(corner.y / kFieldTileHeight * field_tiles_across + corner.x / kFieldTileWidth);
  ivec2 first = corner + ivec2(own % 2, own / 2) * kQuarter;
  if (own < 4 && all(lessThan(first, size))) {
    ivec2 fine = first / tile_side, coarse = fine / 2;
    atomicMax(nearest[fine.y * fine_tiles.x + fine.x], greatest[own]);
    atomicMax(nearest[fine_tiles.x * fine_tiles.y + coarse.y * coarse_tiles.x + coarse.x], greatest[own]);
  }
  if (own == 0) {
    int most = max(max(greatest[0], greatest[1]), max(greatest[2], greatest[3]));
    atomicMax(extremes[0], least_complement);
    atomicMax(extremes[1], most);
    atomicMax(nearest[of_field_tile], least_complement);
    atomicMax(nearest[of_field_tile + 1], most);
  }
}
