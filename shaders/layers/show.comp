// Makes the fields of a tile out of its deposits, lays the layers of each pixel one over the other, from the front, fills
// what they leave, and shows the light as samples: visit_fields_kernel in core/spread/visit.cuh and ShowLayers in
// filters/dof/layered_cuda.cu. A work group has a tile and goes down it, some rows of a layer at a time.
#version 450 core
const int kThreads = 512;
layout(local_size_x = 512) in;
#include "layers/picture.glsl"
#include "layers/depths.glsl"
#include "layers/field_tiles.glsl"
#include "filters/dof/composite_formula.h"
#include "filters/dof/fill_formula.h"

layout(binding = 0) writeonly uniform image2D result;
layout(std430, binding = 0) readonly buffer Fields { uint fields[]; };  // [layer][plane][row][column], deposits
layout(std430, binding = 7) readonly buffer Fill { uint fill[]; };      // [plane][row][column], inclusive
uniform int fill_pitch;  // from row to row
uniform float fill_one;
uniform float per_light;  // 1 / (light of 1 in a field)

// An invocation has a pixel of the rows at hand and sums columns; some sum segments of rows, too. A segment takes a word
// more than its columns, so that those of a row lie in different banks of the shared memory. NVIDIA's OpenGL lets few work
// groups with much shared memory share a multiprocessor: on an H200 8 rows at a time, 25 KB, take 1.4 times as long as 4.
const int kRows = kThreads / kFieldTileWidth;
const int kSegment = 32, kSegments = kFieldTileWidth / kSegment, kRowWords = kSegments * (kSegment + 1);
const int kColumns = kPlanes * kFieldTileWidth, kSums = kPlanes * kRows * kSegments;  // of a layer
const int kOfThread = (kColumns + kThreads - 1) / kThreads;
shared uint rows_of[kPlanes * kRows * kRowWords];
shared uint segment_sums[kSums], before_segment[kSums];  // [plane][row][segment]
shared uint left_of[kMostDofLayers * kPlanes][kFieldTileHeight];
shared uint seen_layers;  // bit l: the fields of layer l are not 0 everywhere

// This is sample_of_light in filters/dof/light.h; what it returns is what the picture's format takes for the sample.
#if BITS == 32
float sample_of_light(float light) { return light; }
#elif BITS == 16
layout(std430, binding = 6) readonly buffer Encoding { float encoding[]; };  // linear16_to_srgb16
float sample_of_light(float light) {
  float place = place_of_light(light);
  int entry = entry_at_place(place);
  return float(code_at_place(place, encoding[entry], encoding[entry + 1])) / kMostCode;
}
#else
layout(std430, binding = 6) readonly buffer Encoding { uint encoding[]; };  // linear16_to_srgb8, four codes a word
float sample_of_light(float light) {
  int entry = entry_of_light(light);
  return float(encoding[entry / 4] >> (8 * (entry % 4)) & 255u) / kMostCode;
}
#endif

uint plus(uint a, uint b) { return a + b; }
uint minus(uint a, uint b) { return a - b; }
uint fill_entry(int first, int x, int y) { return x < 0 || y < 0 ? 0u : fill[first + y * fill_pitch + x]; }

// Adds the mean over a box of cells, times a share; the last is the weight.
void add_mean(Box box, float share, inout float around[kPlanes]) {
  float per = share / (fill_one * box_area(box));
  int plane = fill_pitch * fill_cells(size.y);
  for (int c = 0; c < kPlanes; ++c)
    around[c] += float(SCANLENS_BOX_SUM(plus, minus, fill_entry(c * plane, box.x1, box.y1),
                                        fill_entry(c * plane, box.x1, box.y0 - 1), fill_entry(c * plane, box.x0 - 1, box.y1),
                                        fill_entry(c * plane, box.x0 - 1, box.y0 - 1))) * per;
}

