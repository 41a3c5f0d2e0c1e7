#version 450 core
// Draws a square so large that its edge has faded into the backdrop.
#include "scene/teapots_block.glsl"

const float kHalfSide = 120.0;

void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
  vec2 middle = eye.xz;
  gl_Position = clip_from_world * vec4(middle.x + kHalfSide * corner.x, 0.0, middle.y + kHalfSide * corner.y, 1.0);
}
