// The pixels that are lamps, whose discs have steps of their own. filters/dof/lamps.h describes them, and
// filters/dof/lamps_cuda.cu takes the same steps. After picture.glsl.
//   LAMPS_ACCESS     empty where a shader writes them
#include "filters/dof/lamps_formula.h"
#ifndef LAMPS_ACCESS
#define LAMPS_ACCESS readonly
#endif

layout(std430, binding = 7) LAMPS_ACCESS buffer Lamps {
  uint lamp_count;               // pixels
  uint lamp_costs[kLampLevels];  // of blocks of each level
  uint lamps[];                  // of each block: its word, then what share of its lamps goes to discs, in steps. Behind the
                                 // last block: the lamps, pixels counted row by row
};
uniform ivec2 lamp_blocks;  // across and down; 0 where no blur is wide enough
uniform float per_lamp;     // 1 / (least light of lamps)

uint brightest_of(uint light[kPlanes]) {
  uint brightest = light[0];
  for (int c = 1; c < kColors; ++c) brightest = max(brightest, light[c]);
  return brightest;
}

// Returns how much of a pixel goes to its disc, in steps.
uint share_of_lamp(ivec2 pixel, uint light[kPlanes]) {
  uint of_block = lamps[pixel.y / kLampBlock * lamp_blocks.x + pixel.x / kLampBlock];
  return of_block == 0u ? 0u : lamp_share(brightest_of(light), per_lamp, circle_at(pixel), of_block);
}
