// Finds what is affordable of lamps, and lists their cells: affordable_growth in filters/dof/lamps.h. An invocation has a
// block.
#version 450 core
layout(local_size_x = 256) in;
#include "layers/light.glsl"
#define LAMPS_ACCESS
#define LAMP_CELLS
#include "layers/lamps.glsl"
#include "layers/synchronise.glsl"

uniform uint lamp_budget;

shared uint costs[kLampCosts];
shared int growth;
shared uint share;

uint cost_of_growth(int at) {
  uint sum = 0u;
  for (int bucket = 0; bucket < kLampBuckets; ++bucket)
    sum = sum_of_costs(sum, costs[place_of_cost(bucket, lamp_growth_of(bucket, at))], lamp_budget);
  return sum;
}

void visit_lamp_cell(ivec2 first, int cell, float circle) {
  int at = lamp_blocks.x * lamp_blocks.y + 2 * int(atomicAdd(lamp_count, 1u));
  lamps[at] = uint(first.x);
  lamps[at + 1] = uint(first.y << kLampCellBits | cell);
}

void main() {
  int own = int(gl_LocalInvocationIndex);
  if (own < kLampCosts) costs[own] = lamp_costs[own];
  if (own == 0) growth = 0;
  synchronise();
  // An invocation has a growth.
  if (own <= kMostLampGrowth) {
    uint cost = cost_of_growth(own);
    if (own == kMostLampGrowth) share = affordable_share(cost, lamp_budget);
    else if (cost > lamp_budget / 2u) atomicAdd(growth, 1);
  }
  synchronise();
  ivec2 place = ivec2(gl_GlobalInvocationID.xy);
  int block = place.y * lamp_blocks.x + place.x;
  if (place.x >= lamp_blocks.x || lamps[block] == 0u) return;
  uint word = lamps[block], of_block = standing_of(word) * share >> kShareBits;
  lamps[block] = of_block;
  if (of_block == 0u) return;
  ivec2 first = place * kLampBlock, end = min(first + kLampBlock, size);
  uint mask = 0u;
  for (int y = first.y; y < end.y; ++y)
    for (int x = first.x; x < end.x; ++x) {
      uint light[kPlanes];
      light_to_spread(samples_at(ivec2(x, y)), light);
      if (lamp_share(brightest_of(light), per_lamp, circle_at(ivec2(x, y)), of_block) > 0u)
        mask |= bit_of_lamp(x - first.x, y - first.y);
    }
  visit_lamp_cells(mask, first,
                   grown_lamp_level(level_of(word), bucket_of_block(place.x, place.y), growth));
}
