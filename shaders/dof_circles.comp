// Finds every pixel's signed circle of confusion, the greatest of each tile, and the least and the greatest of all.
#version 450 core
layout(local_size_x = 16, local_size_y = 16) in;
#include "filters/dof/layers_formula.h"
#include "nearest.glsl"

layout(binding = 1) uniform sampler2D disparity;
layout(std430, binding = 1) writeonly buffer Circles { float circles[]; };
uniform ivec2 size;
uniform vec3 scale_focus_most;
uniform vec2 near_far;

// A tile is so many pixels large, or twice as many, or four times: a quarter of a work group lies in one.
const int kQuarter = 8;
const int kNone = int(0x80000000u);  // less than what any number is ordered as
shared int greatest[4], least_complement;

float circle_at(ivec2 pixel) {
  LayeredLens lens =
      LayeredLens(scale_focus_most.x, scale_focus_most.y, scale_focus_most.z, near_far.x, near_far.y);
  float value = texelFetch(disparity, clamp(pixel, ivec2(0), size - 1), 0).r;
  // GLSL may compare with what is no number as it likes.
  return isnan(value) ? -lens.most * lens.far : signed_circle(value, lens);
}

void main() {
  int own = int(gl_LocalInvocationIndex);
  if (own < 4) greatest[own] = kNone;
  if (own == 4) least_complement = kNone;
  memoryBarrierShared();
  barrier();

  ivec2 pixel = ivec2(gl_GlobalInvocationID.xy), local = ivec2(gl_LocalInvocationID.xy) / kQuarter;
  if (all(lessThan(pixel, size))) {
    const ivec2 toward[4] = ivec2[4](ivec2(1, 0), ivec2(0, 1), ivec2(1, 1), ivec2(1, -1));
    float ones[4], others[4];
    for (int i = 0; i < 4; ++i) {
      ones[i] = circle_at(pixel + toward[i]);
      others[i] = circle_at(pixel - toward[i]);
    }
    float circle = unmixed_circle(circle_at(pixel), ones, others);
    circles[pixel.y * size.x + pixel.x] = circle;
    atomicMax(greatest[local.y * 2 + local.x], ordered(circle));
    atomicMax(least_complement, ~ordered(circle));
  }
  memoryBarrierShared();
  barrier();

  ivec2 first = ivec2(gl_WorkGroupID.xy) * 2 * kQuarter + ivec2(own % 2, own / 2) * kQuarter;
  if (own < 4 && all(lessThan(first, size))) {
    ivec2 fine = first / tile_side, coarse = fine / 2;
    atomicMax(nearest[fine.y * fine_tiles.x + fine.x], greatest[own]);
    atomicMax(nearest[fine_tiles.x * fine_tiles.y + coarse.y * coarse_tiles.x + coarse.x], greatest[own]);
    atomicMax(extremes[1], greatest[own]);
  }
  if (own == 0) atomicMax(extremes[0], least_complement);
}