// Adds what fills a pixel: for_each_fill_box in filters/dof/fill.h.
void add_light_around(ivec2 pixel, float circle, inout float around[kPlanes]) {
  FillReach reach = fill_reach(circle);
  add_mean(fill_box(pixel.x, pixel.y, reach.cells, size.x, size.y), 1.0 - reach.wider_share, around);
  add_mean(fill_box(pixel.x, pixel.y, reach.cells + 1, size.x, size.y), reach.wider_share, around);
}

void synchronise() {
  memoryBarrierShared();
  barrier();
}

int place_of(int plane, int row, int x) {
  return (plane * kRows + row) * kRowWords + x / kSegment * (kSegment + 1) + x % kSegment;
}

// What of a pixel is seen through the layers so far: Composite in filters/dof/composite.h.
struct Seen {
  float light[kLight];
  float left;
  bool exact;
};

// Adds a layer, which has light in `rows_of`, or none. `local` is the pixel's place among the rows at hand, and `own`
// how much of itself it keeps in this layer.
void add_layer(bool has_light, float own, ivec2 local, ivec2 pixel, inout Seen seen) {
  if (!(seen.left > 0.0)) return;
  if (own >= 1.0 && seen.left >= 1.0) {
    seen.exact = true;
    seen.left = 0.0;
    return;
  }
  float light[kPlanes];
  for (int c = 0; c < kPlanes; ++c)
    light[c] = has_light ? float(rows_of[place_of(c, local.y, local.x)] +
                                 before_segment[(c * kRows + local.y) * kSegments + local.x / kSegment])
                         : 0.0;
  float coverage = whole_coverage(light[kLight] * (1.0 / kOneLight)), share = seen_share(coverage, seen.left, own);
  if (!(share > 0.0)) return;
  float sharp[kLight], per_cover = coverage > 0.0 ? 1.0 / coverage : 0.0;
  for (int c = 0; c < kLight; ++c) sharp[c] = 0.0;
  if (own > 0.0) light_to_show(samples_at(pixel), sharp);
  for (int c = 0; c < kLight; ++c) {
    float of_layer = light[c] * (c < kColors ? per_light : 1.0 / kOneLight);
    seen.light[c] += seen_light(share, of_layer * per_cover, own, sharp[c]);
  }
  precise float left = seen.left - share;
  seen.left = left;
}

// This is show_light in filters/dof/light.h, after what nothing covers is filled.
void show(ivec2 pixel, float circle, Seen seen) {
  vec4 shown = texelFetch(color, pixel, 0);
  if (!seen.exact) {
    if (seen.left > 0.0) {
      float around[kPlanes], covered = 1.0 - seen.left, per_covered = covered > 1e-9 ? 1.0 / covered : 0.0;
      for (int c = 0; c < kPlanes; ++c) around[c] = 0.0;
      if (is_filled(circle, seen.left)) add_light_around(pixel, circle, around);
      for (int c = 0; c < kLight; ++c)
        seen.light[c] += filling_light(seen.left, around[c], around[kLight], seen.light[c] * per_covered);
    }
    float per_alpha = 1.0;
#if CHANNELS == 4
    shown.a = min(seen.light[3], 1.0);
    per_alpha = seen.light[3] > 0.0 ? 1.0 / seen.light[3] : 0.0;
#endif
    if (per_alpha > 0.0) {
      for (int c = 0; c < kColors; ++c) shown[c] = sample_of_light(seen.light[c] * per_alpha);
#if CHANNELS == 1
      shown.gb = shown.rr;
#endif
    }
  }
  imageStore(result, pixel, shown);
}

