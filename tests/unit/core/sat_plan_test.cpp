// The schedule that makes a table, for tasks and devices as they are described: no GPU is needed.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "core/sat.h"
#include "core/sat/plan.h"
#include "tests/unit/support/support.h"

namespace scanlens {
namespace {

constexpr gpu::Traits kH200 = {.multiprocessors = 132, .shared_bytes = 227 * 1024, .hopper = true};
/// A GPU with the instructions of Hopper and the shared memory of an RTX card.
constexpr gpu::Traits kLittleShared = {.multiprocessors = 170, .shared_bytes = 99 * 1024, .hopper = true};
constexpr gpu::Traits kTuring = {.multiprocessors = 72, .shared_bytes = 64 * 1024, .hopper = false};

/// An image of bytes with a table of 32-bit sums whose rows begin on 16-byte boundaries.
SatFeatures bytes(std::int64_t width, std::int64_t height, int channels) {
  SatFeatures features;
  features.width = width;
  features.height = height;
  features.channels = channels;
  features.bytes = features.image_rows_aligned = features.table_rows_aligned = true;
  return features;
}

TablePlan schedule(const SatFeatures& features, const gpu::Traits& device = kH200) {
  return sat_plan(features, device).schedule;
}

TEST(SatPlan, SmallImagesStayInSharedMemory) {
  for (const int channels : {1, 3, 4})
    for (const auto& [width, height] : {std::pair{1, 1}, {512, 512}, {1024, 1024}, {1920, 1080}})
      EXPECT_EQ(schedule(bytes(width, height, channels)), TablePlan::resident) << width << " x " << channels;
  EXPECT_EQ(sat_plan(bytes(512, 512, 3), kH200).tile_height, 16);
  SatFeatures batch = bytes(512, 512, 3);
  batch.images = 64;
  EXPECT_EQ(schedule(batch), TablePlan::tiles) << "there are more tiles than multiprocessors";
}

TEST(SatPlan, WideImagesGoByTheNarrowestStripesThatTheGpuHolds) {
  const SatPlan by_spans[] = {{TablePlan::stripes, 1, 0},
                              {TablePlan::stripes, 2, 0},
                              {TablePlan::stripes, 4, 0},
                              {TablePlan::stripes, 8, 0}};
  EXPECT_EQ(sat_plan(bytes(4096, 4096, 3), kH200), by_spans[0]);
  EXPECT_EQ(sat_plan(bytes(8192, 8192, 3), kH200), by_spans[1]);
  EXPECT_EQ(sat_plan(bytes(16384, 16384, 3), kH200), by_spans[2]);
  EXPECT_EQ(sat_plan(bytes(30000, 30000, 3), kH200), by_spans[3]);
  EXPECT_EQ(sat_plan(bytes(16384, 16384, 1), kH200), by_spans[0]);
  EXPECT_EQ(schedule(bytes(33793, 4000, 3)), TablePlan::tiles)
      << "too wide for one stripe per multiprocessor";
  EXPECT_EQ(schedule(bytes(3840, 2160, 1)), TablePlan::tiles) << "too few stripes to keep the GPU busy";
}

TEST(SatPlan, StripesTakeLookUpsAndBorders) {
  SatFeatures features = bytes(8192, 8192, 3);
  features.lut = true;
  EXPECT_EQ(schedule(features), TablePlan::stripes);
  features.channels = 4;
  EXPECT_EQ(schedule(features), TablePlan::tiles) << "four sums of 32 bits do not fit a published word";
  features.channels = 3;
  features.table_rows_aligned = false;
  EXPECT_EQ(schedule(features), TablePlan::tiles) << "rows of two spans leave slower one by one";
  features.width = 16384;
  EXPECT_EQ(schedule(features), TablePlan::stripes);
  EXPECT_TRUE(sat_plan(features, kH200).by_rows);
  EXPECT_FALSE(sat_plan(bytes(16384, 16384, 3), kH200).by_rows);
}

TEST(SatPlan, AllOthersGoByTiles) {
  SatFeatures features = bytes(8192, 8192, 3);
  EXPECT_EQ(schedule(features, kTuring), TablePlan::tiles);
  EXPECT_EQ(schedule(features, kLittleShared), TablePlan::tiles);
  EXPECT_EQ(schedule(bytes(512, 512, 3), kTuring), TablePlan::tiles);
  EXPECT_EQ(schedule(bytes(512, 512, 3), kLittleShared), TablePlan::tiles);
  EXPECT_EQ(schedule(bytes(512, 512, 1), kLittleShared), TablePlan::resident);
  features.planar = true;
  EXPECT_EQ(schedule(features), TablePlan::tiles);
  features = bytes(8192, 8192, 3);
  features.image_rows_aligned = false;
  EXPECT_EQ(schedule(features), TablePlan::tiles);
  features = bytes(512, 512, 3);
  features.bytes = false;
  EXPECT_EQ(schedule(features), TablePlan::tiles);
}

class TablePlanOf : public test::OnDevice {};

/// The plan of a call follows from its own arguments.
TEST_P(TablePlanOf, ACallFollowsFromItsArguments) {
  const Image<std::uint8_t> small(*context, 64, 64, 3), wide(*context, 16, 8, 3);
  Image<std::uint32_t> table(*context, 64, 64, 3);
  Image<std::uint64_t> sums(*context, 64, 64, 3);
  const auto of_bytes =
      summed_area_table_plan<std::uint8_t, std::uint32_t>(*context, small.view(), table.view());
  const auto into_64 =
      summed_area_table_plan<std::uint8_t, std::uint64_t>(*context, small.view(), sums.view());
  if (!context->on_cuda()) {
    EXPECT_EQ(of_bytes, TablePlan::bands);
    EXPECT_EQ(into_64, TablePlan::bands);
  } else {
    EXPECT_TRUE(of_bytes == TablePlan::resident || of_bytes == TablePlan::tiles);
    EXPECT_EQ(into_64, TablePlan::tiles);
  }
  EXPECT_THROW((summed_area_table_plan<std::uint8_t, std::uint32_t>(*context, wide.view(), table.view())),
               Error);
}

SCANLENS_ON_EVERY_DEVICE(TablePlanOf);

}  // namespace
}  // namespace scanlens
