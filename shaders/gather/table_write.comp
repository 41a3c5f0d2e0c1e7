// Makes the second step of a summed-area table: every entry, from the picture and the sums of the first step. A row of
// the table holds blocks of 32 pixels, 32 sums of each channel: what neighbouring lanes write and read is contiguous.
// One row above the picture and one block to its left are zero and stay so.
#version 450 core
#include "gather/table.glsl"

layout(std430, binding = 0) writeonly buffer Table { uvec4 table[]; };
layout(std430, binding = 1) readonly buffer Codes { uvec4 codes[]; };
layout(std430, binding = 3) readonly buffer Rows { uvec4 rows[]; };
layout(std430, binding = 4) readonly buffer Columns { uvec4 columns[]; };
layout(std430, binding = 5) readonly buffer Bands { uvec4 bands[]; };
layout(std430, binding = 6) readonly buffer Totals { uvec4 totals[]; };
uniform int height;  // rows of the picture

const int kBlock = 24, kChannel = 8;  // counted in uvec4

shared uvec4 above_tile[kStrips][3][kLanes];
shared uvec3 left_of_row[kStrips][kRows];

uvec4 terms(uvec4 code, int channel) {
  uvec4 at = code >> (8 * channel) & 255u;
  return uvec4(linear[at.x], linear[at.y], linear[at.z], linear[at.w]);
}

uvec4 running(uvec4 v) {
  v.y += v.x;
  v.z += v.y;
  v.w += v.z;
  return v;
}

void main() {
  // The tiles go from below: the first step has left the picture's last rows in the cache.
  int lane = own_lane(), strip = own_strip();
  int across = int(gl_WorkGroupID.x), down = tiles.y - 1 - int(gl_WorkGroupID.y);
  int y = (down * kStrips + strip) * kRows, quad = across * kLanes + lane, quads = tiles.x * kLanes;
  uvec4 above[3] = uvec4[3](uvec4(0), uvec4(0), uvec4(0)), sums[3];
  for (int c = 0; c < 3; ++c) sums[c] = columns[((down * kStrips + strip) * 3 + c) * quads + quad];

  // The subgroups share the tiles above and those to the left of them. The lanes share the tiles to the left
  // of a row.
  uvec3 corner = uvec3(0), left = uvec3(0);
  for (int band = strip; band < down; band += kStrips) {
    for (int c = 0; c < 3; ++c) above[c] += bands[(band * 3 + c) * quads + quad];
    for (int tile = lane; tile < across; tile += kLanes) corner += totals[band * tiles.x + tile].rgb;
  }
  for (int tile = lane / kRows; tile < across; tile += kLanes / kRows)
    left += rows[(y + lane % kRows) * tiles.x + tile].rgb;
  corner = over_lanes(corner, 1, kLanes);
  left = over_lanes(left, kRows, kLanes);
  if (lane < kRows) left_of_row[strip][lane] = left;
  for (int c = 0; c < 3; ++c) {
    if (lane == 0) above[c].x += corner[c];
    above_tile[strip][c][lane] = above[c];
  }
  load_decoding();
  barrier();

  if (strip < 3) {
    uvec4 sum = above_tile[0][strip][lane];
    for (int s = 1; s < kStrips; ++s) sum += above_tile[s][strip][lane];
    above_tile[0][strip][lane] = sum;
  }
  uvec3 left_above = uvec3(0);  // the tile's, down to the strip
  for (int i = lane; i < strip * kRows; i += kLanes) left_above += left_of_row[i / kRows][i % kRows];
  left_above = over_lanes(left_above, 1, kLanes);
  barrier();

  for (int c = 0; c < 3; ++c) sums[c] = running(sums[c] + above_tile[0][c][lane]);
  uvec3 last = uvec3(sums[0].w, sums[1].w, sums[2].w), before = up_to_own_lane(last) - last + left_above;
  for (int c = 0; c < 3; ++c) sums[c] += before[c];
  int pitch = (tiles.x * 4 + 1) * kBlock;
  int at = (y + 1) * pitch + (1 + quad / kChannel) * kBlock + quad % kChannel;
  for (int i = 0; i < kRows; ++i) {
    uvec4 code = codes[(y + i) * quads + quad], row[3];
    for (int c = 0; c < 3; ++c) row[c] = running(terms(code, c));
    last = uvec3(row[0].w, row[1].w, row[2].w);
    before = up_to_own_lane(last) - last + left_of_row[strip][i];
    for (int c = 0; c < 3; ++c) {
      sums[c] += row[c] + before[c];
      if (y + i < height) table[at + c * kChannel] = sums[c];
    }
    at += pitch;
  }
}
