// Goes down the columns of a tile and makes the fields out of its rows' sums. Lays the layers of each pixel
// one over the other, from the front, fills what they leave, and shows the light as samples: as do
// visit_fields_kernel in core/spread/visit.cuh and ShowLayers in filters/dof/layered_cuda.cu. An invocation
// has a column, and all planes of it in registers: it waits for no other.
//   LAYERS           how many there may be
#version 450 core
layout(local_size_x = 128) in;
#include "layers/picture.glsl"
#include "layers/cuts.glsl"
#include "layers/field_tiles.glsl"
#include "filters/dof/composite_formula.h"
#include "filters/dof/fill_formula.h"
#include "layers/synchronise.glsl"

layout(binding = 0) writeonly uniform image2D result;
layout(std430, binding = 0) readonly buffer Fields { uint fields[]; };  // [layer][plane][row][column]: layers/sum.comp
layout(std430, binding = 7) readonly buffer Fill { uint fill[]; };      // [plane][row][column], inclusive
uniform int fill_pitch;  // from row to row
uniform float fill_one;
uniform float wide_fill;
#if BITS == 32
uniform float white;  // light that counts as white
#else
const float white = 1.0;
#endif
uniform float per_light;  // 1 / (light of 1 in a field)
uniform int pupils;       // not 0 where they make the shapes

shared uint left_of[kMostDofLayers * kPlanes][kFieldTileHeight];  // the sums of each row left of the tile
shared uint lit;                                          // bit l: the fields of layer l are not 0 everywhere

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

// Returns the sum over a box of cells, of the fill's plane that begins at `first`.
float fill_sum(Box box, int first) {
  return float(SCANLENS_BOX_SUM(plus, minus, fill_entry(first, box.x1, box.y1), fill_entry(first, box.x1, box.y0 - 1),
                                fill_entry(first, box.x0 - 1, box.y1), fill_entry(first, box.x0 - 1, box.y0 - 1)));
}

// Adds what is seen around a pixel, and last its weight: add_light_around in filters/dof/fill.h. The number of
// boxes is known late, so that compilers make no code for each of them.
void add_light_around(ivec2 pixel, float circle, inout float around[kPlanes]) {
  int plane = fill_pitch * fill_cells(size.y), first = 2 * first_fill_box(circle), boxes = first + 2;
  float radius = abs(circle);
  Box all = fill_box(pixel.x, pixel.y, wide_fill_reach(radius, wide_fill), size.x, size.y);
  if (!(fill_sum(all, kLight * plane) > 0.0)) return;
  float share = 1.0;
  for (int i = first; i < boxes; ++i) {
    FillReach reach = fill_reach(fill_size(i / 2, wide_fill) * radius);
    Box box = fill_box(pixel.x, pixel.y, reach.cells + i % 2, size.x, size.y);
    float per = share * (i % 2 == 0 ? 1.0 - reach.wider_share : reach.wider_share) / (fill_one * box_area(box));
    for (int c = 0; c < kPlanes; ++c) around[c] += fill_sum(box, c * plane) * per;
    if (i % 2 == 1 && i + 1 < 2 * kFillBoxes) {
      share = fill_share(i / 2 + 1, around[kLight]);
      if (share > 0.0) boxes = i + 3;
    }
  }
}

// The part of a pixel that is seen through the layers so far: Composite in filters/dof/composite.h.
struct Seen {
  float light[kLight];
  float left;
  bool exact;
};

// Adds a layer. `own` is how much of itself the pixel keeps in it; `sharp` is its light.
void add_layer(uint field[kPlanes], float own, float sharp[kLight], inout Seen seen) {
  if (own >= 1.0 && seen.left >= 1.0) {
    seen.exact = true;
    seen.left = 0.0;
  }
  float coverage = whole_coverage(float(field[kLight]) * (1.0 / kOneLight));
  float share = seen_share(coverage, seen.left, own);
  if (share > 0.0) {
    float per_cover = coverage > 0.0 ? 1.0 / coverage : 0.0;
    for (int c = 0; c < kLight; ++c) {
      float of_layer = float(field[c]) * (c < kColors ? per_light : 1.0 / kOneLight);
      seen.light[c] += seen_light(share, of_layer * per_cover, own, sharp[c]);
    }
    precise float left = seen.left - share;
    seen.left = left;
  }
}

