// What is seen around near things, to fill what they hide: a summed-area table of the pixels that lie well
// behind the nearest thing around them.
#pragma once

#include <cstdint>

#include "core/sat_box_formula.h"
#include "core/view.h"

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

/// Tiles of two sizes, between which what is known of them is blended, so that nothing jumps while the blur
/// is pulled.
struct NearLevels {
  NearTiles fine, coarse;  ///< the coarse ones are twice as large
  float coarse_share;

  std::int64_t count() const { return fine.count() + coarse.count(); }

  /// Returns the greatest circle around a pixel: `of_tile` has that of each fine tile, then of each coarse
  /// one, and circle_of(value) is what a value there stands for.
  template <class Value, class CircleOf>
  SCANLENS_HOST_DEVICE float nearest_around(const Value* of_tile, int x, int y,
                                            const CircleOf& circle_of) const {
    const Value* const of_coarse = of_tile + std::int64_t{fine.across} * fine.down;
    const float near = circle_of(fine.greatest_around(of_tile, x / fine.side, y / fine.side));
    const float far = circle_of(coarse.greatest_around(of_coarse, x / coarse.side, y / coarse.side));
    return near + coarse_share * (far - near);
  }
};

/// The tiles for blurs up to `most` pixels. Sides are powers of two, and those around a pixel's reach about
/// as far as what may hide it: the fine ones are a quarter of `most` large at least, the coarse ones half of
/// it.
inline NearLevels near_levels(std::int64_t width, std::int64_t height, float most) {
  const auto tiles = [&](int side) {
    return NearTiles{side, static_cast<int>((width + side - 1) / side),
                     static_cast<int>((height + side - 1) / side)};
  };
  int side = 8;
  while (static_cast<float>(4 * side) < most) side *= 2;
  const float share = most / static_cast<float>(2 * side) - 1;
  return {tiles(side), tiles(2 * side), share > 0 ? share : 0.f};
}

/// How much a pixel's light counts: nothing where the nearest thing around is hardly nearer than it, all of
/// it from 0.6 of the difference between that and the focus on.
SCANLENS_HOST_DEVICE inline float fill_weight(float circle, float nearest) {
  if (!(nearest > 0)) return 0;
  const float least = nearest > 1e-3f ? nearest : 1e-3f;
  const float share = ((nearest - circle) / least - 0.2f) * 2.5f;
  return share < 0 ? 0.f : (share > 1 ? 1.f : share);
}

/// A cell of the table is the mean of so many pixels a side: the fill is smooth, and takes a quarter of the
/// time so.
inline constexpr int kFillCell = 2;

/// Cells of so many pixels.
SCANLENS_HOST_DEVICE constexpr std::int64_t fill_cells(std::int64_t pixels) {
  return (pixels + kFillCell - 1) / kFillCell;
}

/// How many cells the mean around a pixel reaches beyond its own.
SCANLENS_HOST_DEVICE inline int fill_reach(float radius) {
  const float reach = (radius > 1 ? radius : 1.f) * (0.8862f * 0.9f / kFillCell);
  return static_cast<int>(reach + 0.5f);
}

/// The cells whose mean fills a pixel of a picture of width x height.
SCANLENS_HOST_DEVICE inline Box fill_box(int x, int y, float radius, int width, int height) {
  return clipped_box(x / kFillCell, y / kFillCell, fill_reach(radius), static_cast<int>(fill_cells(width)),
                     static_cast<int>(fill_cells(height)));
}

/// Light of 1, at full weight, in the table: so much that boxes up to `most` pixels of radius sum 16 times as
/// much exactly.
inline float fill_one(float most) {
  const double side = 2.0 * fill_reach(most) + 1;
  const double one = 4294967295.0 / (16 * side * side);
  return static_cast<float>(one < 65535 ? one : 65535);
}

/// One channel of a cell in the table. `random`, below 1, rounds up or down.
SCANLENS_HOST_DEVICE inline std::uint32_t fill_term(float weighted_light, float one, float random) {
  return static_cast<std::uint32_t>((weighted_light < 16 ? weighted_light : 16) * one + random);
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
    const float random = static_cast<float>(hash >> 8) * (1 / 16777216.f);
    for (int c = 0; c <= kLight; ++c) put(c, fill_term(light[c] / pixels, one, random));
  }
};

}  // namespace scanlens
