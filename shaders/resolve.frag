#version 450 core
// Makes one pixel from the samples of a tile. The samples are already tone-mapped, so that a highlight's edge comes
// out smooth, and are averaged in linear light, as a sensor does.
#include "encode.glsl"

layout(binding = 0) uniform sampler2DMS samples;
layout(binding = 1) uniform sampler2DMS depths;
uniform ivec2 tile_origin;
uniform float near;  // metres; depth / near is the disparity

#ifdef ACCUMULATE
layout(location = 0) out vec4 sum;
#else
layout(location = 0) out vec4 colour;
layout(location = 1) out float disparity;
#endif

void main() {
  // The framebuffer is the whole picture when the tile is written to its place, the tile when samples are summed.
#ifdef ACCUMULATE
  ivec2 pixel = ivec2(gl_FragCoord.xy);
#else
  ivec2 pixel = ivec2(gl_FragCoord.xy) - tile_origin;
#endif
  vec3 light = vec3(0.0);
  for (int i = 0; i < SAMPLES; ++i) light += texelFetch(samples, pixel, i).rgb;
#ifdef ACCUMULATE
  sum = vec4(light / float(SAMPLES), 1.0);
#else
  colour = encoded(light / float(SAMPLES), ivec2(gl_FragCoord.xy));
  // A mean of near and far would be a place where nothing is. The pixel belongs to the nearer surface when that covers
  // at least half of it: the second largest of four.
  float first = 0.0, second = 0.0;
  for (int i = 0; i < SAMPLES; ++i) {
    float depth = texelFetch(depths, pixel, i).r;
    second = max(second, min(first, depth));
    first = max(first, depth);
  }
  disparity = (SAMPLES > 1 ? second : first) / near;
#endif
}
