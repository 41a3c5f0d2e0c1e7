// Makes the sums of tiles those of all tiles above, or to the left, or both. The first `column_groups` work
// groups have the columns, the next `row_groups` the rows, an invocation each; each further group has the
// corners of a plane.
#version 450 core
const int kThreads = 128;
layout(local_size_x = 128) in;
#define TILES_ACCESS coherent
#include "layers/field_tiles.glsl"

uniform int column_groups, row_groups;

// Scans `count` words from `first` on, `step` from one to the next, exclusively and in place. It takes
// several at a time, so that it waits once for all of them.
#pragma optionNV(unroll all)
void scan(int first, int count, int step) {
  const int kAtOnce = 16;
  uint sum = 0u;
  for (int begin = 0; begin < count; begin += kAtOnce) {
    uint values[kAtOnce];
    for (int i = 0; i < kAtOnce; ++i) values[i] = begin + i < count ? tiles[first + (begin + i) * step] : 0u;
    for (int i = 0; i < kAtOnce; ++i) {
      if (begin + i < count) tiles[first + (begin + i) * step] = sum;
      sum += values[i];
    }
  }
}

void main() {
  int group = int(gl_WorkGroupID.x), own = int(gl_LocalInvocationIndex), pitch = field_pitch(), rows = padded_height();
  if (group < column_groups) {
    int column = group * kThreads + own;  // of all planes; a plane's are whole work groups
    scan(column_at(column / pitch, 0, column % pitch), field_tiles.y, pitch);
    return;
  }
  group -= column_groups;
  if (group < row_groups) {
    int row = group * kThreads + own;
    if (row < planes * rows) scan(row_at(row / rows, 0, row % rows), field_tiles.x, rows);
    return;
  }
  int plane = group - row_groups;
  for (int tile_y = own; tile_y < field_tiles.y; tile_y += kThreads)
    scan(corner_at(plane, 0, tile_y), field_tiles.x, field_tiles.y);
  memoryBarrierBuffer();
  barrier();
  for (int tile_x = own; tile_x < field_tiles.x; tile_x += kThreads)
    scan(corner_at(plane, tile_x, 0), field_tiles.y, 1);
}
