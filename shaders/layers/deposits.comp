// Deposits the light of every pixel, or of groups that are blurred alike, at the corners of the boxes that it is spread
// to. A work group deposits the pixels of its tile into shared memory, which holds the tile and a halo around it, as far
// as they are of the layer that most of them are of, and adds the cells that are not 0 to the fields at the end: on an
// H200, at 3840 x 2160, three layers take 0.65 to 0.94 ms so, and 1.05 to 1.46 when all is added to the fields. Sums of
// integers do not depend on the order of the atomic additions. This is core/spread/cuda.cuh.
#version 450 core
layout(local_size_x = 32, local_size_y = 16) in;
#include "layers/picture.glsl"
#include "layers/depths.glsl"
#include "layers/shapes.glsl"
#include "core/spread/fold_formula.h"

layout(std430, binding = 0) buffer Fields { uint fields[]; };  // [layer][plane][row][column]
uniform int pitch;                                             // from row to row of a field
#if BITS == 32
uniform float light_one;  // light of 1 in a field
#else
uniform float highlights;
#endif

// An invocation has a pixel of the tile.
const ivec2 kTile = ivec2(32, 16);
const int kPixels = kTile.x * kTile.y;
const int kHalo = 3, kAcross = kTile.x + 2 * kHalo + 1, kDown = kTile.y + 2 * kHalo + 1, kCells = kAcross * kDown;
shared uint cells[kPlanes * kCells];
shared uint counts[kMostDofLayers];  // of the tile's pixels, by layer
shared uint spreads[kPixels];  // what the tile spreads: the place of a pixel, and kPixels times the side
shared uint spread_count;

int tile_layer;    // whose deposits go to the cells
ivec2 first_cell;  // its pixel

void synchronise() {
  memoryBarrierShared();
  barrier();
}

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
bool is_spread_as_one(ivec2 pixel, float circle, int side) {
  if (abs(circle) < least_group_radius(side)) return false;  // without a look at the others
  ivec2 first = pixel & ~(side - 1);
  if (any(greaterThan(first + side, size))) return false;
  float low = circle, high = circle;
  for (int i = 0; i < side * side; ++i) {
    float other = circle_at(first + ivec2(i % side, i / side));
    low = min(low, other);
    high = max(high, other);
  }
  return spread_as_one(low, high, side) && layer_of(low, cuts) == layer_of(high, cuts);
}

float sum_of_four(float a, float b, float c, float d) {
  precise float sum = (a + b) + (c + d);
  return sum;
}
float sum_of_four_at(ivec2 first) {
  return sum_of_four(circle_at(first), circle_at(first + ivec2(1, 0)), circle_at(first + ivec2(0, 1)),
                     circle_at(first + 1));
}

// The sum over a group, of quarters: floats add up to the same bits on every backend.
float sum_of_circles(ivec2 first, int side) {
  if (side == 1) return circle_at(first);
  if (side == 2) return sum_of_four_at(first);
  return sum_of_four(sum_of_four_at(first), sum_of_four_at(first + ivec2(2, 0)), sum_of_four_at(first + ivec2(0, 2)),
                     sum_of_four_at(first + 2));
}

// The mean over a group of 2^bits pixels, rounded down: their sum does not fit 32 bits.
void mean_of_light(ivec2 first, int side, int bits, out uint mean[kPlanes]) {
  uint rest[kLight];
  for (int c = 0; c < kLight; ++c) mean[c] = rest[c] = 0u;
  for (int i = 0; i < side * side; ++i) {
    uint light[kLight];
    light_to_spread(samples_at(first + ivec2(i % side, i / side)), light);
    for (int c = 0; c < kLight; ++c) {
      mean[c] += light[c] >> bits;
      rest[c] += light[c] & ((1u << bits) - 1u);
    }
  }
  for (int c = 0; c < kLight; ++c) mean[c] += rest[c] >> bits;
  mean[kLight] = uint(kOneLight);
}

void add_corner(int layer, int x, int y, uint sign, uint values[kPlanes]) {
  ivec2 cell = ivec2(x, y) - first_cell;
  if (layer == tile_layer && all(lessThan(uvec2(cell), uvec2(kAcross, kDown)))) {
    int at = cell.y * kAcross + cell.x;
    for (int c = 0; c < kPlanes; ++c) atomicAdd(cells[at + c * kCells], sign * values[c]);
  } else {
    int plane = pitch * size.y, at = layer * kPlanes * plane + y * pitch + x;
    for (int c = 0; c < kPlanes; ++c) atomicAdd(fields[at + c * plane], sign * values[c]);
  }
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

// Adds a part to a shape: for_each_box in filters/dof/shapes.h.
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

// This is spread_light in filters/dof/shapes.h.
void spread_light(ivec2 pixel, int side, float circle, uint light[kPlanes]) {
  ivec2 table = shapes_of[group_size(side)];
  int shape = shape_of_radius(table.x, table.y, abs(circle));
  uint upper = upper_share(shapes[shape].radius, shapes[shape].per_radius, abs(circle)), random = pixel_hash(pixel.x, pixel.y);
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

// Returns the layer that most pixels of the tile are of.
int commonest_layer() {
  int layer = 0;
  for (int l = 1; l < kMostDofLayers; ++l)
    if (counts[l] > counts[layer]) layer = l;
  return layer;
}

void main() {
  int own = int(gl_LocalInvocationIndex);
  ivec2 corner = ivec2(gl_WorkGroupID.xy) * kTile, pixel = ivec2(gl_GlobalInvocationID.xy);
  first_cell = corner - kHalo;
  for (int i = own; i < kPlanes * kCells; i += kPixels) cells[i] = 0u;
  float own_circle = all(lessThan(pixel, size)) ? circle_at(pixel) : 0.0;
  if (own < kMostDofLayers) counts[own] = 0u;
  if (own == 0) spread_count = 0u;
  synchronise();

  // Every fourth pixel of every fourth row is counted: the choice changes no result.
  if (deposits(own_circle)) {
    if (((pixel.x | pixel.y) & 3) == 0) atomicAdd(counts[layer_of(own_circle, cuts)], 1u);
    int side = is_spread_as_one(pixel, own_circle, 4) ? 4 : is_spread_as_one(pixel, own_circle, 2) ? 2 : 1;
    if ((pixel & (side - 1)) == ivec2(0)) spreads[atomicAdd(spread_count, 1u)] = uint(own + kPixels * side);
  }
  synchronise();

  tile_layer = commonest_layer();
  if (own < int(spread_count)) {
    int place = int(spreads[own]) % kPixels, side = int(spreads[own]) / kPixels;
    ivec2 first = corner + ivec2(place % kTile.x, place / kTile.x);
    uint light[kPlanes];
    mean_of_light(first, side, side / 2 * 2, light);
    float circle = sum_of_circles(first, side) * (side == 4 ? 0.0625 : side == 2 ? 0.25 : 1.0);
    spread_light(first, side, circle, light);
  }
  synchronise();

  for (int i = own; i < kCells; i += kPixels) {
    ivec2 cell = first_cell + ivec2(i % kAcross, i / kAcross);
    if (any(lessThan(cell, ivec2(0))) || any(greaterThanEqual(cell, size))) continue;
    int plane = pitch * size.y, at = tile_layer * kPlanes * plane + cell.y * pitch + cell.x;
    for (int c = 0; c < kPlanes; ++c) {
      uint value = cells[c * kCells + i];
      if (value != 0u) atomicAdd(fields[at + c * plane], value);
    }
  }
}
