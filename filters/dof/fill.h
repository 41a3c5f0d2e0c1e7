// What is seen around near things, to fill what they hide: a summed-area table of the pixels that lie well
// behind the nearest thing around them.
#pragma once

#include <cstdint>

#include "core/view.h"
#include "filters/dof/fill_formula.h"

namespace scanlens {

/// Square tiles of a picture, whose nearest pixels are known.
struct NearTiles {
  int side, across, down;

  std::int64_t count() const { return std::int64_t{across} * down; }

  /// Returns the greatest of `of_tile` in the tile and the up to 8 around it.
  template <class Value>
  SCANLENS_HOST_DEVICE Value greatest_around(const Value* of_tile, int tile_x, int tile_y) const {
    const Box tiles = clipped_box(tile_x, tile_y, 1, across, down);
    Value greatest = of_tile[tile_y * across + tile_x];
    for (int j = tiles.y0; j <= tiles.y1; ++j)
      for (int i = tiles.x0; i <= tiles.x1; ++i) {
        const Value value = of_tile[j * across + i];
        greatest = value > greatest ? value : greatest;
      }
    return greatest;
  }
};

/// The tiles for blurs up to `most` pixels: their side is a power of two, half of that at least, so that the
/// tiles around a pixel's reach about as far as what may hide it.
inline NearTiles near_tiles(std::int64_t width, std::int64_t height, float most) {
  NearTiles tiles{8, 0, 0};
  while (static_cast<float>(2 * tiles.side) < most) tiles.side *= 2;
  tiles.across = static_cast<int>((width + tiles.side - 1) / tiles.side);
  tiles.down = static_cast<int>((height + tiles.side - 1) / tiles.side);
  return tiles;
}

/// Light of 1, at full weight, in the table: so much that boxes up to `most` pixels of radius sum 16 times as
/// much exactly.
inline float fill_one(float most) {
  const double side = 2.0 * fill_reach(most) + 1;
  const double one = 4294967295.0 / (16 * side * side);
  return static_cast<float>(one < 65535 ? one : 65535);
}

/// Weighted light of the pixels of a cell, added up.
template <int kLight>
struct FillCell {
  float light[kLight + 1] = {};  ///< the last is the weight
  float pixels = 0;

  SCANLENS_HOST_DEVICE void add(const float* of_pixel, float weight) {
    for (int c = 0; c < kLight; ++c) light[c] += of_pixel[c] * weight;
    light[kLight] += weight;
    pixels += 1;
  }
  /// Calls put(channel, term) for each.
  template <class Put>
  SCANLENS_HOST_DEVICE void finish(float one, std::uint32_t hash, const Put& put) const {
    const float rounding = fill_rounding(hash);
    for (int c = 0; c <= kLight; ++c) put(c, fill_term(light[c] / pixels, one, rounding));
  }
};

}  // namespace scanlens
