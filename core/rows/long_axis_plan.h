// The division of a dense array with a long axis and a short one inside of it among blocks, on CUDA. Plain
// arithmetic.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/rows/narrow_plan.h"

namespace scanlens::gpu {

constexpr int kWarpLanes = 32;
constexpr int kLongWorkers = 16;    ///< warps of a block that scan
constexpr int kLongLag = 2;         ///< tiles that are totalled before the first is scanned
constexpr int kMostLongSlots = 6;   ///< chunks in shared memory, for each worker
constexpr int kMostLongRows = 35;   ///< of a part: so few roundings of floats follow one another
constexpr int kLeastLongSlots = 4;  ///< of kLongLag tiles, one that is written, and one that is loaded

/// A tile is a run of whole rows, `columns` elements each; each worker of a block has a chunk of it. Lane l
/// of a warp works on column l mod columns, in part l / columns of the chunk. An image is what is scanned by
/// itself. Block b of n has tiles b, b + n, b + 2 n, …
struct LongAxisPlan {
  int columns = 0;
  int parts = 0;  ///< of a chunk
  int rows = 0;   ///< of a part
  int slots = 0;
  int slot_bytes = 0;
  int group = 1;           ///< tiles whose totals one block adds up for the others; 1: none does
  bool one_round = false;  ///< no block has more than one tile, and which it has is the order of their starts
  std::int64_t image_rows = 0;
  std::int64_t tiles_of_image = 0;
  std::int64_t tiles = 0;

  SCANLENS_HOST_DEVICE int chunk_rows() const { return parts * rows; }
  SCANLENS_HOST_DEVICE int tile_rows() const { return kLongWorkers * chunk_rows(); }
};

/// A worker's share of a tile.
struct LongChunk {
  std::int64_t first = 0;  ///< element of the array
  int rows = 0;            ///< as many as there are
};

SCANLENS_HOST_DEVICE inline LongChunk long_chunk(const LongAxisPlan& plan, bool reverse, std::int64_t tile,
                                                 int worker) {
  const std::int64_t image = tile < plan.tiles_of_image ? 0 : tile / plan.tiles_of_image;
  const std::int64_t above = (tile - image * plan.tiles_of_image) * plan.tile_rows() +
                             static_cast<std::int64_t>(worker) * plan.chunk_rows();
  const std::int64_t left = plan.image_rows - above;
  LongChunk chunk;
  chunk.rows = left < 0 ? 0 : left < plan.chunk_rows() ? static_cast<int>(left) : plan.chunk_rows();
  const std::int64_t row = reverse ? left - chunk.rows : above;
  chunk.first = chunk.rows == 0 ? 0 : (image * plan.image_rows + row) * plan.columns;
  return chunk;
}

/// The tiles [first, end) as what is read of them: single ones, whole groups, single ones again.
struct LongWindow {
  int first, first_group, rest;
  int before, groups, count;

  SCANLENS_HOST_DEVICE LongWindow(std::int64_t from, std::int64_t end, int group)
      : first(static_cast<int>(from)),
        first_group((first + group - 1) / group),
        rest(first),
        before(0),
        groups(0),
        count(static_cast<int>(end - from)) {
    const int end_group = static_cast<int>(end) / group;
    if (group == 1 || first_group >= end_group) return;
    before = first_group * group - first;
    groups = end_group - first_group;
    rest = end_group * group;
    count -= groups * (group - 1);
  }
  /// The place of item i: of a tile, or behind those of all `tiles` that of a group.
  SCANLENS_HOST_DEVICE int place(int i, int tiles) const {
    if (i < before) return first + i;
    if (i < before + groups) return tiles + first_group + (i - before);
    return rest + (i - before - groups);
  }
};

/// Bytes of a slot for a chunk of that many elements, wherever it begins; results of another size than what
/// is loaded go behind it.
constexpr int long_slot_bytes(int elements, int in_bytes, int out_bytes) {
  const auto room = [=](int bytes) { return (elements * bytes + 16 + 127) / 128 * 128; };
  return room(in_bytes) + (in_bytes == out_bytes ? 0 : room(out_bytes));
}

/// The plan whose parts have `rows` rows; without rows if the shared memory has no room for it. `ring_bytes`:
/// for the slots of one worker.
inline LongAxisPlan long_axis_plan_of(const Axis& axis, int in_bytes, int out_bytes, int rows, int ring_bytes,
                                      int blocks) {
  constexpr int kGroup = 12;
  LongAxisPlan plan;
  plan.columns = static_cast<int>(axis.inner);
  plan.parts = kWarpLanes / plan.columns;
  plan.rows = rows;
  plan.image_rows = axis.length;
  plan.tiles_of_image = divided_up(axis.length, plan.tile_rows());
  plan.tiles = plan.tiles_of_image * axis.outer;
  plan.slot_bytes = long_slot_bytes(plan.chunk_rows() * plan.columns, in_bytes, out_bytes);
  plan.slots = std::min(ring_bytes / plan.slot_bytes, kMostLongSlots);
  const std::int64_t rounds = divided_up(plan.tiles, blocks);
  if (plan.slots < std::min<std::int64_t>(rounds, kLeastLongSlots)) plan.rows = 0;
  plan.slots = static_cast<int>(std::min<std::int64_t>(plan.slots, rounds));
  plan.one_round = rounds == 1;
  // With few columns there are few bytes to read, and a group's total is known later than its tiles'.
  plan.group = plan.columns <= 4 || rounds <= 2 ? 1 : kGroup;
  return plan;
}

inline LongAxisPlan plan_long_axis(const Axis& axis, int in_bytes, int out_bytes, int ring_bytes,
                                   int blocks) {
  LongAxisPlan best;
  double best_cost = 0;
  for (int rows = 1; rows <= kMostLongRows; ++rows) {
    const LongAxisPlan plan = long_axis_plan_of(axis, in_bytes, out_bytes, rows, ring_bytes, blocks);
    if (plan.rows == 0) continue;
    // Rows that would take as long: those of a block's tiles, eight for each round beside, and those of the
    // first and the last tile, beside which nothing else is done. Totals are exchanged as fast as a tile of
    // 20 KB is moved.
    constexpr double kLeastTile = 20 * 1024;
    const auto rounds = static_cast<double>(divided_up(plan.tiles, blocks));
    const int conflicts =
        narrow_conflicts(plan.columns, rows, in_bytes) + narrow_conflicts(plan.columns, rows, out_bytes);
    const int elements = plan.chunk_rows() * plan.columns;
    const bool aligned = elements * in_bytes % 16 == 0 && elements * out_bytes % 16 == 0;
    const double least_rows = kLeastTile / (kLongWorkers * kWarpLanes * std::max(in_bytes, out_bytes));
    const double cost =
        rounds * std::max<double>(rows, least_rows) * (1 + 0.02 * conflicts + (aligned ? 0 : 0.5)) +
        8 * rounds + rows;
    if (best.rows > 0 && cost >= best_cost) continue;
    best = plan;
    best_cost = cost;
  }
  return best;
}

}  // namespace scanlens::gpu
