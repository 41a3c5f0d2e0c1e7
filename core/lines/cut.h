// The division of lines among the blocks of a scan on CUDA. Plain arithmetic.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/scan_axis.h"
#include "core/view.h"

namespace scanlens::gpu {

constexpr int kLineThreads = 256;
constexpr int kLineColumns = 32;         ///< inner elements up to which rows are read as one run of memory
constexpr int kMostLineSegments = 2048;  ///< of a strip, whose totals one block can scan

/// A sequence is scanned row by row. A row has `columns` elements, each of another line. With few inner
/// elements the array is one sequence of all its rows, and lines begin anew on the way (`joined`). Else each
/// image, that is each outer element, is cut into strips of columns, and each strip is a sequence. A segment
/// is what one block does of a sequence, by tiles of `parts` parts.
struct LineCut {
  std::int64_t length = 0;  ///< of a line
  std::int64_t inner = 0;
  std::int64_t rows = 0;  ///< of a sequence
  std::int64_t strips = 1;
  std::int64_t sequences = 1;
  std::int64_t segments = 1;  ///< of a sequence
  std::int64_t segment_rows = 0;
  int columns = 1;  ///< of a strip; the last may have fewer
  int parts = 1;
  bool joined = false;
  bool exchanges = false;  ///< lines go on from segment to segment

  SCANLENS_HOST_DEVICE std::int64_t items() const { return sequences * segments; }
};

/// `part_rows`: rows that one thread takes of a tile. `blocks`: as many as the GPU runs at once.
inline LineCut cut_lines(const Axis& axis, int part_rows, int blocks) {
  const auto divided = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
  LineCut cut;
  cut.length = axis.length;
  cut.inner = axis.inner;
  cut.joined = axis.inner <= kLineColumns;
  if (cut.joined) {
    cut.columns = static_cast<int>(axis.inner);
    cut.rows = axis.outer * axis.length;
  } else {
    cut.columns = kLineColumns;
    // Short lines need few parts.
    while (cut.columns < kLineThreads && kLineThreads / cut.columns / 2 * part_rows >= axis.length)
      cut.columns *= 2;
    cut.rows = axis.length;
    cut.strips = divided(axis.inner, cut.columns);
    cut.sequences = axis.outer * cut.strips;
  }
  cut.parts = kLineThreads / cut.columns;
  const std::int64_t tile_rows = std::int64_t{cut.parts} * part_rows;
  // A second look at the array costs less than blocks that idle, and more than a second tile.
  const std::int64_t wanted = std::clamp<std::int64_t>(
      std::min(divided(blocks, cut.sequences), divided(cut.rows, tile_rows)), 1, kMostLineSegments);
  const bool alone = cut.rows <= 2 * tile_rows || 2 * cut.sequences >= blocks;
  cut.segment_rows =
      alone && !cut.joined ? cut.rows : divided(divided(cut.rows, wanted), tile_rows) * tile_rows;
  if (cut.joined) {
    if (alone && cut.rows <= 2 * tile_rows) cut.segment_rows = cut.rows;
    const bool whole_lines = axis.length <= cut.segment_rows || 4 * axis.outer >= blocks;
    if (whole_lines) cut.segment_rows = divided(cut.segment_rows, axis.length) * axis.length;
    cut.exchanges = !whole_lines && cut.segment_rows < cut.rows;
  } else {
    cut.exchanges = cut.segment_rows < cut.rows;
  }
  cut.segments = divided(cut.rows, cut.segment_rows);
  return cut;
}

}  // namespace scanlens::gpu
