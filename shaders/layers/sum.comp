// Sums the columns, the rows and all of the deposits of a tile of the fields. A work group has a plane of it.
#version 450 core
const int kAcross = 32, kParts = 4;  // an invocation has four columns of a quarter of the rows
layout(local_size_x = 128) in;
#define TILES_ACCESS
#include "layers/field_tiles.glsl"

layout(std430, binding = 0) readonly buffer Fields { uvec4 fields[]; };  // [plane][row][column / 4]
uniform int height, planes_per_layer;

#pragma optionNV(unroll all)
const int kRows = kFieldTileHeight / kParts;
shared uint row_parts[kFieldTileHeight][kAcross + 1];  // one more, so that columns lie in different banks
shared uvec4 column_parts[kParts][kAcross];
shared uint quarters[kFieldTileHeight][4];

void synchronise() {
  memoryBarrierShared();
  barrier();
}

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
  int pitch = field_pitch() / 4, at = (plane * height + first) * pitch + tile.x * kAcross + lane;
  uvec4 values[kRows], of_columns = uvec4(0u);
  for (int r = 0; r < kRows; ++r) values[r] = first + r < height ? fields[at + r * pitch] : uvec4(0u);
  for (int r = 0; r < kRows; ++r) {
    of_columns += values[r];
    row_parts[part * kRows + r][lane] = values[r].x + values[r].y + values[r].z + values[r].w;
  }
  column_parts[part][lane] = of_columns;
  synchronise();

  uint of_column = 0u, of_quarter = 0u;
  for (int i = 0; i < kParts; ++i) of_column += column_parts[i][own / 4][own % 4];
  tiles[column_at(plane, tile.y, tile.x * kFieldTileWidth + own)] = of_column;
  for (int i = 0; i < kAcross / 4; ++i) of_quarter += row_parts[own / 4][own % 4 * (kAcross / 4) + i];
  quarters[own / 4][own % 4] = of_quarter;
  synchronise();
  if (own < kFieldTileHeight) {
    uint of_row = quarters[own][0] + quarters[own][1] + quarters[own][2] + quarters[own][3];
    tiles[row_at(plane, tile.x, tile.y * kFieldTileHeight + own)] = of_row;
    row_parts[own][0] = of_row;
  }
  synchronise();
  if (own == 0) {
    uint of_tile = 0u;
    for (int i = 0; i < kFieldTileHeight; ++i) of_tile += row_parts[i][0];
    tiles[corner_at(plane, tile.x, tile.y)] = of_tile;
  }
}
