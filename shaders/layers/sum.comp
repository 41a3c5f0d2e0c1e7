// Sums the deposits of a tile along its rows, in place, and down its columns what that makes of them. A work group has
// a plane of the tile.
#version 450 core
const int kAcross = 32, kParts = 4;  // an invocation has four columns of a quarter of the rows
layout(local_size_x = 128) in;
#define TILES_ACCESS
#include "layers/field_tiles.glsl"
#include "layers/running.glsl"
#include "layers/synchronise.glsl"

layout(std430, binding = 0) buffer Fields { uint fields[]; };  // [plane][row][column], at first as places.glsl has them
uniform int height, planes_per_layer;

#pragma optionNV(unroll all)
const int kRows = kFieldTileHeight / kParts;
const int kQuarters = 4, kOfQuarter = kAcross / kQuarters;  // of a row: an invocation sums one
shared uint before[kFieldTileHeight][kAcross + 1];  // a word more per row, so that rows lie in different banks
shared uint quarters[kFieldTileHeight][kQuarters];
shared uvec4 column_parts[kParts][kAcross];

void main() {
  ivec2 tile = ivec2(gl_WorkGroupID.xy);
  int plane = int(gl_WorkGroupID.z), own = int(gl_LocalInvocationIndex);
  int lane = own % kAcross, part = own / kAcross, first = tile.y * kFieldTileHeight + part * kRows;
  if (!has_deposits(tile, plane / planes_per_layer)) {
    tiles[column_at(plane, tile.y, tile.x * kFieldTileWidth + own)] = 0u;
    if (own < kFieldTileHeight) tiles[row_at(plane, tile.x, tile.y * kFieldTileHeight + own)] = 0u;
    if (own == 0) tiles[corner_at(plane, tile.x, tile.y)] = 0u;
    return;
  }
  int pitch = field_pitch(), at = (plane * height + first) * pitch + tile.x * kFieldTileWidth;
  uvec4 values[kRows], of_columns = uvec4(0u);
  for (int r = 0; r < kRows; ++r) {
    int even = at + r * pitch + 2 * lane, odd = even + kFieldTileWidth / 2;
    values[r] = uvec4(0u);
    if (first + r < height) values[r] = uvec4(fields[even], fields[odd], fields[even + 1], fields[odd + 1]);
  }
  for (int r = 0; r < kRows; ++r) {
    values[r] = running(values[r]);
    before[part * kRows + r][lane] = values[r].w;
  }
  synchronise();

  // The sum of a row before each invocation's columns: first within a quarter of the row.
  uint of_quarter = 0u;
  int of_row = own / kQuarters, quarter = own % kQuarters;
  for (int i = quarter * kOfQuarter; i < (quarter + 1) * kOfQuarter; ++i) {
    uint sum = before[of_row][i];
    before[of_row][i] = of_quarter;
    of_quarter += sum;
  }
  quarters[of_row][quarter] = of_quarter;
  synchronise();
  for (int r = 0; r < kRows; ++r) {
    int row = part * kRows + r;
    uint left = before[row][lane];
    for (int q = 0; q < kQuarters - 1; ++q) left += q < lane / kOfQuarter ? quarters[row][q] : 0u;
    values[r] += left;
    if (first + r < height) {
      int to = at + r * pitch + 4 * lane;
      fields[to] = values[r].x;
      fields[to + 1] = values[r].y;
      fields[to + 2] = values[r].z;
      fields[to + 3] = values[r].w;
    }
    of_columns += values[r];
  }
  column_parts[part][lane] = of_columns;
  synchronise();

  uint of_column = 0u;
  for (int i = 0; i < kParts; ++i) of_column += column_parts[i][own / 4][own % 4];
  tiles[column_at(plane, tile.y, tile.x * kFieldTileWidth + own)] = of_column;
  if (own < kFieldTileHeight) {
    uint row_sum = quarters[own][0] + quarters[own][1] + quarters[own][2] + quarters[own][3];
    tiles[row_at(plane, tile.x, tile.y * kFieldTileHeight + own)] = row_sum;
    before[own][0] = row_sum;
  }
  synchronise();
  if (own == 0) {
    uint of_tile = 0u;
    for (int i = 0; i < kFieldTileHeight; ++i) of_tile += before[i][0];
    tiles[corner_at(plane, tile.x, tile.y)] = of_tile;
  }
}