// Makes kRows rows of a layer's fields from row `first` of the tile on. `above` are the sums of the invocation's columns,
// and become those with these rows.
void sum_rows(ivec2 tile, int layer, int first, inout uint above[kOfThread]) {
  int own = int(gl_LocalInvocationIndex), pitch = field_pitch(), y0 = tile.y * kFieldTileHeight + first;
  bool any_deposits = has_deposits(tile, layer);
  for (int k = 0; k < kOfThread; ++k) {
    int column = own + k * kThreads, plane = column / kFieldTileWidth, x = column % kFieldTileWidth;
    if (column >= kColumns) break;
    int at = ((layer * kPlanes + plane) * size.y + y0) * pitch + tile.x * kFieldTileWidth + x;
    uint values[kRows];
    for (int r = 0; r < kRows; ++r) values[r] = any_deposits && y0 + r < size.y ? fields[at + r * pitch] : 0u;
    for (int r = 0; r < kRows; ++r) {
      above[k] += values[r];
      rows_of[place_of(plane, r, x)] = above[k];
    }
  }
  synchronise();
  for (int i = own; i < kSums; i += kThreads) {
    int at = i / kSegments * kRowWords + i % kSegments * (kSegment + 1);
    uint sum = 0u;
    for (int x = 0; x < kSegment; ++x) {
      sum += rows_of[at + x];
      rows_of[at + x] = sum;
    }
    segment_sums[i] = sum;
  }
  synchronise();
  for (int i = own; i < kSums; i += kThreads) {
    int row = i / kSegments;
    uint sum = left_of[layer * kPlanes + row / kRows][first + row % kRows];
    for (int s = row * kSegments; s < i; ++s) sum += segment_sums[s];
    before_segment[i] = sum;
  }
  synchronise();
}

// Sets left_of: the sums of all deposits to the left of the tile, down to each of its rows.
void sum_left(ivec2 tile) {
  int own = int(gl_LocalInvocationIndex);
  for (int i = own; i < planes * kFieldTileHeight; i += kThreads) {
    int plane = i / kFieldTileHeight, row = i % kFieldTileHeight;
    left_of[plane][row] = tiles[row_at(plane, tile.x, tile.y * kFieldTileHeight + row)];
  }
  synchronise();
  if (own < planes) {
    uint sum = tiles[corner_at(own, tile.x, tile.y)], any = 0u;
    for (int row = 0; row < kFieldTileHeight; ++row) {
      sum += left_of[own][row];
      left_of[own][row] = sum;
      any |= sum;
    }
    if (any != 0u) atomicOr(seen_layers, 1u << own / kPlanes);
  }
}

void main() {
  int own = int(gl_LocalInvocationIndex), layers = cuts.count + 1;
  ivec2 tile = ivec2(gl_WorkGroupID.xy), corner = tile * ivec2(kFieldTileWidth, kFieldTileHeight);
  if (own == 0) {
    seen_layers = 0u;
    for (int l = 0; l < layers; ++l)
      if (has_deposits(tile, l)) seen_layers |= 1u << l;
  }
  synchronise();
  sum_left(tile);
  uint above[kMostDofLayers][kOfThread], lit = 0u;
  for (int l = 0; l < layers; ++l)
    for (int k = 0; k < kOfThread; ++k) {
      int column = own + k * kThreads, plane = l * kPlanes + column / kFieldTileWidth;
      above[l][k] = column < kColumns ? tiles[column_at(plane, tile.y, corner.x + column % kFieldTileWidth)] : 0u;
      if (above[l][k] != 0u) lit |= 1u << l;
    }
  if (lit != 0u) atomicOr(seen_layers, lit);
  synchronise();

  ivec2 local = ivec2(own % kFieldTileWidth, own / kFieldTileWidth);
  for (int first = 0; first < min(kFieldTileHeight, size.y - corner.y); first += kRows) {
    ivec2 pixel = corner + ivec2(0, first) + local;
    bool inside = all(lessThan(pixel, size));
    Seen seen;
    for (int c = 0; c < kLight; ++c) seen.light[c] = 0.0;
    seen.left = 1.0;
    seen.exact = false;
    float circle = inside ? circle_at(pixel) : 0.0, own_share = sharpness(circle);
    int own_layer = layer_of(circle, cuts);
    for (int l = 0; l < layers; ++l) {
      bool has_light = (seen_layers >> l & 1u) != 0u;
      if (has_light) sum_rows(tile, l, first, above[l]);
      if (inside) add_layer(has_light, l == own_layer ? own_share : 0.0, local, pixel, seen);
      synchronise();
    }
    if (inside) show(pixel, circle, seen);
  }
}
