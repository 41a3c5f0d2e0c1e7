// Depth of field in tiles on the CPU: the same bits for any number of threads, and little work or memory
// more.
#include <tbb/task_arena.h>

#include <utility>

#include "filters/dof/cpu/reaches.h"
#include "tests/unit/support/dof.h"

namespace scanlens {
namespace {

constexpr float kRadius = 40;

Blur blur_of(float radius) {
  return {.scale = 2 * radius, .focus = 0.5f, .most = radius};
}

template <class Work>
auto with_threads(int threads, const Work& work) {
  return tbb::task_arena(threads).execute(work);
}

template <class T>
Image<T> blurred(const Image<T>& image, const Image<float>& disparity, const Blur& blur,
                 const DofStyle& style, int threads) {
  return with_threads(threads, [&] {
    Context context = Context::open("cpu");
    Image<T> out(image.width(), image.height(), image.channels());
    depth_of_field<T>(context, image.view(), disparity.view(), blur, out.view(), {}, style);
    return out;
  });
}

TEST(DofTiles, AnyNumberOfThreadsGivesTheSameBits) {
  for (const DofStyle& style : every_shape())
    for (const float radius : {3.f, 18.f, 90.f}) {
      const Image<std::uint8_t> image = test::random_image<std::uint8_t>(203, 117, 3);
      const Image<float> disparity = jumpy_disparity(203, 117);
      const Image<std::uint8_t> alone = blurred(image, disparity, blur_of(radius), style, 1);
      for (const int threads : {3, 16})
        test::expect_equal<std::uint8_t>(blurred(image, disparity, blur_of(radius), style, threads).view(),
                                         alone.view(), "radius " + std::to_string(radius));
      if (HasFatalFailure()) return;
    }
}

TEST(DofTiles, LampsBesideTilesGiveTheSameBits) {
  Image<float> image(260, 180, 4);
  for (std::int64_t i = 0; i < image.view().extent(); ++i)
    image.view().data[i] = i / 4 % 37 == 0 && i / 4 / 260 % 29 == 0 ? 1.f : 0.02f;
  const DofStyle style{.quality = DofQuality::best, .anamorphic = 0.25f, .blades = 3, .rotation = 77};
  const Image<float> disparity = jumpy_disparity(260, 180);
  const Image<float> alone = blurred(image, disparity, blur_of(60), style, 1);
  for (const int threads : {2, 24})
    test::expect_equal<float>(blurred(image, disparity, blur_of(60), style, threads).view(), alone.view(),
                              std::to_string(threads) + " threads");
}

/// Depth from far to near along a diagonal: circles up to `radius`, half of that in the mean.
cpu::Circles slope(Workspace& workspace, std::int64_t width, std::int64_t height, float radius) {
  cpu::Circles circles;
  circles.of_pixel = View<float>(workspace.take<float>(width * height), width, height);
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x)
      circles.of_pixel(x, y) =
          radius * (2 * static_cast<float>(x + y) / static_cast<float>(width + height - 2) - 1);
  return circles;
}

/// Returns how many pixels the tiles of `threads` threads deposit.
std::int64_t deposited(const cpu::Circles& circles, const cpu::Reaches& reaches, int threads) {
  const auto width = static_cast<int>(circles.of_pixel.width),
             height = static_cast<int>(circles.of_pixel.height);
  const cpu::SpreadReach reach = reaches.most();
  const cpu::SpreadTiles tiles(width, height, reach.most(), threads);
  std::int64_t blocks = 0;
  for (int i = 0; i < tiles.count(); ++i) {
    const SpreadBox tile = tiles[i];
    for (int y = std::max(0, tile.top - reach.down) & -kMostGroup;
         y < std::min(height, tile.bottom + reach.down); y += kMostGroup)
      for (int x = std::max(0, tile.left - reach.across) & -kMostGroup;
           x < std::min(width, tile.right + reach.across); x += kMostGroup)
        blocks += reaches.block(circles, x, y, tile) ? 1 : 0;
  }
  return blocks * kMostGroup * kMostGroup;
}

TEST(DofTiles, ManyThreadsDepositFewPixelsTwice) {
  Context context = Context::open("cpu");
  Workspace workspace(context);
  const cpu::Circles circles = slope(workspace, 3840, 2160, kRadius);
  const DofStyle style{.quality = DofQuality::good};
  const auto table = shape_table(style, kRadius);
  LayeredTask<std::uint8_t> task;
  for (int i = 0; i < kGroupSizes; ++i)
    task.shapes[i] = {table->groups[i].data(), static_cast<int>(table->groups[i].size())};
  const cpu::Reaches reaches(task, kRadius, false);
  constexpr double kPixels = 3840. * 2160;
  EXPECT_LE(static_cast<double>(deposited(circles, reaches, 1)), 1.1 * kPixels);
  EXPECT_LE(static_cast<double>(deposited(circles, reaches, 16)), 1.25 * kPixels);
  EXPECT_LE(static_cast<double>(deposited(circles, reaches, 64)), 1.45 * kPixels);
}

TEST(DofTiles, ManyThreadsHaveEnoughTiles) {
  for (const auto& [threads, least] : {std::pair(2, 4), std::pair(16, 48), std::pair(64, 128)}) {
    const cpu::SpreadTiles tiles(3840, 2160, 43, threads);
    EXPECT_GE(tiles.count(), least);
    EXPECT_EQ(tiles.workers(), threads);
  }
  EXPECT_LE(cpu::SpreadTiles(3840, 2160, 43, 1).count(), 8);
  EXPECT_EQ(cpu::SpreadTiles(5, 3, 43, 64).count(), 1);
}

TEST(DofTiles, ManyThreadsTakeLittleMemoryMore) {
  const auto bytes = [](int threads, int reach) {
    return with_threads(
        threads, [&] { return cpu::dof_layered_bytes(3840, 2160, 3, {.quality = DofQuality::good}, reach); });
  };
  for (const int reach : {13, 43})  // of 10 and 40 pixels of radius
    EXPECT_LE(bytes(64, reach), 2 * bytes(4, reach)) << reach;
}

}  // namespace
}  // namespace scanlens
