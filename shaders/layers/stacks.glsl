// The shapes that pixels are spread to where pupils make them: FrameShapes in filters/dof/frame_shapes.h.
// After filters/dof/frame_formula.h.
//   PUPILS           1: light is even over the lens; 2: it has zones
layout(std430, binding = 4) readonly buffer Shapes { uint frame_words[]; };
uniform FrameLayout frame;

float radius_of(int stack) { return uintBitsToFloat(frame_words[stack]); }
float per_radius_of(int stack) { return uintBitsToFloat(frame_words[stack + 1]); }
int zones_of(int side) { return PUPILS == 1 ? 1 : frame.sides[side].zones; }

// Returns the last of `count` entries, `step` words each, whose first word is no larger than the radius, and never the
// very last one: shape_of_radius in filters/dof/shapes.h. `k` is where it is looked for first.
int entry_of_radius(int first, int step, int count, float radius, int k) {
  k = clamp(k, 0, count - 2);
  while (k > 0 && radius_of(first + k * step) > radius) --k;
  while (k < count - 2 && radius_of(first + (k + 1) * step) <= radius) ++k;
  return first + k * step;
}
// Returns the smaller one of a group's stacks: stacks_of_group in filters/dof/frame_shapes.h.
int stack_of_group(int group, float circle, ivec2 pixel) {
  int side = side_of_circle(circle), step = words_of_stack(zones_of(side), frame.runs);
  int node = node_of_pixel(pixel.x, pixel.y, frame.per_column, frame.per_row), sizes = frame.sizes[group];
  return entry_of_radius(frame.sides[side].stacks[group] + node * sizes * step, step, sizes, abs(circle),
                         int(abs(circle)) - frame.least[group]);
}
// Returns how far stacks reach beyond a group, up to a radius: reach_of_stacks there.
ivec2 reach_of_stacks(int group, float radius) {
  int entry = entry_of_radius(frame.reaches[group], kReachWords, frame.sizes[group], radius, int(radius)) + kReachWords;
  return ivec2(frame_words[entry + 1], frame_words[entry + 2]);
}
