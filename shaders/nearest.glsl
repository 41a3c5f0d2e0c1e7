// The nearest things of a picture: its extremes, and those of tiles of two sizes. NearLevels in filters/dof/fill.h tells
// of the sizes. Numbers are ordered as integers are, by the rule of core/cuda/warp_extremes.cuh.
layout(std430, binding = 2) buffer Nearest {
  int extremes[2];  // the complement of the least circle, and the greatest
  int nearest[];    // the greatest circle of each fine tile, then of each coarse one
};
uniform int tile_side;                   // of the fine ones; coarse ones are twice as large
uniform ivec2 fine_tiles, coarse_tiles;  // across and down

// Returns an integer in the same order as the number; -0 comes before +0.
int ordered(float value) {
  int bits = floatBitsToInt(value);
  return bits ^ (bits >> 31 & 0x7FFFFFFF);
}
// Returns the number again: the sign bit stays, so that the bits are flipped by the same rule.
float from_ordered(int order) { return intBitsToFloat(order ^ (order >> 31 & 0x7FFFFFFF)); }
