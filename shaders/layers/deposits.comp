// Deposits the light of every pixel that is in no group. A work group deposits the pixels of its tile into
// shared memory, which holds the tile and a halo around it. It adds the cells that are not 0 to the fields:
// one layer after the other, of those that some of its pixels are of. Sums of integers do not depend on the
// order of the atomic additions. This is core/spread/cuda.cuh, but that boxes at borders are reflected corner
// by corner, that tiles are begun in the order of rows, and which layers take turns.
#version 450 core
layout(local_size_x = 512) in;
#include "layers/spread.glsl"
#include "layers/synchronise.glsl"

#define GROUPS_ACCESS readonly
#include "layers/groups.glsl"

// An invocation has a pixel of the tile. NVIDIA's OpenGL gives all work groups of a multiprocessor 48 KB of shared
// memory together. Of these, 16 KB each, it runs three at a time, with 40 registers per invocation: what takes more is
// kept in shared memory by the compiler, so that fewer run, and all takes twice as long. Invocations side by side
// deposit to a row: the wider the halo, the fewer of them part. On an H200, at 3840 x 2160, circles up to 16 pixels
// take 0.57 ms, and 0.71 with a halo of 3 all around.
const ivec2 kTile = ivec2(32, 16), kHalo = ivec2(5, 3);
const int kPixels = kTile.x * kTile.y;
const int kAcross = kTile.x + 2 * kHalo.x + 1, kDown = kTile.y + 2 * kHalo.y + 1, kCells = kAcross * kDown;
shared uint cells[kPlanes * kCells];
const uint kAnyPixel = 1u << 31;
shared uint layers_here;  // bit l: of some pixels of the tile, layer l; and kAnyPixel, where any is deposited

int tile_layer;                // whose deposits go to the cells
ivec2 first_cell;              // its pixel
ivec2 cells_begin, cells_end;  // the pixels of the cells that lie in the picture

bool holds_shape(int layer, ivec2 first, ivec2 end) {
  return layer == tile_layer && all(greaterThanEqual(first, cells_begin)) && all(lessThan(end, cells_end));
}

void add_held_box(ivec2 first, ivec2 end, uint values[kPlanes]) {
  ivec2 at = first - first_cell, box = end - first;
  int top = at.y * kAcross + at.x, bottom = top + box.y * kAcross;
  for (int c = 0; c < kPlanes; ++c) {
    uint value = values[c], minus = 0u - value;
    atomicAdd(cells[top + c * kCells], value);
    atomicAdd(cells[top + box.x + c * kCells], minus);
    atomicAdd(cells[bottom + c * kCells], minus);
    atomicAdd(cells[bottom + box.x + c * kCells], value);
  }
}

void add_corner(int layer, ivec2 pixel, uint sign, uint values[kPlanes]) {
  ivec2 cell = pixel - first_cell;
  if (layer == tile_layer && all(lessThan(uvec2(cell), uvec2(kAcross, kDown)))) {
    int at = cell.y * kAcross + cell.x;
    for (int c = 0; c < kPlanes; ++c) atomicAdd(cells[at + c * kCells], sign * values[c]);
  } else {
    add_to_fields(layer, pixel, sign, values);
  }
}

bool is_in_group(ivec2 pixel, float circle) {
  if (abs(circle) < least_group_radius(2)) return false;  // without a look
  return groups[group_at(pixel)] != 0u;
}

void clear() {
  for (int i = int(gl_LocalInvocationIndex); i < kPlanes * kCells; i += kPixels) cells[i] = 0u;
}

// Adds the cells that are not 0 to the tile's layer.
void flush() {
  for (int i = int(gl_LocalInvocationIndex); i < kCells; i += kPixels) {
    ivec2 cell = first_cell + ivec2(i % kAcross, i / kAcross);
    if (any(lessThan(cell, ivec2(0))) || any(greaterThanEqual(cell, size))) continue;
    int at = field_place(tile_layer, cell);
    for (int c = 0; c < kPlanes; ++c) {
      uint value = cells[c * kCells + i];
      if (value != 0u) atomicAdd(fields[at + c * field_plane()], value);
    }
  }
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
  if (own == 0) layers_here = 0u;
  clear();
  synchronise();

  bool is_spread = deposits(circle) && !is_in_group(pixel, circle);
  if (is_spread) {
    uint layers = kAnyPixel;
    // Every fourth pixel of every fourth row is asked for its layers: the choice changes no result.
    if (((pixel.x | pixel.y) & 3) == 0) {
      LayerShare share = layer_share(circle, cuts);
      layers |= (share.behind > 0u ? 3u : 1u) << share.layer;
    }
    atomicOr(layers_here, layers);
  }
  synchronise();
  uint to_do = layers_here;
  if (to_do == 0u) return;
  to_do = to_do == kAnyPixel ? 1u : to_do & ~kAnyPixel;
  uint light[kPlanes];
  light_beside_lamp(min(pixel, size - 1), samples, light);
  // Layers that no pixel was asked for take no turn of their own, and are deposited in the first.
  uint others = ~to_do;
  while (true) {
    tile_layer = findLSB(to_do);
    taken_layers = 1u << tile_layer | others;
    others = 0u;
    if (is_spread) spread_light(pixel, 1, circle, light);
    synchronise();
    flush();
    to_do &= to_do - 1u;
    if (to_do == 0u) return;
    synchronise();
    clear();
    synchronise();
  }
}
