// Marks the tiles of the fields that pixels may reach, and in which layers: mark_reached_tiles in
// filters/dof/circles_cuda.cu. A work group has a tile.
#version 450 core
layout(local_size_x = 32) in;
#define TILES_ACCESS
#include "layers/cuts.glsl"
#include "layers/depths.glsl"
#include "layers/field_tiles.glsl"
#include "filters/dof/frame_formula.h"
#if PUPILS
#include "layers/stacks.glsl"
#else
#include "layers/shapes.glsl"
#endif

uniform float per_spacing;
uniform vec2 disc_stretch;  // half the size of discs per radius; 0 where there are no lamps

const int kMostMarked = 1024;  // tiles; a tile that reaches more marks all at once, in constant time

void mark(int tile, uint layers) {
  // Most are marked already, and a read is cheaper.
  if ((~tiles[tile] & layers) != 0u) atomicOr(tiles[tile], layers);
}

void main() {
  ivec2 tile = ivec2(gl_WorkGroupID.xy);
  int own = field_tile_extremes(tile.y * field_tiles.x + tile.x);
  float least = from_ordered(~nearest[own]), most = from_ordered(nearest[own + 1]);
  if (!deposits(least) && !deposits(most)) return;
  // Shapes, and the layers of circles, grow with the circle: the extremes say all.
  int first = layer_share(most, cuts).layer, last = layer_of(least, cuts);
  uint layers = (2u << last) - (1u << first);
  float radius = max(abs(least), abs(most));
  ivec2 reach = ivec2(lamp_reach(radius, per_spacing, disc_stretch.x),
                      lamp_reach(radius, per_spacing, disc_stretch.y));
  for (int i = 0; i < kGroupSizes; ++i) {
#if PUPILS
    reach = max(reach, reach_of_stacks(i, radius) + 1 + kMostGroupShift);
#else
    int shape = shape_of_radius(shapes_of[i].x, shapes_of[i].y, radius) + 1;
    reach = max(reach, outermost(boxes_of(shape)) + (1 << i) + kMostGroupShift);
#endif
  }
  ivec2 tile_size = ivec2(kFieldTileWidth, kFieldTileHeight), from = tile * tile_size;
  ivec2 begin = max(from - reach, 0) / tile_size;
  ivec2 end = min((from + tile_size - 1 + reach) / tile_size, field_tiles - 1) + 1, count = end - begin;
  if (count.x * count.y > kMostMarked) {
    if (gl_LocalInvocationIndex == 0u) mark(field_tiles.x * field_tiles.y, layers);
    return;
  }
  for (int i = int(gl_LocalInvocationIndex); i < count.x * count.y; i += int(gl_WorkGroupSize.x))
    mark((begin.y + i / count.x) * field_tiles.x + begin.x + i % count.x, layers);
}
