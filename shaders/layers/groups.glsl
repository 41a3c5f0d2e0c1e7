// The groups of pixels that are spread as one: layers/groups.comp finds them.
//   GROUPS_ACCESS    what a shader does with them
layout(std430, binding = 6) GROUPS_ACCESS buffer Groups { uint groups[]; };  // of each 2 x 2 pixels: 1 if in a group

int group_at(ivec2 pixel) { return pixel.y / 2 * ((size.x + 1) / 2) + pixel.x / 2; }
