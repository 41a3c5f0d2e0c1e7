#include "filters/color.h"

// Encodes linear light, 0..1, as sRGB with a dither of less than one step, without which the backdrop would show
// bands. The same pixel of the picture always gets the same dither (interleaved gradient noise, Jimenez 2014).
vec4 encoded(vec3 light, ivec2 pixel) {
  vec3 code = vec3(linear_to_srgb(light.r), linear_to_srgb(light.g), linear_to_srgb(light.b));
  float noise = fract(52.9829189 * fract(dot(vec2(pixel), vec2(0.06711056, 0.00583715))));
  return vec4(code + (noise - 0.5) * (0.9 / 255.0), 1.0);
}
