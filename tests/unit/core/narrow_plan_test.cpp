// The division of narrow arrays among blocks: every element is scanned once, in order.
#include "core/rows/narrow_plan.h"

#include <vector>

#include "tests/unit/support/arrays.h"

namespace scanlens {
namespace {

using gpu::NarrowPlan;
using gpu::NarrowTile;

/// Visits tiles and their parts in the order of the scan, and checks that the rows of every image come in
/// order.
void check(const Axis& axis, int most_rows, int blocks, bool reverse) {
  if (!gpu::fits_narrow_tile(axis, most_rows)) return;
  const NarrowPlan plan = gpu::plan_narrow(axis, 4, 8, most_rows, blocks);
  const std::string what = std::to_string(axis.outer) + " x " + std::to_string(axis.length) + " x " +
                           std::to_string(axis.inner) + ", rows " + std::to_string(most_rows) + ", blocks " +
                           std::to_string(blocks) + (reverse ? ", reverse" : "");
  ASSERT_GE(plan.rows, 1) << what;
  ASSERT_LE(plan.rows, most_rows) << what;
  ASSERT_LE(plan.parts * plan.columns, gpu::kNarrowThreads) << what;
  ASSERT_LE(plan.tile_rows() * plan.columns, std::int64_t{gpu::kNarrowThreads} * most_rows) << what;
  std::vector<std::int64_t> next(static_cast<std::size_t>(axis.outer), 0);  // row of the scan of each image
  for (std::int64_t number = 0; number < plan.tiles; ++number) {
    std::int64_t rows_of_tile = 0;
    int expected_part = 0;
    std::int64_t last_image = -1;
    for (int part = 0; part < plan.parts + 2; ++part) {
      const NarrowTile tile = gpu::narrow_tile(plan, reverse, number, part);
      ASSERT_GE(tile.first, 0) << what;
      ASSERT_LE(tile.first + tile.count, axis.outer * axis.length * axis.inner) << what;
      rows_of_tile += tile.rows;
      for (int i = 0; i < tile.rows; ++i) {
        const std::int64_t in_tile = tile.row + (reverse ? -i : i);
        ASSERT_TRUE(in_tile >= 0 && in_tile * axis.inner < tile.count) << what;
        const std::int64_t row = tile.first / axis.inner + in_tile, image = row / axis.length;
        const std::int64_t in_image = reverse ? axis.length - 1 - row % axis.length : row % axis.length;
        ASSERT_EQ(in_image, next[static_cast<std::size_t>(image)]++) << what << ", tile " << number;
        if (i == 0 && plan.parts_of_image > 0) {  // parts of an image are numbered from 0 in each tile
          expected_part = image == last_image ? expected_part + 1 : 0;
          ASSERT_EQ(tile.part, expected_part) << what;
          last_image = image;
        }
        // Parts of whole images: each begins where the part or an image before it ended.
        ASSERT_TRUE(plan.parts_of_image > 0 || (in_image == 0) == (i % axis.length == 0)) << what;
      }
    }
    ASSERT_EQ(rows_of_tile * axis.inner, gpu::narrow_tile(plan, reverse, number, 0).count) << what;
  }
  for (const std::int64_t rows : next) ASSERT_EQ(rows, axis.length) << what;
}

TEST(NarrowPlanOf, EveryShapeIsScannedOnceAndInOrder) {
  for (const std::int64_t inner : {1, 2, 3, 5, 8, 16, 17, 31, 32})
    for (const std::int64_t length : {1, 2, 3, 13, 31, 32, 33, 64, 100, 511, 513, 5000, 40009})
      for (const std::int64_t outer : {1, 2, 3, 33, 1000}) {
        if (outer * length * inner > 400000) continue;
        for (const bool reverse : {false, true}) {
          check({outer, length, inner}, 27, 132, reverse);
          check({outer, length, inner}, 13, 8, reverse);
        }
        if (testing::Test::HasFatalFailure()) return;
      }
}

TEST(NarrowPlanOf, LanesMeetInFewBanks) {
  for (std::int64_t inner = 1; inner <= 32; ++inner) {
    const NarrowPlan plan = gpu::plan_narrow({1000, 400, inner}, 4, 4, 27, 132);
    EXPECT_LE(gpu::narrow_conflicts(plan.columns, plan.rows, 4), 3) << inner << " columns, " << plan.rows;
  }
}

}  // namespace
}  // namespace scanlens
