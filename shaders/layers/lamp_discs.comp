// Deposits the discs of lamps: spread_lamp in filters/dof/lamps.h. A work group has a lamp, and then every next one as
// far on as there are groups; an invocation has every 32nd box of its discs.
#version 450 core
layout(local_size_x = 32) in;
#include "layers/spread.glsl"

layout(std430, binding = 6) readonly buffer Discs { uint discs[]; };  // DiscTable in filters/dof/lamps.h
uniform float per_spacing;

bool holds_shape(int layer, ivec2 first, ivec2 end) { return false; }
void add_held_box(ivec2 first, ivec2 end, uint values[kPlanes]) {}
void add_corner(int layer, ivec2 pixel, uint sign, uint values[kPlanes]) {
  add_to_fields(layer, pixel, sign, values);
}

void spread_lamp(ivec2 pixel, float circle, uint lamp[kPlanes]) {
  DiscPlace place = disc_place(circle, per_spacing);
  LayerShare share = layer_share(circle, cuts);
  uint random = random_behind(pixel_hash(pixel.x, pixel.y));
  for (int i = 0; i < 2 * kDiscsOfLamp; ++i) {
    int behind = i / kDiscsOfLamp, disc = i % kDiscsOfLamp;
    uint steps = steps_of_disc(disc, place.third, behind == 1 ? share.behind : kShareSteps - share.behind);
    if (steps == 0u) continue;
    int words = kDiscWords * (place.first + disc);
    uint values[kPlanes];
    for (int c = 0; c < kPlanes; ++c) {
      values[c] = deposit_of(lamp[c], discs[words], steps, random);
      random = next_random(random);
    }
    int stack = int(discs[words + 1]), boxes = int(discs[words + 2]);
    for (int b = int(gl_LocalInvocationIndex); b < boxes; b += 32) {
      int at = stack + kBoxWords * b;
      SpreadBox box = stacked_box(discs[at], discs[at + 1], pixel.x, pixel.y, size.y);
      if (box.top < box.bottom)
        add_box(share.layer + behind, ivec2(box.left, box.top), ivec2(box.right, box.bottom), false,
                lies_within(box, size.x, size.y), values);
    }
  }
}

void main() {
  int blocks = lamp_blocks.x * lamp_blocks.y;
  for (uint i = gl_WorkGroupID.x; i < lamp_count; i += gl_NumWorkGroups.x) {
    int at = int(lamps[blocks + int(i)]);
    ivec2 pixel = ivec2(at % size.x, at / size.x);
    uint lamp[kPlanes];
    light_to_spread(samples_at(pixel), lamp);
    uint share = share_of_lamp(pixel, lamp);
    for (int c = 0; c < kPlanes; ++c) lamp[c] = product_shifted(lamp[c], share, kShareBits);
    spread_lamp(pixel, circle_at(pixel), lamp);
  }
}
