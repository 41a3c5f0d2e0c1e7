// The fields as tiles, and what a tile needs of those above it and to its left: FieldTiles in core/spread/visit.cuh,
// but columns are summed of what the rows of a tile were summed to.
//   TILES_ACCESS     empty where a shader writes them
#include "core/spread/field_tiles_formula.h"
#ifndef TILES_ACCESS
#define TILES_ACCESS readonly
#endif

layout(std430, binding = 3) TILES_ACCESS buffer Tiles {
  uint tiles[];  // of each tile: bit l says that there may be deposits of layer l in it; behind the last: the same of
                 // every tile. Then, of each plane: the sums of columns [tile row][column], of rows [tile
                 // column][row], and of whole tiles [tile column][tile row]
};
uniform ivec2 field_tiles;  // across and down
uniform int planes;         // of all layers

int field_pitch() { return field_tiles.x * kFieldTileWidth; }
int padded_height() { return field_tiles.y * kFieldTileHeight; }

bool has_deposits(ivec2 tile, int layer) {
  int count = field_tiles.x * field_tiles.y;
  return ((tiles[tile.y * field_tiles.x + tile.x] | tiles[count]) >> layer & 1u) != 0u;
}
// Return where the sum of a column, of a row and of a tile lies.
int column_at(int plane, int tile_y, int x) {
  return field_tiles.x * field_tiles.y + 1 + (plane * field_tiles.y + tile_y) * field_pitch() + x;
}
int row_at(int plane, int tile_x, int y) {
  return column_at(planes, 0, 0) + (plane * field_tiles.x + tile_x) * padded_height() + y;
}
int corner_at(int plane, int tile_x, int tile_y) {
  return row_at(planes, 0, 0) + (plane * field_tiles.x + tile_x) * field_tiles.y + tile_y;
}