// This is show_light in filters/dof/light.h, after what nothing covers is filled.
void show(ivec2 pixel, float circle, Seen seen) {
  vec4 shown = texelFetch(color, pixel, 0);
  if (!seen.exact) {
    if (seen.left > 0.0) {
      float around[kPlanes], covered = 1.0 - seen.left, per_covered = covered > 1e-9 ? 1.0 / covered : 0.0;
      for (int c = 0; c < kPlanes; ++c) around[c] = 0.0;
      if (is_filled(circle, seen.left)) add_light_around(pixel, circle, around);
      if (pupils != 0 && shows_itself(circle, seen.left, around[kLight])) {
        imageStore(result, pixel, shown);
        return;
      }
      float weight = around[kLight], own = 0.0, there = 0.0;
      for (int c = 0; c < kColors; ++c) {
        own += weight * light_to_fill(seen.light[c] * per_covered, 1.0 / white);
        there += around[c];
      }
      float share = share_of_around(circle, seen.left, own, there);
      for (int c = 0; c < kLight; ++c)
        seen.light[c] += filling_light(seen.left, seen.light[c] * per_covered, share,
                                       c < kColors ? around[c] * white : around[c], weight);
    }
    float per_alpha = 1.0;
#if CHANNELS == 4
    shown.a = min(seen.light[3], 1.0);
    per_alpha = seen.light[3] > 0.0 ? 1.0 / seen.light[3] : 0.0;
#endif
    if (per_alpha > 0.0) {
      shown.rgb = vec3(sample_of_light(seen.light[0] * per_alpha));
#if CHANNELS > 1
      shown.g = sample_of_light(seen.light[1] * per_alpha);
      shown.b = sample_of_light(seen.light[2] * per_alpha);
#endif
    }
  }
  imageStore(result, pixel, shown);
}

// A layer's planes of the column: arrays of layers would lie in memory, so that each has a name.
#if LAYERS == 3
#define FOR_EACH_LAYER(STEP) STEP(0) STEP(1) STEP(2)
#elif LAYERS == 6
#define FOR_EACH_LAYER(STEP) STEP(0) STEP(1) STEP(2) STEP(3) STEP(4) STEP(5)
#else
#error no other number of layers
#endif

void main() {
  int own = int(gl_LocalInvocationIndex), layers = cuts.count + 1, pitch = field_pitch();
  ivec2 tile = ivec2(gl_WorkGroupID.xy), corner = tile * ivec2(kFieldTileWidth, kFieldTileHeight);
  if (own == 0) lit = 0u;
  synchronise();
  uint of_tile = 0u, own_lit = 0u;  // where there may be deposits, and where there is light
  for (int l = 0; l < layers; ++l)
    if (has_deposits(tile, l)) of_tile |= 1u << l;
  own_lit = of_tile;
  // The fields of the row above, what lies to the left of the tile counting as far as that.
#define START(l)                                                                                                       \
  uint field_##l[kPlanes];                                                                                             \
  for (int c = 0; c < kPlanes; ++c) {                                                                                  \
    field_##l[c] = 0u;                                                                                                 \
    if (l < layers) {                                                                                                  \
      int plane = l * kPlanes + c;                                                                                     \
      field_##l[c] = tiles[column_at(plane, tile.y, corner.x + own)] + tiles[corner_at(plane, tile.x, tile.y)];        \
      if (field_##l[c] != 0u) own_lit |= 1u << l;                                                                      \
    }                                                                                                                  \
  }
  FOR_EACH_LAYER(START)
  for (int i = own; i < layers * kPlanes * kFieldTileHeight; i += kFieldTileWidth) {
    int plane = i / kFieldTileHeight, row = i % kFieldTileHeight;
    uint left = tiles[row_at(plane, tile.x, corner.y + row)];
    left_of[plane][row] = left;
    if (left != 0u) own_lit |= 1u << plane / kPlanes;
  }
  if (own_lit != 0u) atomicOr(lit, own_lit);
  synchronise();

  ivec2 pixel = corner + ivec2(own, 0);
  if (pixel.x >= size.x) return;
  int end = min(kFieldTileHeight, size.y - corner.y), at = corner.y * pitch + pixel.x, plane = size.y * pitch;
  for (int row = 0; row < end; ++row, ++pixel.y, at += pitch) {
    float circle = circle_at(pixel);
    Samples samples = samples_at(pixel);
    // All fields come before the first of them is shown: so few registers hold what is read.
#define ADD_ROW(l)                                                                                                     \
  if ((lit >> l & 1u) != 0u) {                                                                                         \
    uint deposits[kPlanes];                                                                                            \
    for (int c = 0; c < kPlanes; ++c) deposits[c] = 0u;                                                                \
    if ((of_tile >> l & 1u) != 0u)                                                                                     \
      for (int c = 0; c < kPlanes; ++c) deposits[c] = fields[at + (l * kPlanes + c) * plane];                          \
    for (int c = 0; c < kPlanes; ++c) field_##l[c] += deposits[c] + left_of[l * kPlanes + c][row];                     \
  }
    FOR_EACH_LAYER(ADD_ROW)
    Seen seen;
    for (int c = 0; c < kLight; ++c) seen.light[c] = 0.0;
    seen.left = 1.0;
    seen.exact = false;
    float own_share = sharpness(circle), sharp[kLight];
    int own_layer = layer_of(circle, cuts);
    for (int c = 0; c < kLight; ++c) sharp[c] = 0.0;
    if (own_share > 0.0) light_to_show(samples, sharp);
#define SHOW_LAYER(l)                                                                                                  \
  if ((lit >> l & 1u) != 0u || l == own_layer) add_layer(field_##l, l == own_layer ? own_share : 0.0, sharp, seen);
    FOR_EACH_LAYER(SHOW_LAYER)
    show(pixel, circle, seen);
  }
}
