// Deposits the light of every pixel, or of groups that are blurred alike, at the corners of the boxes that it is
// spread to. A work group deposits the pixels of its tile into shared memory, which holds the tile and a halo around
// it, as far as they are of the layer that most of them are of, and adds the cells that are not 0 to the fields at the
// end. Sums of integers do not depend on the order of the atomic additions. This is core/spread/cuda.cuh.
#version 450 core
layout(local_size_x = 512) in;
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

// An invocation has a pixel of the tile. NVIDIA's OpenGL gives all work groups of a multiprocessor 48 KB of shared
// memory together. Of these, 14 KB each, it runs three at a time: on an H100, at 3840 x 2160, three layers of circles
// up to 4 pixels take 0.53 ms so, and 0.62 with a halo of 7, of which two fit; of up to 40 pixels 0.80 and 0.90.
const ivec2 kTile = ivec2(32, 16);
const int kPixels = kTile.x * kTile.y;
const int kHalo = 3, kAcross = kTile.x + 2 * kHalo + 1, kDown = kTile.y + 2 * kHalo + 1, kCells = kAcross * kDown;
shared uint cells[kPlanes * kCells];
shared uint counts[kMostDofLayers];  // of the tile's pixels, by layer
shared uint any_group;               // not 0 where the tile has groups that are spread as one
shared uint spread_count;

int tile_layer;                // whose deposits go to the cells
ivec2 first_cell;              // its pixel
ivec2 cells_begin, cells_end;  // the pixels of the cells that lie in the picture

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
  return spread_as_one(low, high, side, first.x, first.y) && layer_of(low, cuts) == layer_of(high, cuts);
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

// Returns the place of end `i`, of up to three, of the side first .. end - 1, and the change of the running sum there,
// which is 0 where there is no such end: folded_ends in core/spread/fold_formula.h, without arrays, which would lie in
// memory.
ivec2 folded_end(int i, int first, int end, int length) {
  ivec2 at;
  if (i == 0)
    at = first < 0 ? ivec2(0, 2) : ivec2(first, 1);
  else if (i == 1)
    at = ivec2(-first, first < 0 ? -1 : 0);
  else
    at = end > length ? ivec2(max(2 * length - end, 0), 1) : ivec2(end, -1);
  return at.x < length ? at : ivec2(0);
}

// Adds the values to the box of pixels begin .. end - 1: for_each_corner in core/spread/fold_formula.h. `held`: its
// corners are cells of the tile's layer; `inside`: it ends before the picture does. Few pixels are neither.
void deposit(int layer, ivec2 begin, ivec2 end, bool held, bool inside, uint values[kPlanes]) {
  if (held) {
    ivec2 at = begin - first_cell, box = end - begin;
    int top = at.y * kAcross + at.x, bottom = top + box.y * kAcross;
    for (int c = 0; c < kPlanes; ++c) {
      uint value = values[c], minus = 0u - value;
      atomicAdd(cells[top + c * kCells], value);
      atomicAdd(cells[top + box.x + c * kCells], minus);
      atomicAdd(cells[bottom + c * kCells], minus);
      atomicAdd(cells[bottom + box.x + c * kCells], value);
    }
  } else if (inside) {
    for (int i = 0; i < 4; ++i)
      add_corner(layer, i % 2 == 0 ? begin.x : end.x, i < 2 ? begin.y : end.y, i == 0 || i == 3 ? 1u : ~0u, values);
  } else {
    for (int i = 0; i < 9; ++i) {
      ivec2 across = folded_end(i % 3, begin.x, end.x, size.x), down = folded_end(i / 3, begin.y, end.y, size.y);
      if (across.y * down.y != 0) add_corner(layer, across.x, down.x, uint(across.y * down.y), values);
    }
  }
}

