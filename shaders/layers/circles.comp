// Finds every pixel's signed circle of confusion and the greatest of each tile. Finds the least and the
// greatest of all and of each tile of the fields.
#version 450 core
layout(local_size_x = 32, local_size_y = 8) in;
#define DEPTHS_ACCESS
#include "layers/depths.glsl"
#include "core/spread/field_tiles_formula.h"
#include "filters/dof/fill_formula.h"
#include "layers/synchronise.glsl"

layout(binding = 1) uniform sampler2D disparity;
layout(std430, binding = 1) writeonly buffer Circles { float circles[]; };
uniform ivec2 size;
uniform LayeredLens lens;
uniform int field_tiles_across;

// A work group has a square, which lies in one tile of the fields, and an invocation four pixels of a column: on an H200,
// at 3840 x 2160, 0.074 ms, where squares of 16 and an invocation per pixel took 0.105.
const int kSide = 32, kRows = 4, kThreads = kSide * kSide / kRows, kWithRim = kSide + 2;
const int kTiles = kSide / kLeastNearTile;
const int kNone = int(0x80000000u);  // less than what any number is ordered as
shared float around[kWithRim * kWithRim];
shared int greatest[kTiles * kTiles], least_complement;

float circle_at(ivec2 pixel) {
  float value = texelFetch(disparity, clamp(pixel, ivec2(0), size - 1), 0).r;
  // GLSL may compare with what is no number as it likes.
  return isnan(value) ? -lens.blur.most * lens.far : signed_circle(value, lens);
}

float unmixed_circle_at(int place) {
  const int toward[4] = int[4](1, kWithRim, kWithRim + 1, 1 - kWithRim);
  float ones[4], others[4];
  for (int i = 0; i < 4; ++i) {
    ones[i] = around[place + toward[i]];
    others[i] = around[place - toward[i]];
  }
  return unmixed_circle(around[place], ones, others);
}

// Finds the circles of a column of pixels; the first is at `local` in the square.
void find_circles(ivec2 pixel, ivec2 local) {
  int place = local.y * kWithRim + local.x + 1;  // of the neighbour above the first
  float low[kRows + 2], middle[kRows + 2], high[kRows + 2];  // of three in a row
  for (int r = 0; r < kRows + 2; ++r) {
    float left = around[place + r * kWithRim - 1], right = around[place + r * kWithRim + 1];
    middle[r] = around[place + r * kWithRim];
    low[r] = min(min(left, right), middle[r]);
    high[r] = max(max(left, right), middle[r]);
  }
  int most = kNone, complement = kNone;
  for (int r = 0; r < kRows; ++r) {
    if (pixel.y + r >= size.y) break;
    float least_around = min(min(low[r], low[r + 1]), low[r + 2]);
    float most_around = max(max(high[r], high[r + 1]), high[r + 2]);
    // Few pixels are mixed.
    bool mixed = most_around - least_around > 0.5 * kLeastMixed;
    float circle = mixed ? unmixed_circle_at(place + (r + 1) * kWithRim) : middle[r + 1];
    circles[(pixel.y + r) * size.x + pixel.x] = circle;
    most = max(most, ordered(circle));
    complement = max(complement, ~ordered(circle));
  }
  atomicMax(greatest[local.y / kLeastNearTile * kTiles + local.x / kLeastNearTile], most);
  atomicMax(least_complement, complement);
}

void main() {
  int own = int(gl_LocalInvocationIndex);
  ivec2 corner = ivec2(gl_WorkGroupID.xy) * kSide;
  if (own < kTiles * kTiles) greatest[own] = kNone;
  if (own == 0) least_complement = kNone;
  for (int i = own; i < kWithRim * kWithRim; i += kThreads)
    around[i] = circle_at(corner + ivec2(i % kWithRim, i / kWithRim) - 1);
  synchronise();

  ivec2 local = ivec2(gl_LocalInvocationID.xy) * ivec2(1, kRows), pixel = corner + local;
  if (all(lessThan(pixel, size))) find_circles(pixel, local);
  synchronise();

  ivec2 first = corner + ivec2(own % kTiles, own / kTiles) * kLeastNearTile;
  if (own < kTiles * kTiles && all(lessThan(first, size))) {
    ivec2 fine = first / tile_side, coarse = fine / 2;
    atomicMax(nearest[fine.y * fine_tiles.x + fine.x], greatest[own]);
    atomicMax(nearest[fine_tiles.x * fine_tiles.y + coarse.y * coarse_tiles.x + coarse.x], greatest[own]);
  }
  if (own == 0) {
    int most = kNone, of_field_tile = field_tile_extremes(corner.y / kFieldTileHeight * field_tiles_across +
                                                          corner.x / kFieldTileWidth);
    for (int i = 0; i < kTiles * kTiles; ++i) most = max(most, greatest[i]);
    atomicMax(extremes[0], least_complement);
    atomicMax(extremes[1], most);
    atomicMax(nearest[of_field_tile], least_complement);
    atomicMax(nearest[of_field_tile + 1], most);
  }
}
