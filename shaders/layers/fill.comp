// Makes the terms of the fill's table: for each cell the mean light of its pixels, as far as they lie well behind the
// nearest thing around.
#version 450 core
layout(local_size_x = 16, local_size_y = 16) in;
#include "layers/light.glsl"
#include "layers/lamps.glsl"
#include "layers/depths.glsl"
#include "filters/dof/fill_formula.h"
#include "layers/synchronise.glsl"
#include "filters/dof/shapes_formula.h"

layout(std430, binding = 6) writeonly buffer Fill { uint fill[]; };  // [plane][row][column]
uniform int fill_pitch;  // from row to row
uniform float fill_one;  // what white is in the table
uniform float coarse_share;
#if BITS == 32
uniform float per_white;  // 1 / (light that counts as white)
#else
const float per_white = 1.0;
#endif

// The greatest circle in the tile, of those from `start` on, and the up to 8 around it.
float greatest_around(int start, ivec2 tile, ivec2 tiles) {
  Box around = clipped_box(tile.x, tile.y, 1, tiles.x, tiles.y);
  int greatest = nearest[start + tile.y * tiles.x + tile.x];
  for (int y = around.y0; y <= around.y1; ++y)
    for (int x = around.x0; x <= around.x1; ++x) greatest = max(greatest, nearest[start + y * tiles.x + x]);
  return from_ordered(greatest);
}

float nearest_around(ivec2 fine) {
  return nearest_of_levels(greatest_around(0, fine, fine_tiles),
                           greatest_around(fine_tiles.x * fine_tiles.y, fine / 2, coarse_tiles), coarse_share);
}

// A work group has a square of pixels, and finds what is nearest in each of its parts but once.
const int kAcross = 16, kSide = kAcross * kFillCell, kTiles = kSide / kLeastNearTile;
shared float nearest_of[kTiles * kTiles];

void main() {
  int own = int(gl_LocalInvocationIndex);
  ivec2 corner = ivec2(gl_WorkGroupID.xy) * kSide, of_tile = corner + ivec2(own % kTiles, own / kTiles) * kLeastNearTile;
  if (own < kTiles * kTiles && all(lessThan(of_tile, size))) nearest_of[own] = nearest_around(of_tile / tile_side);
  synchronise();
  ivec2 cell = ivec2(gl_GlobalInvocationID.xy), first = cell * kFillCell, end = min(first + kFillCell, size);
  if (any(greaterThanEqual(first, size))) return;
  ivec2 tile = (first - corner) / kLeastNearTile;
  float nearest_circle = nearest_of[tile.y * kTiles + tile.x];
  // This is FillCell in filters/dof/fill.h.
  precise float sums[kPlanes];
  for (int c = 0; c < kPlanes; ++c) sums[c] = 0.0;
  // No light is read where nothing lies behind anything.
  for (int y = first.y; y < end.y; ++y)
    for (int x = first.x; x < end.x; ++x) {
      float light[kLight], weight = fill_weight(circle_at(ivec2(x, y)), nearest_circle);
      if (!(weight > 0.0)) continue;
      Samples samples = samples_at(ivec2(x, y));
      if (lamp_blocks.x > 0 && share_of_block(first) > 0u) {
        uint spread[kPlanes];
        light_to_spread(samples, spread);
        weight = weight_without_lamp(weight, share_of_lamp(ivec2(x, y), spread));
      }
      light_to_show(samples, light);
      for (int c = 0; c < kLight; ++c) sums[c] = sums[c] + light_to_fill(light[c], c < kColors ? per_white : 1.0) * weight;
      sums[kLight] = sums[kLight] + weight;
    }
  // Pixels are 1, 2 or 4, so that to multiply is to divide.
  float per_pixel = quotient(1.0, float((end.x - first.x) * (end.y - first.y)));
  float rounding = fill_rounding(pixel_hash(first.x, first.y));
  int plane = fill_pitch * fill_cells(size.y), at = cell.y * fill_pitch + cell.x;
  for (int c = 0; c < kPlanes; ++c) fill[at + c * plane] = fill_term(sums[c] * per_pixel, fill_one, rounding);
}
