// Every shader of a scene knows this block. It mirrors CameraBlock in app/scene/block.h. Metres, y up, ground at y = 0.
layout(std140, binding = 0) uniform CameraBlock {
  mat4 clip_from_world;
  vec4 eye;
  vec4 ray_corner;  // a pixel at (x, y) of the picture looks along ray_corner + x ray_dx + y ray_dy
  vec4 ray_dx;
  vec4 ray_dy;
};
