// Every shader of the teapot scene knows this block beside the camera's. It mirrors TeapotsBlock in app/scene/block.h.
#include "scene/camera_block.glsl"

struct Teapot {
  mat4 world_from_model;
  mat4 shadow_from_world;  // x, y: place in its layer of the shadow map, z: distance from the light; 1 = `sphere` across
  vec4 sphere;             // centre and radius of a ball around the teapot
  vec4 glaze;              // reflectance, roughness
  vec4 foot;               // middle of the foot, metres for one model unit
  vec4 lift;               // x: metres from where the foot stands up to where it is
};

layout(std140, binding = 1) uniform TeapotsBlock {
  vec4 towards_key;  // direction to the key light, length 1
  Teapot teapots[TEAPOT_COUNT];
};
