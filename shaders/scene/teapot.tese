#version 450 core
// Evaluates a bicubic Bezier patch and its normal.
layout(quads, equal_spacing, ccw) in;

#include "scene/teapots_block.glsl"

uniform int teapot;

in vec3 corner[];
#ifdef SHADOW
out vec3 shadow_place;
#else
// These are taken at the sample that is covered: beyond a silhouette the normal would point away from the eye.
centroid out vec3 world_place;
centroid out vec3 world_normal;
#endif

// Is exact at t = 0 and t = 1, so that an edge depends on its own four points only.
vec4 bernstein(float t) {
  float s = 1.0 - t;
  return vec4(s * s * s, 3.0 * t * s * s, 3.0 * t * t * s, t * t * t);
}

vec4 bernstein_slope(float t) {
  float s = 1.0 - t;
  return vec4(-s * s, s * s - 2.0 * t * s, 2.0 * t * s - t * t, t * t);
}

vec3 along_row(int row, vec4 weight) {
  return weight.x * corner[4 * row] + weight.y * corner[4 * row + 1] + weight.z * corner[4 * row + 2] +
         weight.w * corner[4 * row + 3];
}

vec3 blend(vec4 across, vec4 down) {
  return down.x * along_row(0, across) + down.y * along_row(1, across) + down.z * along_row(2, across) +
         down.w * along_row(3, across);
}

vec3 cross_slopes(float u, float v) {
  return cross(blend(bernstein_slope(u), bernstein(v)), blend(bernstein(u), bernstein_slope(v)));
}

void main() {
  float u = gl_TessCoord.x;
  float v = gl_TessCoord.y;
  precise vec3 place = blend(bernstein(u), bernstein(v));
  vec4 world = teapots[teapot].world_from_model * vec4(place, 1.0);
#ifdef SHADOW
  shadow_place = (teapots[teapot].shadow_from_world * world).xyz;
  gl_Position = vec4(2.0 * shadow_place - 1.0, 1.0);
  gl_Position.z = shadow_place.z;
#else
  vec3 normal = cross_slopes(u, v);
  // At the poles of lid and bottom a row of control points falls into one and the slope along it vanishes; a step
  // away from there the normal is defined, and by symmetry all patches meet in the axis.
  if (dot(normal, normal) < 1e-6) {
    normal = cross_slopes(clamp(u, 0.01, 0.99), clamp(v, 0.01, 0.99));
    if (abs(place.x) + abs(place.y) < 1e-5) normal = vec3(0.0, 0.0, normal.z);
  }
  world_place = world.xyz;
  world_normal = mat3(teapots[teapot].world_from_model) * normalize(normal);
  gl_Position = clip_from_world * world;
#endif
}
