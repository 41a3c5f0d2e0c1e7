// Finds which blocks' lamps are affordable, and lists these: share_of_block in filters/dof/lamps.h. An invocation has a
// block.
#version 450 core
layout(local_size_x = 256) in;
#include "layers/light.glsl"
#define LAMPS_ACCESS
#include "layers/lamps.glsl"
#include "layers/synchronise.glsl"

uniform uint lamp_budget;

shared uint affordable[kLampLevels];  // what lamps of a level and all higher ones cost, then their share

void main() {
  int own = int(gl_LocalInvocationIndex), count = lamp_blocks.x * lamp_blocks.y;
  affordable[own] = min(lamp_costs[own], lamp_budget);
  synchronise();
  for (int distance = 1; distance < kLampLevels; distance *= 2) {
    uint sum = affordable[own] + (own + distance < kLampLevels ? affordable[own + distance] : 0u);
    synchronise();
    affordable[own] = min(sum, lamp_budget);
    synchronise();
  }
  affordable[own] = affordable_share(affordable[own], lamp_budget);
  synchronise();
  ivec2 place = ivec2(gl_GlobalInvocationID.xy);
  int block = place.y * lamp_blocks.x + place.x;
  if (place.x >= lamp_blocks.x || lamps[block] == 0u) return;
  uint word = lamps[block], level = level_of(word);
  int at = int(level >> kLevelBits);
  uint of_block = standing_of(word) * affordable_between(affordable[max(at - 1, 0)], affordable[at], level) >> kShareBits;
  lamps[block] = of_block;
  if (of_block == 0u) return;
  ivec2 first = place * kLampBlock, end = min(first + kLampBlock, size);
  for (int y = first.y; y < end.y; ++y)
    for (int x = first.x; x < end.x; ++x) {
      uint light[kPlanes];
      light_to_spread(samples_at(ivec2(x, y)), light);
      if (lamp_share(brightest_of(light), per_lamp, circle_at(ivec2(x, y)), of_block) > 0u)
        lamps[count + int(atomicAdd(lamp_count, 1u))] = uint(y * size.x + x);
    }
}
