// Cuts the depth of a picture into layers, by the extremes of its circles, and clears what tiles of the fields have.
//   LAYERS           how many there are
#version 450 core
layout(local_size_x = 256) in;
#define TILES_ACCESS
#include "layers/depths.glsl"
#include "layers/field_tiles.glsl"

layout(std140, binding = 0) writeonly buffer Cuts { LayerCuts cuts; };

void main() {
  if (gl_GlobalInvocationID.x == 0u)
    cuts = layer_cuts(kMostDofLayers, from_ordered(~extremes[0]), from_ordered(extremes[1]));
  for (uint i = gl_GlobalInvocationID.x; i <= uint(field_tiles.x * field_tiles.y); i += gl_WorkGroupSize.x)
    tiles[i] = 0u;
}
