// Deposits the light of every pixel, or of groups that are blurred alike, at the corners of the boxes that it is spread
// to. Sums of integers do not depend on the order of the atomic additions.
#version 450 core
layout(local_size_x = 16, local_size_y = 16) in;
#include "layered.glsl"
#include "core/spread/fold_formula.h"
#include "filters/dof/shapes_formula.h"

layout(std430, binding = 0) buffer Fields { uint fields[]; };  // [layer][plane][row][column]
layout(std430, binding = 4) readonly buffer Shapes { SpreadShape shapes[]; };
uniform int pitch;                     // from row to row of a field
uniform ivec2 shapes_of[kGroupSizes];  // of groups of each size: the first shape, and how many there are
#if BITS == 32
uniform float light_one;  // light of 1 in a field
#else
uniform float highlights;
#endif

const int kSide = 16;
shared float circle_of[kSide * kSide];
shared uint light_of[kLight][kSide * kSide];
shared uint spreads[kSide * kSide];  // what the work group spreads: the place of a pixel, and 256 times the side
shared uint spread_count;

#if BITS == 32
uint light_of_sample(float value) { return light_of_float(kept_light(value, white), light_one); }
#elif BITS == 16
uint light_of_sample(uint code) { return light_of_linear24(decoding[code]); }
#else
uint light_of_sample(uint code) { return light_of_linear16(decoding[code]); }
#endif

// Light that a pixel spreads: light_to_spread in filters/dof/light.h.
void light_to_spread(Samples samples, out uint light[kLight]) {
  for (int c = 0; c < kColors; ++c) light[c] = light_of_sample(samples[c]);
#if BITS != 32
  if (highlights > 0.0) {
    uint brightest = light[0];
    for (int c = 1; c < kColors; ++c) brightest = max(brightest, light[c]);
    float gain = highlight_gain(brightest, highlights);
    for (int c = 0; c < kColors; ++c) light[c] = gained_light(light[c], gain);
  }
#endif
#if CHANNELS == 4
  float alpha = alpha_share(samples);
  for (int c = 0; c < kColors; ++c) light[c] = weighed_light(light[c], alpha);
  light[3] = light_of_alpha(alpha);
#endif
}

// Whether the pixel's group of side x side is spread as one.
bool is_spread_as_one(ivec2 pixel, int place, int side) {
  if (abs(circle_of[place]) < least_group_radius(side)) return false;  // without a look at the others
  ivec2 first = pixel & ~(side - 1);
  if (any(greaterThan(first + side, size))) return false;
  place -= (pixel.y - first.y) * kSide + pixel.x - first.x;
  float low = circle_of[place], high = low;
  for (int j = 0; j < side; ++j)
    for (int i = 0; i < side; ++i) {
      float circle = circle_of[place + j * kSide + i];
      low = min(low, circle);
      high = max(high, circle);
    }
  return spread_as_one(low, high, side) && layer_of(low, cuts) == layer_of(high, cuts);
}

float sum_of_four(float a, float b, float c, float d) {
  precise float sum = (a + b) + (c + d);
  return sum;
}
float sum_of_four_at(int place) {
  return sum_of_four(circle_of[place], circle_of[place + 1], circle_of[place + kSide], circle_of[place + kSide + 1]);
}

// The sum over a group, of quarters: floats add up to the same bits on every backend.
float sum_of_circles(int place, int side) {
  if (side == 1) return circle_of[place];
  if (side == 2) return sum_of_four_at(place);
  return sum_of_four(sum_of_four_at(place), sum_of_four_at(place + 2), sum_of_four_at(place + 2 * kSide),
                     sum_of_four_at(place + 2 * kSide + 2));
}

// The mean over a group of 2^bits pixels, rounded down: their sum does not fit 32 bits.
uint mean_of_light(int c, int place, int side, int bits) {
  uint whole = 0u, rest = 0u;
  for (int j = 0; j < side; ++j)
    for (int i = 0; i < side; ++i) {
      uint light = light_of[c][place + j * kSide + i];
      whole += light >> bits;
      rest += light & ((1u << bits) - 1u);
    }
  return whole + (rest >> bits);
}

void add_corner(int layer, int x, int y, uint sign, uint values[kPlanes]) {
  int plane = pitch * size.y, at = layer * kPlanes * plane + y * pitch + x;
  for (int c = 0; c < kPlanes; ++c) atomicAdd(fields[at + c * plane], sign * values[c]);
}

