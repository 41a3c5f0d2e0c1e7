#version 450 core
// Places a vertex of the garden (Vertex in app/scene/mesh.h). Leaves sway and fireflies drift; all else stands.
#include "scene/camera_block.glsl"

// These are Surface of app/scene/mesh.h.
const int kLeaf = 4, kFirefly = 8;

layout(location = 0) in vec3 place;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec3 colour;
layout(location = 3) in vec2 texture_place;
layout(location = 4) in float surface;

uniform float time_turn;  // 0 at the beginning of the scene's loop, 2 pi at its end

out vec3 world_place;
out vec3 world_normal;
out vec2 texture_at;
flat out vec3 own_colour;
flat out int own_surface;

// Returns the distance from its beginning of a swing of amplitude 1, `times` times in a loop.
float swung(float times, float phase) { return sin(times * time_turn + phase) - sin(phase); }

// Returns how far a point of a leaf has moved: the foot not at all, the tip by a centimetre. Gusts run over the garden.
vec3 swayed() {
  float phase = 5.0 * place.x + 3.0 * place.z, reach = texture_place.y * texture_place.y;
  float along = swung(13.0, phase) + 0.4 * swung(31.0, 3.0 * phase), across = swung(17.0, phase + 1.0);
  return 0.006 * reach * vec3(along, 0.0, 0.5 * across);
}

// Returns where a firefly has drifted: no two are equally bright, nor fly together.
vec3 drifted() {
  float phase = 1.7 * colour.r;
  vec3 way = vec3(swung(7.0, phase), swung(11.0, 2.0 * phase), swung(5.0, 3.0 * phase));
  return vec3(0.030, 0.014, 0.030) * way;
}

void main() {
  own_surface = int(surface);
  world_place = place;
  if (own_surface == kLeaf) world_place += swayed();
  if (own_surface == kFirefly) world_place += drifted();
  world_normal = normal;
  texture_at = texture_place;
  own_colour = colour;
  gl_Position = clip_from_world * vec4(world_place, 1.0);
}
