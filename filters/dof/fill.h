// The surroundings of pixels, to fill what things hide there: a summed-area table of the pixels that lie well
// behind the nearest thing around them.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/view.h"
#include "filters/dof/fill_formula.h"
#include "filters/dof/light.h"
#include "filters/dof/shapes.h"

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

  /// Returns the greatest circle around a fine tile: `of_tile` has that of each fine tile, then of each
  /// coarse one, and circle_of(value) is what a value there stands for.
  template <class Value, class CircleOf>
  SCANLENS_HOST_DEVICE float nearest_around(const Value* of_tile, int tile_x, int tile_y,
                                            const CircleOf& circle_of) const {
    const Value* const of_coarse = of_tile + std::int64_t{fine.across} * fine.down;
    return nearest_of_levels(circle_of(fine.greatest_around(of_tile, tile_x, tile_y)),
                             circle_of(coarse.greatest_around(of_coarse, tile_x / 2, tile_y / 2)),
                             coarse_share);
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
  int side = kLeastNearTile;
  while (static_cast<float>(4 * side) < most) side *= 2;
  const float share = most / static_cast<float>(2 * side) - 1;
  return {tiles(side), tiles(2 * side), share > 0 ? share : 0.f};
}

/// Width of the widest box that fills a pixel, relative to the blur.
inline float wide_fill(const DofStyle& style) {
  return kWideFill * oval_length(style);
}

/// White, at full weight, in the table: so much that boxes that fill circles up to `most` are summed exactly:
/// to half of what 32 bits hold, since terms are rounded up, too. `wide` is wide_fill().
inline float fill_one(float most, float wide) {
  const double side = 2.0 * wide_fill_reach(most, wide) + 1;
  const double one = 2147483648.0 / (side * side);
  return static_cast<float>(one < 65535 ? one : 65535);
}

/// Adds what is seen around a pixel of a picture, and last its weight: means over boxes of the table, which
/// has `one` for white. weight_of(box) reads its last term, and add_sums(box, per) adds all, times
/// `per`, to `around`. `wide` is wide_fill().
template <int kTerms, class WeightOf, class AddSums>
SCANLENS_HOST_DEVICE void add_light_around(int x, int y, float circle, float wide, int width, int height,
                                           float one, const WeightOf& weight_of, const AddSums& add_sums,
                                           const float (&around)[kTerms]) {
  // Mostly nothing counts anywhere around.
  const float radius = std::fabs(circle);
  const Box all = fill_box(x, y, wide_fill_reach(radius, wide), width, height);
  if (!(weight_of(all) > 0)) return;
  float share = 1;
  const int first = 2 * first_fill_box(circle);
#ifdef __CUDA_ARCH__
#pragma unroll 1  // so that the boxes share registers
#endif
  for (int i = first; i < 2 * kFillBoxes; ++i) {
    if (i % 2 == 0 && i > first) share = fill_share(i / 2, around[kTerms - 1]);
    if (!(share > 0)) break;
    const FillReach reach = fill_reach(fill_size(i / 2, wide) * radius);
    const Box box = fill_box(x, y, reach.cells + i % 2, width, height);
    const float of_box = i % 2 == 0 ? 1 - reach.wider_share : reach.wider_share;
    add_sums(box, share * of_box / (one * box_area(box)));
  }
}

/// Weighted light of the pixels of a cell, added up. White is 1 there, and of samples 1 / `per_white`.
template <int kLight>
struct FillCell {
  float light[kLight + 1] = {};  ///< the last is the weight

  SCANLENS_HOST_DEVICE void add(const float* of_pixel, float weight, float per_white) {
    for (int c = 0; c < kLight; ++c)
      light[c] += light_to_fill(of_pixel[c], c < kLightColors<kLight> ? per_white : 1.f) * weight;
    light[kLight] += weight;
  }
  /// Calls put(channel, term) for each, of a cell of `pixels` pixels. Without weight all terms are 0, since
  /// what rounds them is below 1.
  template <class Put>
  SCANLENS_HOST_DEVICE void finish(int pixels, float one, std::uint32_t hash, const Put& put) const {
    const bool counts = light[kLight] > 0;
    const float rounding = fill_rounding(hash);
    for (int c = 0; c <= kLight; ++c)
      put(c, counts ? fill_term(light[c] / static_cast<float>(pixels), one, rounding) : 0u);
  }
};

}  // namespace scanlens
