#version 450 core
// A whole teapot has one level, so that neighbouring patches meet without cracks.
layout(vertices = 16) out;

#include "scene/teapots_block.glsl"

uniform int teapot;
uniform float level;
uniform vec4 tile_bounds;  // left, right, bottom and top of the tile in normalised device coordinates

in vec3 point[];
out vec3 corner[];

// Returns true if the patch, which lies in the hull of its control points, lies beside the tile. The margin is for
// rounding.
bool beside_tile() {
#ifdef SHADOW
  return false;
#else
  mat4 clip_from_model = clip_from_world * teapots[teapot].world_from_model;
  bvec4 all_beyond = bvec4(true);
  for (int i = 0; i < 16; ++i) {
    vec4 p = clip_from_model * vec4(point[i], 1.0);
    vec4 inside = vec4(p.x - tile_bounds.x * p.w, tile_bounds.y * p.w - p.x, p.y - tile_bounds.z * p.w,
                       tile_bounds.w * p.w - p.y);
    bvec4 beyond = lessThan(inside, vec4(-1e-4 * abs(p.w)));
    all_beyond = bvec4(all_beyond.x && beyond.x, all_beyond.y && beyond.y, all_beyond.z && beyond.z,
                       all_beyond.w && beyond.w);
  }
  return any(all_beyond);
#endif
}

void main() {
  corner[gl_InvocationID] = point[gl_InvocationID];
  if (gl_InvocationID == 0) {
    float parts = beside_tile() ? 0.0 : level;  // 0 discards the patch
    for (int i = 0; i < 4; ++i) gl_TessLevelOuter[i] = parts;
    for (int i = 0; i < 2; ++i) gl_TessLevelInner[i] = parts;
  }
}
