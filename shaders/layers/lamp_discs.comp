// Deposits the discs of lamps: spread_lamp in filters/dof/lamps.h. A work group has a lamp, and then every next one as
// far on as there are groups; an invocation has every 32nd box of its discs.
#version 450 core
layout(local_size_x = 32) in;
#include "layers/spread.glsl"

#if !PUPILS
layout(std430, binding = 6) readonly buffer Discs { uint discs[]; };  // DiscTable in filters/dof/lamps.h
#endif
uniform float per_spacing;
// LampTask in filters/dof/lamps.h.
uniform int lamp_shift;
#if BITS == 32
uniform float most_of_lamps, one_of_lamps;
#define LAMP_SCALE vec2(most_of_lamps, one_of_lamps)
#else
#define LAMP_SCALE SPREAD_SCALE
#endif

bool holds_shape(int layer, ivec2 first, ivec2 end) { return false; }
void add_held_box(ivec2 first, ivec2 end, uint values[kPlanes]) {}
void add_corner(int layer, ivec2 pixel, uint sign, uint values[kPlanes]) {
  add_to_fields(layer, pixel, sign, values);
}

// The lamps of a cell, taken together: take_together in filters/dof/lamps.h.
struct Together {
  uint mean[kPlanes];
  int cell;
  float circle;
  ivec2 middle;
  float spread;
};

Together take_together(ivec2 first, int cell) {
  Together together;
  uint rest[kPlanes];
  int level = size_of_cell(cell), bits = 2 * level;
  for (int c = 0; c < kPlanes; ++c) together.mean[c] = rest[c] = 0u;
  LampMoments moments = no_lamps();
  float low = 0.0, high = 0.0;
  for (int i = 0; i < 1 << bits; ++i) {
    ivec2 at = ivec2(i & (1 << level) - 1, i >> level), pixel = first + at;
    if (any(greaterThanEqual(pixel, size))) continue;
    uint lamp[kPlanes];
    light_to_spread(samples_at(pixel), lamp);
    uint share = share_of_lamp(pixel, lamp);
    if (share == 0u) continue;
    if (lamp_shift > 0) light_to_spread(samples_at(pixel), LAMP_SCALE, lamp);
    for (int c = 0; c < kPlanes; ++c) {
      lamp[c] = product_shifted(lamp[c], share, kShareBits);
      together.mean[c] += lamp[c] >> bits;  // the sum does not fit 32 bits
      rest[c] += lamp[c] & (1u << bits) - 1u;
    }
    float circle = circle_at(pixel);
    low = moments.weight > 0.0 ? min(low, circle) : circle;
    high = moments.weight > 0.0 ? max(high, circle) : circle;
    moments = with_lamp(moments, at.x, at.y, brightest_of(lamp) | 1u);
  }
  for (int c = 0; c < kPlanes; ++c) together.mean[c] += rest[c] >> bits;
  together.cell = cell;
  together.circle = shared_circle(low, high);
  together.middle = 2 * first + ivec2(middle_of_lamps(moments.across, moments.weight),
                                      middle_of_lamps(moments.down, moments.weight));
  together.spread = spread_of_lamps(moments);
  return together;
}

// Returns a lamp's part of a disc: deposit_of_lamp of all planes. `per_area` is 2^32 / the disc's area.
void values_of_disc(Together together, uint per_area, uint steps, uint random, out uint values[kPlanes]) {
  for (int c = 0; c < kPlanes; ++c) {
    values[c] = deposit_of_lamp(together.mean[c], per_area, steps, random,
                                2 * size_of_cell(together.cell) + (c < kColors ? lamp_shift : 0));
    random = next_random(random);
  }
}

void add_box_of_disc(int layer, SpreadBox box, uint values[kPlanes]) {
  if (box.left < box.right && box.top < box.bottom)
    add_box(layer, ivec2(box.left, box.top), ivec2(box.right, box.bottom), false, lies_within(box, size.x, size.y),
            values);
}

#if PUPILS
#include "layers/frame_discs.glsl"
#else
void begin_lamp(Together together) {}
void deposit_disc(Together together, int layer, int disc, uint steps, uint random) {
  int words = kDiscWords * place_of_disc(disc, together.middle.x, together.middle.y);
  int stack = int(discs[words + 1]), boxes = int(discs[words + 2]);
  ivec2 pixel = together.middle >> 1;
  uint values[kPlanes];
  values_of_disc(together, discs[words], steps, random, values);
  for (int b = int(gl_LocalInvocationIndex); b < boxes; b += 32) {
    int at = stack + kBoxWords * b;
    add_box_of_disc(layer, stacked_box(discs[at], discs[at + 1], pixel.x, pixel.y, size.y), values);
  }
}
#endif

// This is for_each_disc in filters/dof/lamps.h.
void spread_lamps(ivec2 first, Together together) {
  uint hash = pixel_hash(first.x, first.y);
  DiscPlace place = disc_place(together.circle, per_spacing, together.spread, together.cell, hash);
  LayerShare share = layer_share(together.circle, cuts);
  uint random = random_behind(hash);
  begin_lamp(together);
  for (int i = 0; i < 2 * kDiscsOfLamp; ++i) {
    int behind = i / kDiscsOfLamp, disc = i % kDiscsOfLamp;
    uint steps = steps_of_disc(disc, place, behind == 1 ? share.behind : kShareSteps - share.behind);
    if (steps == 0u) continue;
    deposit_disc(together, share.layer + behind, disc_of_lamp(disc, place), steps, random);
    for (int c = 0; c < kPlanes; ++c) random = next_random(random);
  }
}

void main() {
  int blocks = lamp_blocks.x * lamp_blocks.y;
  for (uint i = gl_WorkGroupID.x; i < lamp_count; i += gl_NumWorkGroups.x) {
    int at = blocks + 2 * int(i), y_and_cell = int(lamps[at + 1]);
    ivec2 first = ivec2(lamps[at], y_and_cell >> kLampCellBits);
    spread_lamps(first, take_together(first, y_and_cell & (1 << kLampCellBits) - 1));
  }
}
