#version 450 core
// Shades the garden in linear light. Nothing mirrors: a point looks the same from everywhere on the lens.
#include "scene/camera_block.glsl"
#include "scene/night.glsl"
#include "scene/garden.glsl"

// These are Surface of app/scene/mesh.h.
const int kMatt = 0, kCobbles = 1, kBricks = 2, kPainted = 3, kLeaf = 4, kLamp = 5, kWindow = 6, kWood = 7,
          kFirefly = 8;

in vec3 world_place;
in vec3 world_normal;
in vec2 texture_at;
flat in vec3 own_colour;
flat in int own_surface;

layout(location = 0) out vec4 colour;

// Returns the share of the sky that is free: things standing on the ground hide it near their feet.
float openness(vec3 place) {
  vec2 off = (place.xz - POT_PLACE.xz) / POT_SCALE;
  float pot = place.y < POT_PLACE.y + 0.004 ? 1.0 - 0.75 * exp(-2.5 * max(length(off) - 1.4, 0.0)) : 1.0;
  vec2 board = max(abs(place.xz - vec2(-0.06, 0.01)) - vec2(0.30, 0.14), 0.0);
  return pot * (place.y < 0.004 ? 1.0 - 0.7 * exp(-40.0 * length(board)) : 1.0);
}

vec3 reflectance(vec2 width) {
  if (own_surface == kCobbles) {
    vec3 dx = dFdx(world_place), dy = dFdy(world_place);
    return cobbles(own_colour, world_place.xz, abs(dx.xz) + abs(dy.xz));
  }
  if (own_surface == kBricks) return own_colour * (0.35 + 0.65 * blocks(texture_at, width, vec2(0.24, 0.085), 0.014));
  if (own_surface == kWood) return wood(own_colour, texture_at, width);
  if (own_surface == kLeaf) {
    float rib = exp(-40.0 * texture_at.x * texture_at.x);
    return own_colour * (0.75 + 0.5 * texture_at.y) * (1.0 - 0.45 * rib);
  }
  if (own_surface == kPainted) {
    vec2 off = world_place.xz - POT_PLACE.xz;
    float pixel = length(fwidth(world_place)) / POT_SCALE;
    return painted(own_colour, texture_at.x, texture_at.y, atan(off.y, off.x), pixel);
  }
  return own_colour;
}

void main() {
  vec2 width = fwidth(texture_at);
  if (own_surface == kLamp || own_surface == kFirefly || own_surface == kWindow) {
    colour = vec4(own_surface == kWindow ? window(own_colour, texture_at, width) : own_colour, 1.0);
    return;
  }
  vec3 normal = normalize(world_normal);
  float through = own_surface == kLeaf ? 0.7 : own_surface == kPainted ? 0.03 : 0.0;
  vec3 shaded = reflectance(width) * light_on(world_place, normal, through) * openness(world_place);
  // The air between lightens what is far away.
  vec3 ray = world_place - eye.xyz;
  float clear = exp(-length(ray) / 90.0);
  colour = vec4(mix(night_sky(vec3(ray.x, 0.0, ray.z)), shaded, clear), 1.0);
}
