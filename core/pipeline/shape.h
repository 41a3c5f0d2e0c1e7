// Cuts an array into the pipeline's tiles and chunks. Plain arithmetic, without CUDA.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/view.h"

namespace scanlens::gpu {

constexpr int kWorkers = 16;   ///< worker warps per block
constexpr int kMostSlots = 8;  ///< slots in a warp's ring
/// The most tiles that a Job's workers reduce before they come back to finish one, by when its prefix is
/// known.
constexpr int kMostLag = 3;

/// The cut of an array. Rows are independent; a one-dimensional array is one row.
struct PipelineShape {
  std::int64_t height = 0;
  std::int64_t tiles_per_row = 0;
  std::int64_t tiles = 0;
  std::int64_t long_tiles = 0;  ///< number of tiles with chunks of `chunk` elements; the rest have
                                ///< `short_chunk`
  int chunk = 0;                ///< elements a worker warp takes of a tile
  int short_chunk = 0;
  int slot_bytes = 0;  ///< bytes of shared memory for a chunk, a multiple of 128
  int slots = 0;       ///< slots in a warp's ring
  int lag = 0;         ///< tiles that are reduced before the first is finished

  SCANLENS_HOST_DEVICE bool exchanges() const { return tiles_per_row > 1; }
};

/// Bounds that a Job sets for pipeline_shape(). A row: the elements that 32 lanes load with one access each.
struct PipelineLimits {
  int row_elements;   ///< elements of such a row
  int most_rows;      ///< rows in a chunk, at most
  int alone_rows;     ///< as most_rows, of a tile that is a whole row of the array, and needs no exchange
  int element_bytes;  ///< bytes in a slot for each element, all arrays together
  int extra_bytes;    ///< other bytes in a slot
  int lag;            ///< tiles that are reduced before the first is finished, at most kMostLag
};

inline PipelineShape pipeline_shape(const PipelineLimits& limits, std::int64_t width, std::int64_t height,
                                    int blocks, int ring_bytes) {
  const auto slot_bytes = [&](std::int64_t rows) {
    return (rows * limits.row_elements * limits.element_bytes + limits.extra_bytes + 127) / 128 * 128;
  };
  const auto most = [&](int rows, int slots) {
    while (rows > 1 && slot_bytes(rows) * slots > ring_bytes) --rows;
    return rows;
  };
  const auto divided = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
  const std::int64_t tile_row =
      static_cast<std::int64_t>(limits.row_elements) * kWorkers;  // all warps' first rows

  PipelineShape shape;
  shape.height = height;
  shape.tiles_per_row = 1;
  std::int64_t rows = divided(width, tile_row);
  if (rows > most(limits.alone_rows, 2)) {
    const std::int64_t most_rows = most(limits.most_rows, limits.lag + 1);
    if (height == 1) {
      // There are as few waves, rounds of one tile per block, as the largest chunk allows. The last ones are
      // a row shorter, so that all blocks get the same.
      const std::int64_t needed = divided(width, blocks * tile_row);
      const std::int64_t waves = divided(needed, most_rows);
      rows = divided(needed, waves);
      const std::int64_t fewer = std::max<std::int64_t>(1, rows - 1);
      const std::int64_t long_waves = rows > 1 ? needed - waves * fewer : 0;
      shape.long_tiles = std::min(long_waves * blocks, width / (rows * tile_row));
      shape.short_chunk = static_cast<int>(fewer) * limits.row_elements;
      shape.tiles_per_row =
          shape.long_tiles + divided(width - shape.long_tiles * rows * tile_row, fewer * tile_row);
    } else {
      shape.tiles_per_row = divided(rows, most_rows);
      rows = divided(rows, shape.tiles_per_row);
      shape.tiles_per_row = divided(width, rows * tile_row);
    }
  }
  if (height > 1 || shape.tiles_per_row == 1) shape.long_tiles = shape.tiles_per_row;
  shape.tiles = shape.tiles_per_row * height;
  shape.chunk = static_cast<int>(rows) * limits.row_elements;
  shape.slot_bytes = static_cast<int>(slot_bytes(rows));
  const std::int64_t waves = divided(shape.tiles, blocks);
  shape.slots = static_cast<int>(std::min<std::int64_t>({waves, ring_bytes / shape.slot_bytes, kMostSlots}));
  shape.lag = std::min(shape.tiles_per_row > 1 ? limits.lag : 1, shape.slots - 1);
  return shape;
}

}  // namespace scanlens::gpu
