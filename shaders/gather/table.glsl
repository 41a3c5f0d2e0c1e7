// Two steps make a summed-area table by OpenGL alone, and share this: table_sums.comp adds up tiles, table_write.comp
// adds what lies above and to the left of each to its pixels. A work group takes a tile of 128 x 64 pixels, each
// subgroup a strip of it, 8 rows high; a lane takes four columns of a strip.
//   SUBGROUPS        lanes exchange sums as subgroups do; without it, which is several times slower, by shared memory
#ifdef SUBGROUPS
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#endif
// Loops that are not unrolled keep their arrays in memory; other compilers than NVIDIA's pass over this.
#pragma optionNV(unroll all)

const int kLanes = 32, kStrips = 8, kRows = 8, kTileWidth = 4 * kLanes;
layout(local_size_x = 32, local_size_y = 8) in;

uniform ivec2 tiles;  // across and down
shared uint linear[256];

// These are not gl_SubgroupInvocationID and gl_SubgroupID, with which NVIDIA's compiler makes the table a quarter
// slower.
int own_lane() { return int(gl_LocalInvocationID.x); }
int own_strip() { return int(gl_LocalInvocationID.y); }

#ifdef SUBGROUPS
uvec3 from_before(uvec3 v, int step) { return subgroupShuffleUp(v, uint(step)); }
uvec3 from_other(uvec3 v, int step) { return subgroupShuffleXor(v, uint(step)); }
#else
shared uvec3 of_lane[kStrips][kLanes];
uvec3 exchanged(uvec3 v, int lane) {
  of_lane[own_strip()][own_lane()] = v;
  barrier();
  uvec3 other = of_lane[own_strip()][lane];
  memoryBarrierShared();  // without it Mesa 22.3 reads after the barrier, when the next exchange has written
  barrier();
  return other;
}
uvec3 from_before(uvec3 v, int step) { return exchanged(v, max(own_lane() - step, 0)); }
uvec3 from_other(uvec3 v, int step) { return exchanged(v, own_lane() ^ step); }
#endif

// Returns the sum over the lanes up to the own one.
uvec3 up_to_own_lane(uvec3 v) {
  for (int step = 1; step < kLanes; step *= 2) {
    uvec3 before = from_before(v, step);
    if (own_lane() >= step) v += before;
  }
  return v;
}

// Returns the sum over the lanes that differ from the own one by the bits from `first` to below `end`.
uvec3 over_lanes(uvec3 v, int first, int end) {
  for (int step = first; step < end; step *= 2) v += from_other(v, step);
  return v;
}

layout(std430, binding = 2) readonly buffer Decoding { uint decoding[256]; };  // sRGB code to linear light
// Loads `linear`, whose readers wait for a barrier.
void load_decoding() { linear[gl_LocalInvocationIndex] = decoding[gl_LocalInvocationIndex]; }
