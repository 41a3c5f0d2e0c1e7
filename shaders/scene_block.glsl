// Every shader of the scene knows this block. It mirrors SceneBlock in app/scene/block.h. Metres, y up, ground at y =
// 0.
struct Teapot {
  mat4 world_from_model;
  mat4 shadow_from_world;  // x, y: place in its layer of the shadow map, z: distance from the light; 1 = `sphere` across
  vec4 sphere;             // centre and radius of a ball around the teapot
  vec4 glaze;              // reflectance, roughness
  vec4 foot;               // middle of the foot, metres for one model unit
};

layout(std140, binding = 0) uniform SceneBlock {
  mat4 clip_from_world;
  vec4 eye;
  vec4 ray_corner;  // a pixel at (x, y) of the picture looks along ray_corner + x ray_dx + y ray_dy
  vec4 ray_dx;
  vec4 ray_dy;
  vec4 towards_key;  // direction to the key light, length 1
  Teapot teapots[TEAPOT_COUNT];
};
