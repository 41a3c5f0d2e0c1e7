// Sums along the rows of planes, in place: the first of the two steps that make summed-area tables of them. A work
// group goes along a row, 1024 words at a time.
#version 450 core
const int kThreads = 128, kStretch = 2 * kThreads;  // counted in uvec4, as all that follows
layout(local_size_x = 128) in;
#include "layers/running.glsl"
#include "layers/synchronise.glsl"

layout(std430, binding = 7) buffer Planes { uvec4 planes[]; };  // [plane][row][column / 4]
uniform int pitch;  // from row to row

shared uint sums[2][kThreads];  // taken in turn, so that one barrier stands between a step and the next

void main() {
  int own = int(gl_LocalInvocationIndex);
  int row = int(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * pitch;
  uint before = 0u;
  for (int stretch = 0; stretch < pitch; stretch += kStretch) {
    int at = stretch + 2 * own;
    uvec4 first = at < pitch ? running(planes[row + at]) : uvec4(0);
    uvec4 second = (at + 1 < pitch ? running(planes[row + at + 1]) : uvec4(0)) + first.w;
    uint sum = second.w;
    int from = 0;
    sums[from][own] = sum;
    synchronise();
    for (int step = 1; step < kThreads; step *= 2) {
      if (own >= step) sum += sums[from][own - step];
      from = 1 - from;
      sums[from][own] = sum;
      synchronise();
    }
    uint left = before + sum - second.w;
    if (at < pitch) planes[row + at] = first + left;
    if (at + 1 < pitch) planes[row + at + 1] = second + left;
    before += sums[from][kThreads - 1];
  }
}
