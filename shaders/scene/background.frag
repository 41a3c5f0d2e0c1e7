#version 450 core
#include "scene/studio.glsl"

uniform vec2 tile_origin;

layout(location = 0) out vec4 colour;

void main() {
  vec2 pixel = gl_FragCoord.xy + tile_origin;
  colour = vec4(backdrop(ray_corner.xyz + pixel.x * ray_dx.xyz + pixel.y * ray_dy.xyz), 1.0);
}
