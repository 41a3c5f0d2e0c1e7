#version 450 core
// Writes the mean of the summed lens samples of a tile to its place in the picture: light, or codes.
#ifndef LIGHT
#include "scene/encode.glsl"
#endif

layout(binding = 0) uniform sampler2D sums;
uniform ivec2 tile_origin;

layout(location = 0) out vec4 colour;

void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  vec4 sum = texelFetch(sums, pixel - tile_origin, 0);
#ifdef LIGHT
  colour = vec4(sum.rgb / sum.a, 1.0);
#else
  colour = encoded(sum.rgb / sum.a, pixel);
#endif
}
