// Finds what lamps there may be, before it is known how many: lamps_of_block in filters/dof/lamps.h. An invocation has a
// block.
#version 450 core
layout(local_size_x = 32, local_size_y = 8) in;
#include "layers/light.glsl"
#define LAMPS_ACCESS coherent
#include "layers/lamps.glsl"
#include "layers/synchronise.glsl"

uniform uint lamp_budget;

shared uint costs[kLampCosts];

uint brightest_at(ivec2 pixel) {
  uint light[kPlanes];
  light_to_spread(samples_at(clamp(pixel, ivec2(0), size - 1)), light);
  return brightest_of(light);
}

// Returns the block's word, and adds what its lamps cost.
uint lamps_of_block(ivec2 first) {
  ivec2 end = min(first + kLampBlock, size);
  uint own = 0u;
  float radius = 0.0;
  for (int y = first.y; y < end.y; ++y)
    for (int x = first.x; x < end.x; ++x) own = max(own, brightest_at(ivec2(x, y)));
  for (int i = 0; i < 4; ++i)  // corners
    radius = max(radius, abs(circle_at(ivec2(i % 2 == 1 ? end.x - 1 : first.x, i >= 2 ? end.y - 1 : first.y))));
  float ratio = lamp_ratio(own, per_lamp);
  if (!(ratio > 1.0 && radius > kLeastLampRadius)) return 0u;
  LampRings rings = lamp_rings(radius);
  uint inner = 0u, outer = 0u;
  for (int i = 0; i < 8; ++i) {
    ivec2 toward = ivec2(ring_place(i, rings.distance), ring_place(i + 2, rings.distance));
    ivec2 farther = ivec2(ring_place(i, 2 * rings.distance), ring_place(i + 2, 2 * rings.distance));
    inner += crowding(own, brightest_at(first + kLampBlock / 2 + toward));
    outer += crowding(own, brightest_at(first + kLampBlock / 2 + farther));
  }
  uint standing = standing_out(crowd_around(own, inner, outer, rings.outer));
  if (standing == 0u) return 0u;
  uint mask = 0u;
  float low = 0.0, high = 0.0;
  for (int y = first.y; y < end.y; ++y)
    for (int x = first.x; x < end.x; ++x) {
      float circle = circle_at(ivec2(x, y));
      if (lamp_share(brightest_at(ivec2(x, y)), per_lamp, circle, kShareSteps) == 0u) continue;
      low = mask != 0u ? min(low, circle) : circle;
      high = mask != 0u ? max(high, circle) : circle;
      mask |= bit_of_lamp(x - first.x, y - first.y);
    }
  if (mask == 0u) return 0u;
  int bucket = bucket_of_block(first.x / kLampBlock, first.y / kLampBlock), least = least_lamp_level(radius, bucket);
  for (int raised = 0; raised <= kMostLampLevel; ++raised)
    atomicAdd(costs[place_of_cost(bucket, raised)], cost_of_block(mask, low, high, least + raised));
  return block_word(standing, least);
}

void main() {
  uint own = gl_LocalInvocationIndex;
  if (own < kLampCosts) costs[own] = 0u;
  if (gl_GlobalInvocationID.xy == uvec2(0u)) lamp_count = 0u;
  synchronise();
  ivec2 block = ivec2(gl_GlobalInvocationID.xy);
  if (all(lessThan(block, lamp_blocks)))
    lamps[block.y * lamp_blocks.x + block.x] = lamps_grown < lamp_budget ? lamps_of_block(block * kLampBlock) : 0u;
  synchronise();
  if (own < kLampBuckets) {
    uint grown = costs[place_of_cost(int(own), kMostLampLevel)];
    if (grown > 0u && lamps_grown < kMostLampCost) atomicAdd(lamps_grown, grown);
  }
  // Sums stay below 2^32: what is far beyond any budget need not grow.
  if (own < kLampCosts && costs[own] > 0u && lamp_costs[own] < kMostLampCost) atomicAdd(lamp_costs[own], costs[own]);
}
