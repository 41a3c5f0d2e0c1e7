// The shapes that pixels are spread to: ShapeTable in filters/dof/shapes.h.
#include "filters/dof/shapes_formula.h"

layout(std430, binding = 4) readonly buffer Shapes { SpreadShape shapes[]; };
uniform ivec2 shapes_of[kGroupSizes];  // of groups of each size: the first shape, and how many there are

// This is shape_of_radius in filters/dof/shapes.h.
int shape_of_radius(int first, int count, float radius) {
  int k = min(int(radius), count - 2);
  while (k > 0 && shapes[first + k].radius > radius) --k;
  while (k < count - 2 && shapes[first + k + 1].radius <= radius) ++k;
  return first + k;
}
