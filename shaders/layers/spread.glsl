// Deposits of pixels, and of groups of them: light in whole numbers, at the corners of the boxes that it is spread to.
// A file that includes this has three functions:
//   holds_shape      true if it has memory of its own for the corners of boxes in pixels first .. end - 1 of a layer
//   add_held_box     adds values there, at the corners of the box of pixels first .. end - 1: at first and end
//   add_corner       adds values, times `sign`, to the deposits of a layer at a pixel
//   PUPILS           0: the same shapes everywhere; else what layers/stacks.glsl says
#include "layers/light.glsl"
#include "layers/lamps.glsl"
#include "layers/cuts.glsl"
#include "filters/dof/frame_formula.h"
#if PUPILS
#include "layers/stacks.glsl"
#else
#include "layers/shapes.glsl"
#endif
#include "layers/places.glsl"
#include "core/spread/fold_formula.h"

layout(std430, binding = 0) buffer Fields { uint fields[]; };  // [layer][plane][row][place_of_column]
uniform int pitch;                                             // from row to row of a field

uint taken_layers;  // bit l: what goes to layer l is deposited at present

bool holds_shape(int layer, ivec2 first, ivec2 end);
void add_held_box(ivec2 first, ivec2 end, uint values[kPlanes]);
void add_corner(int layer, ivec2 pixel, uint sign, uint values[kPlanes]);

// Returns what of a pixel's light is spread as that of others is: lamps keep some for their discs.
void light_beside_lamp(ivec2 pixel, Samples samples, out uint light[kPlanes]) {
  light_to_spread(samples, light);
  if (lamp_blocks.x == 0) return;
  uint share = share_of_lamp(pixel, light);
  for (int c = 0; c < kPlanes; ++c) light[c] -= product_shifted(light[c], share, kShareBits);
}

int field_plane() { return pitch * size.y; }  // from plane to plane
// Returns the place of a pixel in the first plane of a layer.
int field_place(int layer, ivec2 pixel) {
  return layer * kPlanes * field_plane() + pixel.y * pitch + place_of_column(pixel.x);
}

// Adds the values, times `sign`, to the fields.
void add_to_fields(int layer, ivec2 pixel, uint sign, uint values[kPlanes]) {
  int at = field_place(layer, pixel);
  for (int c = 0; c < kPlanes; ++c) atomicAdd(fields[at + c * field_plane()], sign * values[c]);
}

// Adds the values to the box of pixels first .. end - 1: for_each_corner in core/spread/fold_formula.h. `inside`: it
// ends before the picture does. Few boxes are neither held nor inside.
void add_box(int layer, ivec2 first, ivec2 end, bool held, bool inside, uint values[kPlanes]) {
  if (held) {
    add_held_box(first, end, values);
  } else if (inside) {
    for (int i = 0; i < 4; ++i)
      add_corner(layer, ivec2(i % 2 == 0 ? first.x : end.x, i < 2 ? first.y : end.y), i == 0 || i == 3 ? 1u : ~0u,
                 values);
  } else {
    for (int i = 0; i < 9; ++i) {
      End across = folded_end(i % 3, first.x, end.x, size.x), down = folded_end(i / 3, first.y, end.y, size.y);
      int step = across.step * down.step;
      if (step != 0) add_corner(layer, ivec2(across.place, down.place), uint(step), values);
    }
  }
}

