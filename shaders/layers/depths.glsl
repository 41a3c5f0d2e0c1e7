// Facts about the depth of a picture: its extremes, and its nearest things. NearLevels in filters/dof/fill.h
// describes the tiles. Numbers are ordered as integers are, by the rule of core/cuda/warp_extremes.cuh.
//   DEPTHS_ACCESS    empty where a shader writes them
#include "filters/dof/layers_formula.h"
#ifndef DEPTHS_ACCESS
#define DEPTHS_ACCESS readonly
#endif

layout(std430, binding = 2) DEPTHS_ACCESS buffer Depths {
  int extremes[2];  // the complement of the least circle, and the greatest
  int nearest[];    // the greatest circle of each fine tile, then of each coarse one; then the two extremes of each tile
                    // of the fields
};
uniform int tile_side;                   // of the fine ones; coarse ones are twice as large
uniform ivec2 fine_tiles, coarse_tiles;  // across and down

// Returns where the extremes of a tile of the fields begin.
int field_tile_extremes(int tile) {
  return fine_tiles.x * fine_tiles.y + coarse_tiles.x * coarse_tiles.y + 2 * tile;
}

// Returns an integer in the same order as the number; -0 comes before +0.
int ordered(float value) {
  int bits = floatBitsToInt(value);
  return bits ^ (bits >> 31 & 0x7FFFFFFF);
}
// Returns the number again: the sign bit stays, so that the bits are flipped by the same rule.
float from_ordered(int order) { return intBitsToFloat(order ^ (order >> 31 & 0x7FFFFFFF)); }