// Adds the values, times the sign, to the box: for_each_corner in core/spread/fold_formula.h.
void deposit(int layer, SpreadBox box, uint sign, uint values[kPlanes]) {
  if (lies_within(box, size.x, size.y)) {
    add_corner(layer, box.left, box.top, sign, values);
    add_corner(layer, box.right, box.top, 0u - sign, values);
    add_corner(layer, box.left, box.bottom, 0u - sign, values);
    add_corner(layer, box.right, box.bottom, sign, values);
    return;
  }
  Ends across = folded_ends(box.left, box.right, size.x), down = folded_ends(box.top, box.bottom, size.y);
  for (int j = 0; j < down.count; ++j)
    for (int i = 0; i < across.count; ++i)
      add_corner(layer, across.place[i], down.place[j], uint(across.step[i] * down.step[j]) * sign, values);
}

// This is spread_to_shape in filters/dof/shapes.h.
void spread_to_shape(int layer, int shape, uint steps, ivec2 pixel, int side, uint light[kPlanes], uint random) {
  uint part[kPlanes];
  for (int c = 0; c < kPlanes; ++c) {
    part[c] = deposit_of(light[c], shapes[shape].share, steps, random);
    random = next_random(random);
  }
  int boxes = shapes[shape].steps;
  for (int i = 0; i < 2 * boxes - 1; ++i) {
    // After each box comes what it and the next have in common.
    int up = shapes[shape].half_height[i / 2], across = shapes[shape].half_width[(i + 1) / 2];
    deposit(layer, SpreadBox(pixel.x - across, pixel.x + across + side, pixel.y - up, pixel.y + up + side),
            i % 2 == 0 ? 1u : ~0u, part);
  }
}

// This is shape_of_radius in filters/dof/shapes.h.
int shape_of_radius(int first, int count, float radius) {
  int k = min(int(radius), count - 2);
  while (k > 0 && shapes[first + k].radius > radius) --k;
  while (k < count - 2 && shapes[first + k + 1].radius <= radius) ++k;
  return first + k;
}

// This is spread_light in filters/dof/shapes.h.
void spread_light(ivec2 pixel, int side, float circle, uint light[kPlanes]) {
  ivec2 table = shapes_of[group_size(side)];
  int shape = shape_of_radius(table.x, table.y, abs(circle));
  uint upper = upper_share(shapes[shape], abs(circle)), random = pixel_hash(pixel.x, pixel.y);
  LayerShare share = layer_share(circle, cuts);
  // To the layer and to the one behind it, in each to the smaller shape and to the larger one.
  for (int i = 0; i < 4; ++i) {
    bool behind = i >= 2, larger = i % 2 == 1;
    uint steps = behind ? share.behind : kShareSteps - share.behind, of_upper = upper * steps >> kShareBits;
    uint part = larger ? of_upper : steps - of_upper;
    if (i == 2) random = random_behind(random);
    if (part > 0u)
      spread_to_shape(share.layer + int(behind), shape + int(larger), part, pixel, side, light,
                      larger ? ~random : random);
  }
}

void main() {
  int own = int(gl_LocalInvocationIndex);
  ivec2 corner = ivec2(gl_WorkGroupID.xy) * kSide, pixel = ivec2(gl_GlobalInvocationID.xy);
  bool inside = all(lessThan(pixel, size));
  circle_of[own] = inside ? circle_at(pixel) : 0.0;
  if (inside) {
    uint light[kLight];
    light_to_spread(samples_at(pixel), light);
    for (int c = 0; c < kLight; ++c) light_of[c][own] = light[c];
  }
  if (own == 0) spread_count = 0u;
  memoryBarrierShared();
  barrier();

  int side = is_spread_as_one(pixel, own, 4) ? 4 : is_spread_as_one(pixel, own, 2) ? 2 : 1;
  if (deposits(circle_of[own]) && (pixel & (side - 1)) == ivec2(0))
    spreads[atomicAdd(spread_count, 1u)] = uint(own + 256 * side);
  memoryBarrierShared();
  barrier();

  for (uint i = uint(own); i < spread_count; i += uint(kSide * kSide)) {
    int place = int(spreads[i] & 255u), side = int(spreads[i] >> 8), bits = side / 2 * 2;
    uint light[kPlanes];
    for (int c = 0; c < kLight; ++c) light[c] = mean_of_light(c, place, side, bits);
    light[kLight] = uint(kOneLight);
    ivec2 first = corner + ivec2(place % kSide, place / kSide);
    float circle = sum_of_circles(place, side) * (side == 4 ? 0.0625 : side == 2 ? 0.25 : 1.0);
    spread_light(first, side, circle, light);
  }
}
