#include <optional>
#include <span>
#include <utility>

#include "app/commands/compare_tables.h"
#include "core/devices.h"
#include "tests/unit/support/peak_memory.h"
#include "tests/unit/support/support.h"

namespace scanlens {
namespace {

std::vector<Context> every_device() {
  std::vector<Context> contexts;
  for (const DeviceInfo& device : devices()) contexts.push_back(Context::open(device.id));
  return contexts;
}

template <class T>
void expect_all_equal(std::int64_t width, std::int64_t height, int channels) {
  std::vector<Context> contexts = every_device();
  const Comparison comparison =
      compare_tables(Picture{test::random_image<T>(width, height, channels)}, contexts);
  ASSERT_EQ(comparison.implementations.size(), 2 * contexts.size()) << "fused and classic";
  EXPECT_GT(comparison.opencv_ms, 0);
  for (const TableResult& result : comparison.implementations) {
    EXPECT_TRUE(result.equal) << result.name << " on " << result.device;
    EXPECT_EQ(result.max_abs_diff, 0u);
    EXPECT_FALSE(result.first_diff);
    EXPECT_GT(result.ms, 0);
    EXPECT_DOUBLE_EQ(result.speedup, comparison.opencv_ms / result.ms);
  }
}

TEST(Compare, FindsEightBitTablesEqual) {
  for (const int channels : {1, 3, 4}) expect_all_equal<std::uint8_t>(67, 45, channels);
}

TEST(Compare, FindsSixteenBitTablesEqual) {
  for (const int channels : {1, 3, 4}) expect_all_equal<std::uint16_t>(33, 71, channels);
}

TEST(Compare, TakesTheMemoryItPromises) {
  std::vector<Context> contexts;
  contexts.push_back(Context::open("cpu"));
  compare_tables(Picture{test::random_image<std::uint16_t>(64, 48, 3)}, contexts);  // all has begun
  const Picture picture{test::random_image<std::uint16_t>(1500, 900, 3)};
  const std::int64_t promised = compare_host_bytes(picture) + compare_device_bytes(picture);
  const std::optional<std::int64_t> taken = test::peak_bytes([&] { compare_tables(picture, contexts); });
  if (!taken) GTEST_SKIP() << test::kUncounted;
  EXPECT_LE(*taken, promised + test::kUncertain);
  EXPECT_GE(*taken, promised / 2);
}

TEST(Compare, RefusesFloatPictures) {
  std::vector<Context> contexts = every_device();
  EXPECT_THROW(compare_tables(Picture{test::random_image<float>(8, 8)}, contexts), Error);
}

/// One entry of a table changed, seen as compare sees it.
template <class Sum, class Reference>
TableResult one_entry_off(Sum change, Image<std::uint64_t>& difference) {
  Image<Sum> table = test::random_image<Sum>(9, 5, 3);
  for (Sum& sum : std::span(table.view().data, 9 * 5 * 3)) sum &= 0xFFFFFFFF;  // exact in double
  Image<Reference> reference(9, 5, 3);
  std::copy_n(table.view().data, 9 * 5 * 3, reference.view().data);
  difference = Image<std::uint64_t>(9, 5);
  std::fill_n(difference.view().data, 9 * 5, 0);
  table.view()(4, 3, 2) += change;
  table.view()(7, 4, 0) += 1;
  TableResult result;
  note_differences<Sum, Reference>(table.view(), reference.view(), difference.view(), result);
  return result;
}

TEST(Compare, FindsWhereATableDiffersAndByHowMuch) {
  Image<std::uint64_t> difference;
  for (const TableResult& result : {one_entry_off<std::uint32_t, std::int32_t>(5, difference),
                                    one_entry_off<std::uint32_t, std::int32_t>(0u - 5, difference),
                                    one_entry_off<std::uint64_t, double>(5, difference)}) {
    EXPECT_FALSE(result.equal);
    EXPECT_EQ(result.max_abs_diff, 5u);
    EXPECT_EQ(result.first_diff, (std::array<std::int64_t, 3>{4, 3, 2}));
    EXPECT_EQ(difference.view()(4, 3), 5u);
    EXPECT_EQ(difference.view()(7, 4), 1u);
    EXPECT_EQ(difference.view()(0, 0), 0u);
  }
}

TEST(Heatmap, IsDarkWhereEqualAndHotWhereNot) {
  Comparison comparison;
  comparison.difference = Image<std::uint64_t>(4, 3);
  std::fill_n(comparison.difference.view().data, 12, 0);
  comparison.difference.view()(2, 1) = 1000;
  comparison.difference.view()(3, 2) = 1;
  const Picture picture = heatmap(comparison);
  const auto& image = std::get<Image<std::uint8_t>>(picture.samples);
  ASSERT_EQ(image.width(), 3);
  ASSERT_EQ(image.height(), 2);
  const auto color = [&](int x, int y) {
    return std::array<int, 3>{image.view()(x, y, 0), image.view()(x, y, 1), image.view()(x, y, 2)};
  };
  EXPECT_EQ(color(0, 0), (std::array<int, 3>{16, 24, 64}));
  EXPECT_EQ(color(1, 0), (std::array<int, 3>{255, 0, 0}));
  EXPECT_EQ(color(2, 1)[0], 255);
  EXPECT_GT(color(2, 1)[1], 150);
}

}  // namespace
}  // namespace scanlens
