// The shapes that pixels are spread to: ShapeTable in filters/dof/shapes.h, each in two words of 16 bytes.
#include "filters/dof/shapes_formula.h"

layout(std430, binding = 4) readonly buffer Shapes {
  uvec4 shapes[];  // of each: radius, 1 / (radius of the next - its own), share, steps; then its three boxes, each with
                   // half width and half height times 2^16 in a word
};
uniform ivec2 shapes_of[kGroupSizes];  // of groups of each size: the first shape, and how many there are

float radius_of(int shape) { return uintBitsToFloat(shapes[2 * shape].x); }
float per_radius_of(int shape) { return uintBitsToFloat(shapes[2 * shape].y); }
uvec3 boxes_of(int shape) { return shapes[2 * shape + 1].xyz; }
ivec2 half_size_of(uint box) { return ivec2(box & 0xFFFFu, box >> 16); }
// Returns the half size of what holds all of a shape's boxes. Words of boxes that it does not have are 0.
ivec2 outermost(uvec3 boxes) {
  return ivec2(half_size_of(boxes.x).x, half_size_of(max(max(boxes.x, boxes.y), boxes.z)).y);
}

// This is shape_of_radius in filters/dof/shapes.h.
int shape_of_radius(int first, int count, float radius) {
  int k = min(int(radius), count - 2);
  while (k > 0 && radius_of(first + k) > radius) --k;
  while (k < count - 2 && radius_of(first + k + 1) <= radius) ++k;
  return first + k;
}
