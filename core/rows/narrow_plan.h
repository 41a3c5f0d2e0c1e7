// The division of a dense array with short axes, the scanned one and the inner one, among blocks, on CUDA.
// Plain arithmetic.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/rows/column_plan.h"
#include "core/scan_axis.h"
#include "core/view.h"

namespace scanlens::gpu {

constexpr int kNarrowThreads = 512;
constexpr int kNarrowStages = 3;        ///< tiles in shared memory: one is scanned, one totalled, one loaded
constexpr int kMostNarrowRows = 32;     ///< of a part: so few roundings of floats follow one another
constexpr int kMostNarrowColumns = 32;  ///< those that a warp holds side by side

/// A tile is a run of whole images, and so of memory: of rows of `columns` elements each. Thread t of a block
/// works on column t mod columns, in part t / columns of the tile. An image is what is scanned by itself.
struct NarrowPlan {
  int columns = 0;
  int parts = 0;
  int rows = 0;            ///< of a part
  int parts_of_image = 0;  ///< 0: a part holds whole images
  std::int64_t image_rows = 0;
  std::int64_t images = 0;
  std::int64_t images_of_tile = 0;
  std::int64_t tiles = 0;

  /// Rows of a tile, at most.
  SCANLENS_HOST_DEVICE std::int64_t tile_rows() const { return images_of_tile * image_rows; }
};

/// A tile, and what one part of it has.
struct NarrowTile {
  std::int64_t first = 0;  ///< element of the array
  int count = 0;           ///< elements
  int row = 0;             ///< the part's first row as the scan goes, counted in the tile
  int rows = 0;            ///< the part's, as many as there are
  int part = 0;            ///< counted in its image
};

SCANLENS_HOST_DEVICE inline NarrowTile narrow_tile(const NarrowPlan& plan, bool reverse, std::int64_t number,
                                                   int part) {
  const auto least = [](auto a, auto b) { return a < b ? a : b; };
  NarrowTile tile;
  const std::int64_t length = plan.image_rows;
  const int part_row = part * plan.rows;
  tile.part = part;
  int left;  // rows from the part's first on
  const std::int64_t image = number * plan.images_of_tile;
  const int images = static_cast<int>(least(plan.images_of_tile, plan.images - image));
  const int image_rows = static_cast<int>(length), rows = images * image_rows;
  tile.first = image * length * plan.columns;
  tile.count = rows * plan.columns;
  if (plan.parts_of_image == 0) {
    left = rows - part_row;
    tile.row = reverse ? part_row + least(left, plan.rows) - 1 : part_row;
  } else {
    const int own = part / plan.parts_of_image;
    tile.part = part - own * plan.parts_of_image;
    const int row = tile.part * plan.rows;
    left = own < images ? image_rows - row : 0;
    tile.row = own * image_rows + (reverse ? image_rows - 1 - row : row);
  }
  const int most = part < plan.parts ? plan.rows : 0;
  tile.rows = left < 0 ? 0 : least(left, most);
  return tile;
}

/// The most lanes of a warp that meet in one bank of shared memory, for parts of `rows` rows that lie one
/// after the other.
inline int narrow_conflicts(int columns, int rows, int element_bytes) {
  const int bank_bytes = std::max(element_bytes, 4), banks = 128 / bank_bytes;
  int words[32] = {}, most = 1, last = -1;
  for (int lane = 0; lane < banks; ++lane) {  // of 8-byte elements half a warp is served at a time
    const int word = (lane / columns * rows * columns + lane % columns) * element_bytes / bank_bytes;
    if (word != last) most = std::max(most, ++words[word % banks]);
    last = word;
  }
  return most;
}

/// True if an image of that many rows fits one tile.
inline bool fits_narrow_tile(const Axis& axis, int most_rows) {
  const std::int64_t parts = kNarrowThreads / axis.inner;
  return divided_up(axis.length, most_rows) <= parts;
}

/// `most_rows`: the rows of a part that fit the shared memory. An image fits a tile.
inline NarrowPlan plan_narrow(const Axis& axis, int in_bytes, int out_bytes, int most_rows, int blocks) {
  NarrowPlan plan;
  plan.columns = static_cast<int>(axis.inner);
  plan.parts = kNarrowThreads / plan.columns;
  plan.image_rows = axis.length;
  plan.images = axis.outer;
  const auto conflicts = [&](std::int64_t rows) {
    return narrow_conflicts(plan.columns, static_cast<int>(rows), in_bytes) +
           narrow_conflicts(plan.columns, static_cast<int>(rows), out_bytes);
  };
  if (axis.length <= most_rows) {
    // Many images of a few rows: a part holds several.
    const std::int64_t most = std::min(most_rows / axis.length, divided_up(axis.outer, blocks));
    std::int64_t best = most;
    for (std::int64_t images = most; images > std::max<std::int64_t>(0, most - 4); --images)
      if (conflicts(images * axis.length) < conflicts(best * axis.length)) best = images;
    plan.rows = static_cast<int>(best * axis.length);
    plan.images_of_tile = std::min(best * plan.parts, best * divided_up(axis.outer, best * blocks));
  } else {
    const std::int64_t least = divided_up(axis.length, most_rows);
    std::int64_t best = least;
    for (std::int64_t parts = least; parts < std::min<std::int64_t>(least + 4, plan.parts + 1); ++parts)
      if (conflicts(divided_up(axis.length, parts)) < conflicts(divided_up(axis.length, best))) best = parts;
    plan.parts_of_image = static_cast<int>(best);
    plan.rows = static_cast<int>(divided_up(axis.length, best));
    plan.images_of_tile = std::min<std::int64_t>(plan.parts / best, divided_up(axis.outer, blocks));
  }
  plan.tiles = divided_up(axis.outer, plan.images_of_tile);
  return plan;
}

}  // namespace scanlens::gpu
