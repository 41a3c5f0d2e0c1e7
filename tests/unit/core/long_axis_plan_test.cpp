// The division of long narrow arrays among blocks: every row is scanned once, in order, and what stands
// before a tile is read once.
#include "core/rows/long_axis_plan.h"

#include <vector>

#include "tests/unit/support/arrays.h"

namespace scanlens {
namespace {

using gpu::LongAxisPlan;

void check(const Axis& axis, int in_bytes, int out_bytes, int ring_bytes, int blocks, bool reverse) {
  const LongAxisPlan plan = gpu::plan_long_axis(axis, in_bytes, out_bytes, ring_bytes, blocks);
  const std::string what = std::to_string(axis.outer) + " x " + std::to_string(axis.length) + " x " +
                           std::to_string(axis.inner) + ", ring " + std::to_string(ring_bytes) + ", blocks " +
                           std::to_string(blocks) + (reverse ? ", reverse" : "");
  ASSERT_GE(plan.rows, 1) << what;
  ASSERT_LE(plan.rows, gpu::kMostLongRows) << what;
  const std::int64_t rounds = gpu::divided_up(plan.tiles, blocks);
  ASSERT_GE(plan.slots, std::min<std::int64_t>(rounds, gpu::kLeastLongSlots)) << what;
  ASSERT_EQ(plan.one_round, rounds == 1) << what;
  ASSERT_LE(plan.slots * plan.slot_bytes, ring_bytes) << what;
  ASSERT_EQ(plan.slot_bytes % 128, 0) << what;
  ASSERT_EQ(plan.tiles, plan.tiles_of_image * axis.outer) << what;
  std::int64_t scanned = 0;  // rows of all images
  for (std::int64_t tile = 0; tile < plan.tiles; ++tile)
    for (int worker = 0; worker < gpu::kLongWorkers; ++worker) {
      const gpu::LongChunk chunk = gpu::long_chunk(plan, reverse, tile, worker);
      ASSERT_LE(chunk.rows, plan.chunk_rows()) << what;
      ASSERT_LE(chunk.rows * axis.inner * in_bytes + 16, plan.slot_bytes) << what;
      if (chunk.rows == 0) continue;
      ASSERT_EQ(chunk.first % axis.inner, 0) << what;
      const std::int64_t row = chunk.first / axis.inner, image = row / axis.length;
      const std::int64_t in_image =
          reverse ? axis.length - (row % axis.length + chunk.rows) : row % axis.length;
      ASSERT_EQ(image * axis.length + in_image, scanned) << what << ", tile " << tile;
      ASSERT_LE(in_image + chunk.rows, axis.length) << what;
      ASSERT_EQ(in_image == 0, tile % plan.tiles_of_image == 0 && worker == 0) << what;
      scanned += chunk.rows;
    }
  ASSERT_EQ(scanned, axis.outer * axis.length) << what;
}

TEST(LongAxisPlanOf, EveryShapeIsScannedOnceAndInOrder) {
  for (const std::int64_t inner : {2, 3, 5, 8, 16, 17, 31, 32})
    for (const std::int64_t length : {1, 33, 513, 5000, 40009})
      for (const std::int64_t outer : {1, 2, 33}) {
        for (const bool reverse : {false, true}) {
          check({outer, length, inner}, 4, 4, 13000, 132, reverse);
          check({outer, length, inner}, 1, 8, 13000, 132, reverse);
          check({outer, length, inner}, 8, 8, 3500, 8, reverse);
        }
        if (testing::Test::HasFatalFailure()) return;
      }
}

TEST(LongAxisPlanOf, BlocksAreBusyAndLanesMeetInFewBanks) {
  for (std::int64_t inner = 2; inner <= 32; ++inner) {
    const LongAxisPlan plan = gpu::plan_long_axis({1, 1 << 20, inner}, 4, 4, 12900, 132);
    EXPECT_LE(gpu::narrow_conflicts(plan.columns, plan.rows, 4), 3) << inner << " columns, " << plan.rows;
    const std::int64_t rounds = gpu::divided_up(plan.tiles, 132);
    EXPECT_GE(static_cast<double>(plan.tiles), 0.9 * static_cast<double>(rounds * 132)) << inner;
    EXPECT_EQ(plan.rows * plan.parts * inner * 4 % 16, 0) << inner << " columns, " << plan.rows;
  }
}

TEST(LongAxisPlanOf, WindowsAreReadOnce) {
  constexpr int kTiles = 60;
  for (const int group : {1, 2, 5, 12})
    for (std::int64_t end = 0; end <= kTiles; ++end)
      for (std::int64_t first = 0; first <= end; ++first) {
        const gpu::LongWindow window(first, end, group);
        std::int64_t next = first;
        for (int i = 0; i < window.count; ++i) {
          const int place = window.place(i, kTiles);
          const bool whole_group = place >= kTiles;
          ASSERT_EQ(whole_group ? (place - kTiles) * group : place, next) << first << " .. " << end;
          next += whole_group ? group : 1;
        }
        ASSERT_EQ(next, end) << first << " .. " << end << " by " << group;
      }
}

}  // namespace
}  // namespace scanlens