#if PUPILS
// Adds a part of the light to a stack: spread_to_stacks in filters/dof/frame_shapes.h.
void spread_to_stack(int layer, int stack, int zones, uint steps_of_light, ivec2 pixel, int side, uint light[kPlanes],
                     uint random) {
  SpreadBox extent = box_of_words(frame_words[stack + 2], frame_words[stack + 3], pixel.x, pixel.y);
  bool inside = lies_within(extent, size.x, size.y);
  bool held = inside && holds_shape(layer, ivec2(extent.left, extent.top), ivec2(extent.right, extent.bottom));
  uint around[kPlanes], values[kPlanes];
  for (int c = 0; c < kPlanes; ++c) around[c] = 0u;
  int at = stack + boxes_of_stack(zones);
  for (int zone = 0; zone < zones; ++zone) {
    uint share = product_shifted(frame_words[stack + kStackHead + zone], steps_of_light, kShareBits), of_channel = random;
    for (int c = 0; c < kPlanes; ++c) {
      uint whole = product_sum_high(light[c], share, of_channel);  // deposit_of
      of_channel = next_random(of_channel);
      values[c] = whole - around[c];
      around[c] = whole;
    }
    for (int i = 0; i < frame.runs; ++i, at += kBoxWords)
      for (int place = 0; place < (inside ? 1 : 9); ++place) {
        SpreadBox box = cut_box(box_of_words(frame_words[at], frame_words[at + 1],
                                             mirrored_place(place % 3, pixel.x, side, size.x),
                                             mirrored_place(place / 3, pixel.y, side, size.y)),
                                size.x, size.y);
        if (box.left < box.right && box.top < box.bottom)
          add_box(layer, ivec2(box.left, box.top), ivec2(box.right, box.bottom), held, inside, values);
      }
  }
}
#else
// Adds a part of the light to a shape: for_each_box in filters/dof/shapes.h.
void spread_to_shape(int layer, int shape, uint steps_of_light, ivec2 pixel, int side, uint light[kPlanes],
                     uint random) {
  uvec2 share_and_steps = shapes[2 * shape].zw;
  uvec3 boxes = boxes_of(shape);
  uint share = product_shifted(share_and_steps.x, steps_of_light, kShareBits), values[kPlanes];
  for (int c = 0; c < kPlanes; ++c) {
    values[c] = product_sum_high(light[c], share, random);  // deposit_of
    random = next_random(random);
  }
  ivec2 widest = outermost(boxes), first = pixel - widest, end = pixel + widest + side;
  bool held = holds_shape(layer, first, end);
  bool inside = all(greaterThanEqual(first, ivec2(0))) && all(lessThan(end, size));
  ivec2 half_size = half_size_of(boxes.x);
  for (uint left = 2u * share_and_steps.y - 1u; left > 0u;) {
    add_box(layer, pixel - half_size, pixel + half_size + side, held, inside, values);
    // After each box comes, with the opposite sign, what it and the next have in common.
    for (int c = 0; c < kPlanes; ++c) values[c] = 0u - values[c];
    if (--left % 2u == 0u) {
      half_size.x = half_size_of(boxes.y).x;
    } else {
      half_size.y = half_size_of(boxes.y).y;
      boxes.y = boxes.z;
    }
  }
}
#endif

// This is spread_light in filters/dof/shapes.h. Bit l of taken_layers says whether what goes to layer l is deposited.
void spread_light(ivec2 pixel, int side, float circle, uint light[kPlanes]) {
#if PUPILS
  int shape = stack_of_group(group_size(side), circle, pixel), zones = zones_of(side_of_circle(circle));
#else
  ivec2 table = shapes_of[group_size(side)];
  int shape = shape_of_radius(table.x, table.y, abs(circle));
#endif
  uint upper = upper_share(radius_of(shape), per_radius_of(shape), abs(circle));
  uint random = pixel_hash(pixel.x, pixel.y);
  LayerShare share = layer_share(circle, cuts);
  ivec2 place = pixel + ivec2(group_right(pixel.x, pixel.y, side), group_down(pixel.x, pixel.y, side));
  // To the layer and to the one behind it, in each to the smaller shape and to the larger one.
  for (int i = 0; i < 4; ++i) {
    bool behind = i >= 2, larger = i % 2 == 1;
    uint steps = behind ? share.behind : kShareSteps - share.behind, of_upper = upper * steps >> kShareBits;
    uint part = larger ? of_upper : steps - of_upper;
    int layer = share.layer + int(behind);
    if (i == 2) random = random_behind(random);
    if (part == 0u || (taken_layers >> layer & 1u) == 0u) continue;
    uint own_random = larger ? ~random : random;
#if PUPILS
    int stack = shape + int(larger) * words_of_stack(zones, frame.runs);
    spread_to_stack(layer, stack, zones, part, place, side, light, own_random);
#else
    spread_to_shape(layer, shape + int(larger), part, place, side, light, own_random);
#endif
  }
}
