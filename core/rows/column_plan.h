// The division of an array among the blocks of a column scan on CUDA.
#pragma once

#include <algorithm>
#include <cstdint>

namespace scanlens::gpu {

constexpr std::int64_t divided_up(std::int64_t count, std::int64_t by) {
  return (count + by - 1) / by;
}

/// Each image is cut into strips of columns, and these into tiles, one below the other. `bands` blocks share
/// a strip, tile by tile in turn: in round r, band b has tile r * bands + b. A tile is cut into parts of
/// `rows` rows, one below the other.
struct ColumnPlan {
  int columns = 0;  ///< in a strip; the last of an image may have fewer
  int parts = 0;
  int rows = 0;
  int bands = 0;
  std::int64_t image_rows = 0;
  std::int64_t strips = 0;   ///< of an image
  std::int64_t items = 0;    ///< strips of all images
  std::int64_t at_once = 0;  ///< items in work at the same time: all, where there are several bands
  std::int64_t tiles = 0;    ///< of a strip
  std::int64_t rounds = 0;
};

struct ColumnLimits {
  int blocks;                 ///< that run at the same time
  int threads;                ///< of a block: columns times parts, or a few more
  int rows;                   ///< of a part
  int bands_per_part;         ///< whose totals a part can read
  std::int64_t round_values;  ///< that all blocks together can publish per round
};

/// Returns the plan from which the most bytes per second are to be expected: few threads are idle, and rows
/// of strips are long runs of bytes. On an H200 strips of 128, 256 and 512 bytes per row reach 0.87, 0.92 and
/// 0.97 of the speed of a copy when no block waits for another.
inline ColumnPlan plan_columns(std::int64_t width, std::int64_t height, std::int64_t images,
                               int element_bytes, const ColumnLimits& limits) {
  constexpr int kWarp = 32;
  constexpr int kLeastRows = 4;  // of a part, before more blocks share a strip
  ColumnPlan best;
  double best_score = 0;
  for (int columns = kWarp; columns <= 4 * kWarp; columns += kWarp) {
    ColumnPlan plan;
    plan.columns = static_cast<int>(std::min<std::int64_t>(columns, width));
    plan.parts = limits.threads / plan.columns;
    plan.image_rows = height / images;
    plan.strips = divided_up(width, plan.columns);
    plan.items = images * plan.strips;
    plan.at_once = std::min<std::int64_t>(plan.items, limits.blocks);
    plan.bands = static_cast<int>(std::max<std::int64_t>(
        1, std::min({limits.blocks / plan.at_once, divided_up(plan.image_rows, plan.parts * kLeastRows),
                     static_cast<std::int64_t>(limits.bands_per_part) * plan.parts,
                     limits.round_values / (plan.at_once * plan.columns)})));
    plan.rows = static_cast<int>(
        std::min<std::int64_t>(divided_up(plan.image_rows, plan.bands * plan.parts), limits.rows));
    plan.tiles = divided_up(plan.image_rows, plan.parts * plan.rows);
    plan.rounds = divided_up(plan.tiles, plan.bands);
    const double turns = static_cast<double>(divided_up(plan.items, plan.at_once));
    const double busy =
        static_cast<double>(images * width) * plan.bands / (turns * limits.blocks * plan.columns);
    const double score = busy * plan.columns * element_bytes / (plan.columns * element_bytes + 16);
    if (score > best_score) {
      best = plan;
      best_score = score;
    }
  }
  return best;
}

}  // namespace scanlens::gpu
