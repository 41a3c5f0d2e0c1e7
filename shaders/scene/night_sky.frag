#version 450 core
#include "scene/camera_block.glsl"
#include "scene/night.glsl"

uniform vec2 tile_origin;  // pixel of the picture at the framebuffer's first pixel

layout(location = 0) out vec4 colour;

void main() {
  vec2 pixel = gl_FragCoord.xy + tile_origin;
  colour = vec4(night_sky(ray_corner.xyz + pixel.x * ray_dx.xyz + pixel.y * ray_dy.xyz), 1.0);
}
