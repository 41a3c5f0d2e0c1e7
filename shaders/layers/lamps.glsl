// The pixels that are lamps, whose discs have steps of their own. filters/dof/lamps.h describes them, and
// filters/dof/lamps_cuda.cu takes the same steps. After picture.glsl.
//   LAMPS_ACCESS     empty where a shader writes them
#include "filters/dof/lamps_formula.h"
#ifndef LAMPS_ACCESS
#define LAMPS_ACCESS readonly
#endif

layout(std430, binding = 7) LAMPS_ACCESS buffer Lamps {
  uint lamp_count;              // cells
  uint lamps_grown;             // what all lamps cost in the largest cells, so far
  uint lamp_costs[kLampCosts];  // place_of_cost
  uint lamps[];                 // of each block: its word, then what share of its lamps goes to discs, in steps. Behind the
                                // last block: the cells with lamps, each in two words: x, and y << kLampCellBits | lamp_cell
};
uniform ivec2 lamp_blocks;  // across and down; 0 where no blur is wide enough
uniform float per_lamp;     // 1 / (least light of lamps)

uint brightest_of(uint light[kPlanes]) {
  uint brightest = light[0];
  for (int c = 1; c < kColors; ++c) brightest = max(brightest, light[c]);
  return brightest;
}

// Returns how much of the lamps of a pixel's block goes to discs, in steps.
uint share_of_block(ivec2 pixel) { return lamps[pixel.y / kLampBlock * lamp_blocks.x + pixel.x / kLampBlock]; }

// Returns how much of a pixel goes to its disc, in steps.
uint share_of_lamp(ivec2 pixel, uint light[kPlanes]) {
  uint of_block = share_of_block(pixel);
  return of_block == 0u ? 0u : lamp_share(brightest_of(light), per_lamp, circle_at(pixel), of_block);
}

#ifdef LAMP_CELLS
// This is for_each_lamp_cell in filters/dof/lamps.h. `mask` has the lamps of the block from `first` on.
void visit_lamp_cell(ivec2 first, int cell, float circle);

bool is_cell_done(uint mask, ivec2 first, ivec2 cell, int at_level, int level) {
  float low = 0.0, high = 0.0;
  bool any = false;
  for (int i = 0; i < 1 << 2 * at_level; ++i) {
    ivec2 at = cell + ivec2(i & (1 << at_level) - 1, i >> at_level);
    if ((mask & bit_of_lamp(at.x, at.y)) == 0u) continue;
    float circle = circle_at(first + at);
    low = any ? min(low, circle) : circle;
    high = any ? max(high, circle) : circle;
    any = true;
  }
  if (any && at_level > 0 && !share_discs(low, high)) return false;
  if (any) visit_lamp_cell(first + cell, lamp_cell(at_level, level), shared_circle(low, high));
  return true;
}

void visit_lamp_cells(uint mask, ivec2 first, int level) {
  if (level >= kLargestCell && is_cell_done(mask, first, ivec2(0), kLargestCell, level)) return;
  for (int quarter = 0; quarter < 4; ++quarter) {
    ivec2 cell = ivec2(quarter % 2, quarter / 2) * 2;
    if (level > 0 && is_cell_done(mask, first, cell, 1, level)) continue;
    for (int i = 0; i < 4; ++i) is_cell_done(mask, first, cell + ivec2(i % 2, i / 2), 0, level);
  }
}
#endif