// Adds a part of the light to a shape: for_each_box in filters/dof/shapes.h.
void spread_to_shape(int layer, int shape, uint steps, ivec2 pixel, int side, uint light[kPlanes], uint random) {
  uint share = product_shifted(shapes[shape].share, steps, kShareBits), values[kPlanes];
  for (int c = 0; c < kPlanes; ++c) {
    values[c] = product_sum_high(light[c], share, random);  // deposit_of
    random = next_random(random);
  }
  int boxes = shapes[shape].steps;
  ivec2 widest = ivec2(shapes[shape].half_width[0], shapes[shape].half_height[boxes - 1]);
  ivec2 first = pixel - widest, last = pixel + widest + side;
  bool held = layer == tile_layer && all(greaterThanEqual(first, cells_begin)) && all(lessThan(last, cells_end));
  bool inside = all(greaterThanEqual(first, ivec2(0))) && all(lessThan(last, size));
  for (int i = 0; i < 2 * boxes - 1; ++i) {
    // After each box comes, with the opposite sign, what it and the next have in common.
    ivec2 half_size = ivec2(shapes[shape].half_width[(i + 1) / 2], shapes[shape].half_height[i / 2]);
    deposit(layer, pixel - half_size, pixel + half_size + side, held, inside, values);
    for (int c = 0; c < kPlanes; ++c) values[c] = 0u - values[c];
  }
}

// This is spread_light in filters/dof/shapes.h.
void spread_light(ivec2 pixel, int side, float circle, uint light[kPlanes]) {
  ivec2 table = shapes_of[group_size(side)];
  int shape = shape_of_radius(table.x, table.y, abs(circle));
  uint upper = upper_share(shapes[shape].radius, shapes[shape].per_radius, abs(circle));
  uint random = pixel_hash(pixel.x, pixel.y);
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
  ivec2 corner = ivec2(gl_WorkGroupID.xy) * kTile, pixel = corner + ivec2(own % kTile.x, own / kTile.x);
  first_cell = corner - kHalo;
  cells_begin = max(first_cell, ivec2(0));
  cells_end = min(first_cell + ivec2(kAcross, kDown), size);
  // Samples are read early, so that they come while the tile is looked at.
  float circle = all(lessThan(pixel, size)) ? circle_at(pixel) : 0.0;
  Samples samples = samples_at(min(pixel, size - 1));
  if (own < kMostDofLayers) counts[own] = 0u;
  if (own == 0) any_group = spread_count = 0u;
  synchronise();

  int side = 0;  // of what is spread from the pixel on; 0: nothing is
  if (deposits(circle)) {
    // Every fourth pixel of every fourth row is counted: the choice changes no result.
    if (((pixel.x | pixel.y) & 3) == 0) atomicAdd(counts[layer_of(circle, cuts)], 1u);
    side = is_spread_as_one(pixel, circle, 4) ? 4 : is_spread_as_one(pixel, circle, 2) ? 2 : 1;
    if (side > 1) any_group = 1u;
  }
  synchronise();
  tile_layer = commonest_layer();
  if (any_group != 0u) {
    // The first pixels of groups, and single ones, are listed in the cells, so that all work is with the first
    // invocations: the place of a pixel, and kPixels times the side.
    if (side > 0 && (pixel & (side - 1)) == ivec2(0))
      cells[atomicAdd(spread_count, 1u)] = uint(own + kPixels * side);
    synchronise();
    int listed = own < int(spread_count) ? int(cells[own]) : 0;
    side = listed / kPixels;
    pixel = corner + ivec2(listed % kTile.x, listed % kPixels / kTile.x);
    synchronise();
  }
  for (int i = own; i < kPlanes * kCells; i += kPixels) cells[i] = 0u;
  synchronise();

  if (side > 0) {
    uint light[kPlanes];
    if (any_group != 0u) {
      mean_of_light(pixel, side, side / 2 * 2, light);
      circle = sum_of_circles(pixel, side) * (side == 4 ? 0.0625 : side == 2 ? 0.25 : 1.0);
    } else {
      uint of_pixel[kLight];
      light_to_spread(samples, of_pixel);
      for (int c = 0; c < kLight; ++c) light[c] = of_pixel[c];
      light[kLight] = uint(kOneLight);
    }
    spread_light(pixel, side, circle, light);
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
