// Summed-area tables where their schedules could go wrong: many tiles in a row, blocks with several tiles,
// growing scratch memory, several contexts at once, additions in another order.
#include <cmath>
#include <cstring>
#include <limits>
#include <thread>

#include "core/graph.h"
#include "tests/unit/support/sat.h"

namespace scanlens {
namespace {

using test::check;

class SatSchedule : public test::OnDevice {};

TEST_P(SatSchedule, LooksBackAcrossManyTiles) {
  check<std::uint16_t, std::uint64_t>(*context, {20000, 40, 1, 1, false, true});
  check<std::uint8_t, std::uint32_t>(*context, {20011, 131, 1, 1, false, false});
  check<std::uint8_t, std::uint32_t>(*context, {67, 20011, 3, 3, false, false});
}

TEST_P(SatSchedule, BlocksTakeSeveralTiles) {
  if (test::is_set("SCANLENS_SANITIZED"))
    GTEST_SKIP() << "large tables, which take a minute under a sanitizer";
  for (const bool planar : {false, true})
    check<std::uint8_t, std::uint32_t>(*context, {4096, 2048, 4, 4, planar, false});
  check<std::uint8_t, std::uint32_t>(*context, {2999, 2111, 3, 3, true, true});
  check<std::uint8_t, std::uint32_t>(*context, {5003, 3001, 1, 1, false, true});
}

std::uint8_t sample(std::int64_t i, int seed) {
  return static_cast<std::uint8_t>((i * 2654435761u + static_cast<unsigned>(seed) * 97u) >> 13);
}

/// An image that needs no generator shared between threads.
Image<std::uint8_t> image_of(std::int64_t width, std::int64_t height, int seed) {
  Image<std::uint8_t> image(width, height, 3);
  for (std::int64_t i = 0; i < image.view().extent(); ++i) image.view().data[i] = sample(i, seed);
  return image;
}

void expect_table_of(const Image<std::uint32_t>& table, int seed, const std::string& what) {
  const Image<std::uint32_t> expected = test::table_reference<std::uint32_t>(
      table.width(), table.height(), 3,
      [&](auto x, auto y, int c) { return sample((y * table.width() + x) * 3 + c, seed); });
  test::expect_equal<std::uint32_t>(table.view(), expected.view(), what);
}

TEST_P(SatSchedule, RecordedCallsKeepTheirScratchMemory) {
  const Image<std::uint8_t> small = upload(*context, image_of(300, 200, 1)),
                            large = upload(*context, image_of(1500, 1100, 2));
  Image<std::uint32_t> small_table(*context, 300, 200, 3), large_table(*context, 1500, 1100, 3);
  const auto sum = [&] {
    summed_area_table<std::uint8_t, std::uint32_t>(*context, small.view(), small_table.view());
  };
  sum();
  Graph graph(*context, sum);
  summed_area_table<std::uint8_t, std::uint32_t>(*context, large.view(), large_table.view());
  graph.replay(3);
  summed_area_table<std::uint8_t, std::uint32_t>(*context, large.view(), large_table.view());
  expect_table_of(download(*context, std::move(small_table)), 1, "small");
  expect_table_of(download(*context, std::move(large_table)), 2, "large");
}

TEST_P(SatSchedule, ThreadsWithContextsOfTheirOwn) {
  const char* device = GetParam();
  const auto work = [device](int thread) {
    Context own = Context::open(device);
    for (int round = 0; round < 12; ++round) {
      const std::int64_t width = 90 + (thread * 613 + round * 331) % 900, height = 70 + round * 61;
      const int seed = thread * 100 + round;
      const Image<std::uint8_t> image = upload(own, image_of(width, height, seed));
      Image<std::uint32_t> table(own, width, height, 3);
      summed_area_table<std::uint8_t, std::uint32_t>(own, image.view(), table.view());
      expect_table_of(download(own, std::move(table)), seed, "thread " + std::to_string(thread));
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
}

TEST_P(SatSchedule, DoublesAreTheSameBitsEveryRun) {
  const Image<float> image = upload(*context, test::random_image<float>(700, 500, 3));
  Image<double> first;
  for (int run = 0; run < 5; ++run) {
    Image<double> table(*context, 700, 500, 3);
    summed_area_table<float, double>(*context, image.view(), table.view());
    table = download(*context, std::move(table));
    if (run == 0)
      first = std::move(table);
    else
      ASSERT_EQ(std::memcmp(first.view().data, table.view().data, first.bytes()), 0) << "run " << run;
  }
}

TEST_P(SatSchedule, BandsOfDoublesGoOn) {
  constexpr std::int64_t kWidth = 300, kHeight = 200, kBand = 64;
  const Image<float> image = upload(*context, test::random_image<float>(kWidth, kHeight));
  Image<double> whole(*context, kWidth, kHeight);
  summed_area_table<float, double>(*context, image.view(), whole.view());
  whole = download(*context, std::move(whole));

  Image<double> zeros(kWidth, kHeight + 1);
  std::fill_n(zeros.view().data, zeros.view().extent(), 0.0);
  Image<double> bands = upload(*context, std::move(zeros));
  for (std::int64_t y = 0; y < kHeight; y += kBand) {
    const std::int64_t rows = std::min(kBand, kHeight - y);
    continue_summed_area_table<float, double>(*context, image.view().region(0, y, kWidth, rows),
                                              bands.view().region(0, y, kWidth, rows + 1));
  }
  bands = download(*context, std::move(bands));
  for (std::int64_t y = 0; y < kHeight; ++y)
    for (std::int64_t x = 0; x < kWidth; ++x)
      ASSERT_NEAR(bands.view()(x, y + 1), whole.view()(x, y), whole.view()(x, y) * 1e-12) << x << ", " << y;
}

/// No sum is made by a subtraction, which would turn infinities into NaN.
TEST_P(SatSchedule, InfinityReachesOnlyWhatLiesBelowAndRight) {
  constexpr std::int64_t kWidth = 700, kHeight = 500, kX = 301, kY = 177;
  Image<float> image = test::random_image<float>(kWidth, kHeight);
  image.view()(kX, kY) = std::numeric_limits<float>::infinity();
  image = upload(*context, std::move(image));
  Image<double> table(*context, kWidth, kHeight);
  summed_area_table<float, double>(*context, std::as_const(image).view(), table.view());
  table = download(*context, std::move(table));
  for (std::int64_t y = 0; y < kHeight; ++y)
    for (std::int64_t x = 0; x < kWidth; ++x) {
      const double sum = table.view()(x, y);
      ASSERT_TRUE(x >= kX && y >= kY ? std::isinf(sum) : std::isfinite(sum)) << x << ", " << y << ": " << sum;
    }
}

TEST_P(SatSchedule, ABandWithoutPixelsHasItsZeros) {
  const Image<std::uint8_t> band(*context, 0, 4);
  Image<std::uint32_t> table = upload(*context, test::random_image<std::uint32_t>(1, 5));
  continue_summed_area_table<std::uint8_t, std::uint32_t>(*context, band.view(), table.view());
  table = download(*context, std::move(table));
  for (int y = 1; y < 5; ++y) EXPECT_EQ(table.view()(0, y), 0u);
}

TEST_P(SatSchedule, RefusesTermsBeyond32Bits) {
  const Image<float> image(*context, 8, 8);
  Image<std::uint64_t> table(*context, 8, 8);
  for (const auto& [scale, most] : {std::pair{1.f, 5e9f}, {-1.f, 100.f}, {1.f, -1.f}, {NAN, 1.f}}) {
    Terms terms;
    terms.scale = scale;
    terms.most = most;
    EXPECT_THROW((summed_area_table<float, std::uint64_t>(*context, image.view(), table.view(), terms)),
                 Error);
  }
}

SCANLENS_ON_EVERY_DEVICE(SatSchedule);

}  // namespace
}  // namespace scanlens
