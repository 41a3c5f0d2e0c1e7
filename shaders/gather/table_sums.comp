// Makes the first step of a summed-area table: the sums of each tile's rows and columns. It copies the picture on the
// way for the second: a buffer gives a lane four neighbouring pixels at once, a texture one.
#version 450 core
#include "gather/table.glsl"

layout(binding = 0, r32ui) readonly uniform uimage2D color;  // RGBA8, a pixel as one word; zero beyond its borders
layout(std430, binding = 1) writeonly buffer Codes { uint codes[]; };      // [row][column], in whole tiles
layout(std430, binding = 3) writeonly buffer Rows { uvec4 rows[]; };       // [row][tile across]
layout(std430, binding = 4) writeonly buffer Columns { uvec4 columns[]; }; // [strip][channel][column / 4], above it
layout(std430, binding = 5) writeonly buffer Bands { uvec4 bands[]; };     // [tile down][channel][column / 4]
layout(std430, binding = 6) writeonly buffer Totals { uint totals[]; };    // [tile down][tile across][channel, of 4]

shared uint strip_columns[kStrips][3][kTileWidth];

void main() {
  int lane = own_lane(), strip = own_strip(), across = int(gl_WorkGroupID.x), down = int(gl_WorkGroupID.y);
  int x = across * kTileWidth + lane, y = (down * kStrips + strip) * kRows, width = tiles.x * kTileWidth;
  uint code[kRows][4];
  for (int i = 0; i < kRows; ++i)
    for (int k = 0; k < 4; ++k) code[i][k] = imageLoad(color, ivec2(x + k * kLanes, y + i)).r;
  load_decoding();
  barrier();

  uvec3 column[4] = uvec3[4](uvec3(0), uvec3(0), uvec3(0), uvec3(0)), row_of_lane = uvec3(0);
  for (int i = 0; i < kRows; ++i) {
    uvec3 row = uvec3(0);
    for (int k = 0; k < 4; ++k) {
      codes[(y + i) * width + x + k * kLanes] = code[i][k];
      uvec3 term = uvec3(linear[code[i][k] & 255u], linear[bitfieldExtract(code[i][k], 8, 8)],
                         linear[bitfieldExtract(code[i][k], 16, 8)]);
      column[k] += term;
      row += term;
    }
    row = over_lanes(row, 1, kLanes);
    if (lane == i) row_of_lane = row;
  }
  if (lane < kRows) rows[(y + lane) * tiles.x + across] = uvec4(row_of_lane, 0);
  for (int c = 0; c < 3; ++c)
    for (int k = 0; k < 4; ++k) strip_columns[strip][c][lane + k * kLanes] = column[k][c];
  barrier();

  uvec3 total = uvec3(0);
  if (strip < 3) {
    int channel = strip;
    uvec4 above = uvec4(0);
    for (int s = 0; s < kStrips; ++s) {
      columns[(((down * kStrips + s) * 3 + channel) * tiles.x + across) * kLanes + lane] = above;
      for (int k = 0; k < 4; ++k) above[k] += strip_columns[s][channel][4 * lane + k];
    }
    bands[((down * 3 + channel) * tiles.x + across) * kLanes + lane] = above;
    total = uvec3(above.x + above.y + above.z + above.w);
  }
  total = over_lanes(total, 1, kLanes);
  if (strip < 3 && lane == 0) totals[(down * tiles.x + across) * 4 + strip] = total.x;
}
