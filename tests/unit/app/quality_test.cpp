// PSNR, SSIM and the band around jumps, against what their formulas say, sample by sample.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "filters/color.h"
#include "tests/bench/quality/metrics.h"
#include "tests/bench/quality/side_by_side.h"
#include "tests/unit/support/support.h"

namespace scanlens::bench {
namespace {

Image<float> constant(std::int64_t width, std::int64_t height, float value) {
  Image<float> picture(width, height);
  std::fill_n(picture.view().data, width * height, value);
  return picture;
}

/// Adds up a window of weights exp(-r² / 2 sigma²) around a pixel, with variances around the means.
double direct_ssim(View<const float> a, View<const float> b, std::int64_t x, std::int64_t y) {
  const auto over_window = [&](const auto& value) {
    double sum = 0, weights = 0;
    for (std::int64_t dy = -5; dy <= 5; ++dy)
      for (std::int64_t dx = -5; dx <= 5; ++dx) {
        const double weight = std::exp(-static_cast<double>(dx * dx + dy * dy) / (2 * 1.5 * 1.5));
        weights += weight;
        sum += weight * value(x + dx, y + dy);
      }
    return sum / weights;
  };
  const double mean_a = over_window([&](auto i, auto j) { return double{a(i, j)}; });
  const double mean_b = over_window([&](auto i, auto j) { return double{b(i, j)}; });
  const auto off_a = [&](auto i, auto j) { return a(i, j) - mean_a; };
  const auto off_b = [&](auto i, auto j) { return b(i, j) - mean_b; };
  const double var_a = over_window([&](auto i, auto j) { return off_a(i, j) * off_a(i, j); });
  const double var_b = over_window([&](auto i, auto j) { return off_b(i, j) * off_b(i, j); });
  const double covariance = over_window([&](auto i, auto j) { return off_a(i, j) * off_b(i, j); });
  constexpr double kC1 = 1e-4, kC2 = 9e-4;
  return (2 * mean_a * mean_b + kC1) * (2 * covariance + kC2) /
         ((mean_a * mean_a + mean_b * mean_b + kC1) * (var_a + var_b + kC2));
}

TEST(Psnr, IsTheMeanSquaredDifferenceInDecibels) {
  for (const auto& [width, height, channels] : {std::tuple{1, 1, 1}, {33, 17, 3}, {64, 31, 4}}) {
    const Image<float> a = test::random_image<float>(width, height, channels),
                       b = test::random_image<float>(width, height, channels);
    double sum = 0;
    for (std::int64_t i = 0; i < a.view().extent(); ++i)
      sum += std::pow(double{a.view().data[i]} - b.view().data[i], 2);
    EXPECT_NEAR(psnr(a.view(), b.view()), -10 * std::log10(sum / static_cast<double>(a.view().extent())),
                1e-9);
  }
  EXPECT_NEAR(psnr(constant(9, 9, 0.5f).view(), constant(9, 9, 0.25f).view()), 12.0412, 1e-4);
}

TEST(Psnr, OfEqualPicturesIsInfiniteAndOfNothingIsNone) {
  const Image<float> a = test::random_image<float>(20, 10, 3);
  EXPECT_EQ(psnr(a.view(), a.view()), std::numeric_limits<double>::infinity());
  Image<std::uint8_t> nowhere(20, 10);
  std::fill_n(nowhere.view().data, 200, std::uint8_t{0});
  EXPECT_TRUE(std::isnan(psnr(a.view(), a.view(), nowhere.view())));
}

TEST(Psnr, LooksOnlyWhereItIsToldTo) {
  const Image<float> a = test::random_image<float>(30, 20, 3);
  Image<float> b = test::random_image<float>(30, 20, 3);
  Image<std::uint8_t> where(30, 20);
  double sum = 0;
  int pixels = 0;
  for (std::int64_t y = 0; y < 20; ++y)
    for (std::int64_t x = 0; x < 30; ++x) {
      where.view()(x, y) = (x * 7 + y * 3) % 5 == 0;
      if (!where.view()(x, y)) continue;
      ++pixels;
      for (int c = 0; c < 3; ++c) sum += std::pow(double{a.view()(x, y, c)} - b.view()(x, y, c), 2);
    }
  EXPECT_NEAR(psnr(a.view(), b.view(), where.view()), -10 * std::log10(sum / 3 / pixels), 1e-9);
}

TEST(Ssim, IsWhatTheFormulaSays) {
  for (const auto& [width, height] : {std::pair{11, 11}, {11, 40}, {37, 29}}) {
    const Image<float> a = test::random_image<float>(width, height),
                       b = test::random_image<float>(width, height);
    const Image<float> map = ssim_map(a.view(), b.view());
    ASSERT_EQ(map.width(), width - 10);
    ASSERT_EQ(map.height(), height - 10);
    double sum = 0;
    for (std::int64_t y = 0; y < map.height(); ++y)
      for (std::int64_t x = 0; x < map.width(); ++x) {
        const double direct = direct_ssim(a.view(), b.view(), x + 5, y + 5);
        ASSERT_NEAR(map.view()(x, y), direct, 1e-6) << x << ',' << y;
        sum += direct;
      }
    EXPECT_NEAR(mean_ssim(map.view()), sum / static_cast<double>(map.width() * map.height()), 1e-6);
  }
}

TEST(Ssim, KnownValues) {
  const Image<float> a = test::random_image<float>(40, 20);
  EXPECT_NEAR(mean_ssim(ssim_map(a.view(), a.view()).view()), 1, 1e-7);
  // Constants leave the first factor alone.
  const double expected = (2 * 0.5 * 0.25 + 1e-4) / (0.25 + 0.0625 + 1e-4);
  EXPECT_NEAR(mean_ssim(ssim_map(constant(15, 15, 0.5f).view(), constant(15, 15, 0.25f).view()).view()),
              expected, 1e-6);
  EXPECT_THROW(ssim_map(constant(10, 15, 0).view(), constant(10, 15, 0).view()), Error);
}

TEST(Ssim, MeanLooksOnlyWhereItIsToldTo) {
  const Image<float> map = test::random_image<float>(13, 7);
  Image<std::uint8_t> where(23, 17);
  std::fill_n(where.view().data, 23 * 17, std::uint8_t{0});
  where.view()(0, 0) = 1;  // no window lies around this one
  EXPECT_TRUE(std::isnan(mean_ssim(map.view(), where.view())));
  where.view()(5, 5) = where.view()(17, 11) = 1;
  EXPECT_NEAR(mean_ssim(map.view(), where.view()), (map.view()(0, 0) + map.view()(12, 6)) / 2.0, 1e-7);
}

TEST(JumpBand, HoldsEveryPixelOfADiscAroundAJump) {
  const std::int64_t width = 61, height = 47;
  Image<float> disparity(width, height);
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x)
      disparity.view()(x, y) =
          (x == 20 && y > 30) || (x > 50 && y < 5) ? 2.0f : 0.01f * static_cast<float>(x);
  const Blur blur{4, 0.5f, 6};
  const auto circle = [&](std::int64_t x, std::int64_t y) {
    return std::min(std::max(4 * (disparity.view()(x, y) - 0.5f), -6.0f), 6.0f);
  };
  for (const int reach : {0, 1, 2, 7, 24, 64}) {
    const Image<std::uint8_t> band = jump_band(disparity.view(), blur, reach);
    for (std::int64_t y = 0; y < height; ++y)
      for (std::int64_t x = 0; x < width; ++x) {
        bool inside = false;
        for (std::int64_t j = 0; j < height && !inside; ++j)
          for (std::int64_t i = 0; i < width && !inside; ++i) {
            const bool jump = (i > 0 && std::abs(circle(i, j) - circle(i - 1, j)) > 1.5f) ||
                              (j > 0 && std::abs(circle(i, j) - circle(i, j - 1)) > 1.5f);
            if (!jump || std::abs(y - j) > reach) continue;
            const double half = std::sqrt(static_cast<double>(reach * reach - (y - j) * (y - j)));
            inside = static_cast<double>(std::abs(x - i)) <= std::nearbyint(half);
          }
        ASSERT_EQ(band.view()(x, y), inside) << "reach " << reach << " at " << x << ',' << y;
      }
  }
}

TEST(JumpBand, IsEmptyOnASlope) {
  Image<float> disparity(40, 30);
  for (std::int64_t i = 0; i < 1200; ++i) disparity.view().data[i] = 0.3f * static_cast<float>(i % 40);
  const Image<std::uint8_t> band = jump_band(disparity.view(), {4, 0.5f, 100}, 8);
  EXPECT_TRUE(
      std::all_of(band.view().data, band.view().data + 1200, [](std::uint8_t one) { return one == 0; }));
}

TEST(Codes, AreClippedAndEncoded) {
  Image<float> light(3, 1);
  light.view()(0, 0) = 0.5f;
  light.view()(1, 0) = 900;
  light.view()(2, 0) = 0;
  const Image<float> codes = codes_of({std::move(light)});
  EXPECT_EQ(codes.view()(0, 0), linear_to_srgb(0.5f));
  EXPECT_FLOAT_EQ(codes.view()(1, 0), 1.0f);
  EXPECT_EQ(codes.view()(2, 0), 0.0f);
  Image<std::uint8_t> bytes(2, 1);
  bytes.view()(0, 0) = 255;
  bytes.view()(1, 0) = 51;
  const Image<float> shares = codes_of({std::move(bytes)});
  EXPECT_EQ(shares.view()(0, 0), 1.0f);
  EXPECT_FLOAT_EQ(shares.view()(1, 0), 0.2f);
}

}  // namespace
}  // namespace scanlens::bench
