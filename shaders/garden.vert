#version 450 core
// Places a vertex of the garden (Vertex in app/scene/mesh.h).
#include "camera_block.glsl"

layout(location = 0) in vec3 place;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec3 colour;
layout(location = 3) in vec2 texture_place;
layout(location = 4) in float surface;

out vec3 world_place;
out vec3 world_normal;
out vec2 texture_at;
flat out vec3 own_colour;
flat out int own_surface;

void main() {
  world_place = place;
  world_normal = normal;
  texture_at = texture_place;
  own_colour = colour;
  own_surface = int(surface);
  gl_Position = clip_from_world * vec4(place, 1.0);
}
