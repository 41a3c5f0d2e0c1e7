#version 450 core
// Makes one pixel from the samples of a tile: their mean in linear light, as a sensor does. Samples that become codes
// are already tone-mapped, so that a highlight's edge comes out smooth.
#ifndef LIGHT
#include "scene/encode.glsl"
#endif

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

// A mean of near and far would be a place where nothing is. The pixel belongs to the nearest surface that has, with all
// before it, half of the pixel. A sample brighter than white weighs as much as it is brighter, so that a lamp's light
// stays where the lamp is.
float depth_of_most(ivec2 pixel) {
  float depth[SAMPLES], weight[SAMPLES];
  float all = 0.0;
  for (int i = 0; i < SAMPLES; ++i) {
    vec3 light = texelFetch(samples, pixel, i).rgb;
    depth[i] = texelFetch(depths, pixel, i).r;
    weight[i] = max(1.0, max(light.r, max(light.g, light.b)));
    all += weight[i];
  }
  float most = 0.0;
  for (int i = 0; i < SAMPLES; ++i) {
    float before = 0.0;
    for (int j = 0; j < SAMPLES; ++j) before += depth[j] >= depth[i] ? weight[j] : 0.0;
    if (2.0 * before >= all) most = max(most, depth[i]);
  }
  return most;
}

void main() {
  // The framebuffer is the whole picture when the tile is written to its place, the tile when samples are summed.
#ifdef ACCUMULATE
  ivec2 pixel = ivec2(gl_FragCoord.xy);
#else
  ivec2 pixel = ivec2(gl_FragCoord.xy) - tile_origin;
#endif
  vec3 light = vec3(0.0);
  for (int i = 0; i < SAMPLES; ++i) light += texelFetch(samples, pixel, i).rgb;
  light /= float(SAMPLES);
#ifdef ACCUMULATE
  sum = vec4(light, 1.0);
#else
#ifdef LIGHT
  colour = vec4(light, 1.0);
#else
  colour = encoded(light, ivec2(gl_FragCoord.xy));
#endif
  disparity = depth_of_most(pixel) / near;
#endif
}
