// Lamps: pixels whose blur is a disc with all its steps and a soft edge.
#include <cmath>
#include <cstdlib>
#include <numbers>

#include "core/graph.h"
#include "filters/dof/lamps.h"
#include "tests/unit/support/layered.h"

namespace scanlens {
namespace {

constexpr LightRange kRange{64};

/// A dark picture with a point of light.
Image<float> point_at(int size, int x, int y, float light = 50) {
  Image<float> image(size, size, 1);
  std::fill_n(image.view().data, image.view().extent(), 0.f);
  image.view()(x, y) = light;
  return image;
}

/// The disc around (x, y) with an edge that is soft over a pixel, of sum 1.
Image<double> soft_disc(int size, int x, int y, double radius) {
  Image<double> disc(size, size);
  double sum = 0;
  for (int j = 0; j < size; ++j)
    for (int i = 0; i < size; ++i)
      sum += disc.view()(i, j) = std::clamp(radius + 0.5 - std::hypot(i - x, j - y), 0., 1.);
  for (std::int64_t i = 0; i < disc.view().extent(); ++i) disc.view().data[i] /= sum;
  return disc;
}

/// Bytes of more tables than are kept.
constexpr std::size_t kMoreThanIsKept = std::size_t{80} << 20;

/// An iris of five blades, turned by steps of 1/16 degree.
DofStyle turned(int steps) {
  DofStyle style = kGood;
  style.blades = 5;
  style.rotation = static_cast<float>(steps) / 16;
  return style;
}

class LampsOfDof : public LayeredDof {
 protected:
  Image<float> blurred(const Image<float>& image, float radius, const DofStyle& style) {
    return run(image, constant_disparity(image.width(), image.height(), 0), Blur{radius, 1, radius}, style,
               kRange);
  }
};

TEST_P(LampsOfDof, APointIsADiscWithASoftEdge) {
  for (const DofStyle& style : {kGood, kBest})
    for (const float radius : {8.f, 8.3f, 14.7f, 20.f, 20.6f, 40.f, 41.1f, 80.f}) {
      const int size = 2 * static_cast<int>(radius) + 21, middle = size / 2;
      // A lattice of groups of 4 has 16 places.
      for (const int x : {middle, middle + 1, middle + 3}) {
        const Image<float> out = blurred(point_at(size, x, middle), radius, style);
        const Image<double> disc = soft_disc(size, x, middle, radius);
        double difference = 0;
        for (std::int64_t i = 0; i < out.view().extent(); ++i)
          difference += std::fabs(out.view().data[i] / 50 - disc.view().data[i]);
        EXPECT_LE(difference / 2, 0.03) << "radius " << radius << " at " << x;
      }
    }
}

TEST_P(LampsOfDof, TablesThatGoStayValidForWhoHoldsThem) {
  constexpr float kRadius = 20, kWide = 250;
  const auto held = disc_table(turned(1), kRadius);
  const std::vector<std::uint32_t> words = held->words;
  EXPECT_EQ(disc_table(turned(1), kRadius), held);
  std::size_t bytes = 0;
  for (int step = 2; bytes < kMoreThanIsKept; ++step) bytes += disc_table(turned(step), kWide)->bytes();
  EXPECT_NE(disc_table(turned(1), kRadius), held) << "a bounded number of bytes is kept";
  EXPECT_EQ(held->words, words);
  EXPECT_EQ(held->discs.words, held->words.data());
}

TEST_P(LampsOfDof, AGraphKeepsTheTablesThatItReads) {
  constexpr float kRadius = 20, kWide = 250;
  const Image<float> image = point_at(61, 30, 30), disparity = constant_disparity(61, 61, 0);
  const test::GuardedArray<float> from(*context, image.view()), depth(*context, disparity.view());
  test::GuardedArray<float> to(*context, image.view());
  Graph graph(*context, [&] {
    depth_of_field<float>(*context, from.view(), depth.view(), Blur{kRadius, 1, kRadius}, to.view(), kRange,
                          turned(1));
  });
  const Image<float> expected = blurred(image, kRadius, turned(1));
  std::size_t bytes = 0;
  for (int step = 2; bytes < kMoreThanIsKept; ++step) {
    bytes += disc_table(turned(step), kWide)->bytes();
    blurred(image, kWide, turned(step));
  }
  graph.replay();
  test::expect_equal<float>(to.image().view(), expected.view(), "replayed");
}

/// The polygon around (x, y) with the area of a disc, by samples, of sum 1. Without a rotation it stands on a
/// side.
Image<double> polygon(int size, int x, int y, double radius, int sides, double degrees) {
  const double half = std::numbers::pi / sides, turn = degrees * std::numbers::pi / 180;
  const double inner = radius * std::sqrt(half / std::tan(half));  // from the middle to a side
  constexpr int kSamples = 8;
  Image<double> shape(size, size);
  double sum = 0;
  for (int j = 0; j < size; ++j)
    for (int i = 0; i < size; ++i) {
      int inside = 0;
      for (int s = 0; s < kSamples * kSamples; ++s) {
        const double right = i - x + (s % kSamples + 0.5) / kSamples - 0.5;
        const double down = j - y + (s / kSamples + 0.5) / kSamples - 0.5;
        double farthest = -1e9;
        for (int side = 0; side < sides; ++side) {
          const double toward = std::numbers::pi / 2 + turn + 2 * half * side;
          farthest = std::max(farthest, right * std::cos(toward) + down * std::sin(toward));
        }
        inside += farthest < inner;
      }
      sum += shape.view()(i, j) = inside;
    }
  for (std::int64_t i = 0; i < shape.view().extent(); ++i) shape.view().data[i] /= sum;
  return shape;
}

TEST_P(LampsOfDof, APointIsAPolygonOfItsBlades) {
  struct Case {
    DofStyle style;
    int sides;
    double degrees;
  };
  const Case cases[] = {
      {{.quality = DofQuality::good, .bokeh = Bokeh::hexagon}, 6, 0},
      {{.quality = DofQuality::best, .bokeh = Bokeh::octagon}, 8, 0},
      {{.quality = DofQuality::good, .bokeh = Bokeh::hexagon, .rotation = 17}, 6, 17},
      {{.quality = DofQuality::good, .blades = 5}, 5, 0},
      {{.quality = DofQuality::best, .blades = 7, .rotation = 200}, 7, 200},
      {{.quality = DofQuality::good, .bokeh = Bokeh::box, .blades = 9, .rotation = 3}, 9, 3},
  };
  for (const Case& one : cases)
    for (const float radius : {12.f, 20.6f, 41.1f}) {
      const int size = 2 * static_cast<int>(1.2f * radius) + 21, middle = size / 2;
      const Image<float> out = blurred(point_at(size, middle, middle), radius, one.style);
      const Image<double> shape = polygon(size, middle, middle, radius, one.sides, one.degrees);
      double difference = 0;
      for (std::int64_t i = 0; i < out.view().extent(); ++i)
        difference += std::fabs(out.view().data[i] / 50 - shape.view().data[i]);
      EXPECT_LE(difference / 2, 0.3 / radius + 0.012) << one.sides << " sides, radius " << radius;
    }
}

TEST_P(LampsOfDof, APullShowsNoStep) {
  constexpr int kSize = 101;
  const Image<float> point = point_at(kSize, 50, 51);
  for (const DofStyle& style : {kGood, kBest})
    for (const float first : {5.5f, 13.f, 37.f}) {
      Image<float> before = blurred(point, first, style);
      for (int i = 1; i < 30; ++i) {
        const float radius = first + 0.1f * static_cast<float>(i);
        Image<float> pulled = blurred(point, radius, style);
        const double disc = 50 / (std::numbers::pi * radius * radius);
        for (std::int64_t k = 0; k < pulled.view().extent(); ++k)
          ASSERT_NEAR(pulled.view().data[k], before.view().data[k], 0.12 * disc)
              << "pixel " << k % kSize << ", " << k / kSize << " radius " << radius;
        before = std::move(pulled);
      }
    }
}

TEST_P(LampsOfDof, ALampThatBrightensShowsNoStep) {
  constexpr int kSize = 61;
  constexpr float kRadius = 20;
  for (float light = 0.8f; light < 3; light *= 1.01f) {
    const Image<float> one = blurred(point_at(kSize, 30, 30, light), kRadius, kGood),
                       two = blurred(point_at(kSize, 30, 30, light * 1.01f), kRadius, kGood);
    const double disc = light / (std::numbers::pi * kRadius * kRadius);
    for (std::int64_t i = 0; i < one.view().extent(); ++i)
      ASSERT_NEAR(one.view().data[i], two.view().data[i], 0.15 * disc) << "light " << light;
  }
}

TEST_P(LampsOfDof, LampsKeepTheirLight) {
  // Lamps of several pixels, some of them no lamps; groups, and the picture's corner.
  for (const DofStyle& style : every_style())
    for (const float radius : {7.f, 9.6f, 15.2f, 24.f, 40.5f})
      for (const auto& [x, y] : {std::pair{60, 60}, {1, 2}, {117, 63}}) {
        Image<float> image = point_at(120, x, y);
        for (int i = 0; i < 9; ++i)
          image.view()(x + i % 3 - 1, y + i / 3 - 1) = static_cast<float>(i * i) / 8;
        double sum = 0, kept = 0;
        for (std::int64_t i = 0; i < image.view().extent(); ++i) sum += image.view().data[i];
        const Image<float> out = blurred(image, radius, style);
        for (std::int64_t i = 0; i < out.view().extent(); ++i) kept += out.view().data[i];
        ASSERT_NEAR(kept, sum, 0.001 * sum) << "radius " << radius << " at " << x << ", " << y;
      }
}

TEST_P(LampsOfDof, NaNHidesNoLampBelowIt) {
  for (const int below : {1, 2, 3}) {
    Image<float> image = point_at(61, 29, 28 + below);
    const Image<float> expected = blurred(image, 20, kGood);
    image.view()(29, 28) = std::nanf("");
    const Image<float> out = blurred(image, 20, kGood);
    for (std::int64_t i = 0; i < out.view().extent(); ++i)
      ASSERT_EQ(out.view().data[i], expected.view().data[i]) << "pixel " << i;
  }
}

TEST_P(LampsOfDof, BoostedCodesAreLampsBelowWhite) {
  // A staircase has rows of 2 or 3 widths, a disc of more.
  Image<std::uint16_t> image(61, 61, 1);
  std::fill_n(image.view().data, image.view().extent(), std::uint16_t{0});
  image.view()(30, 30) = 61000;  // 0.85 of white
  const Image<std::uint16_t> out = run(image, constant_disparity(61, 61, 0), Blur{20, 1, 20},
                                       {.quality = DofQuality::good, .highlights = 15});
  int widths = 0;
  std::int64_t before = 0;
  for (std::int64_t y = 0; y <= 30; ++y) {
    std::int64_t width = 0;
    for (std::int64_t x = 0; x < 61; ++x) width += out.view()(x, y) > 0;
    widths += width != before;
    before = width;
  }
  EXPECT_GT(widths, 8);
}

TEST_P(LampsOfDof, WhiteStaysWhite) {
  for (const DofStyle& style : {kGood, kBest, DofStyle{.quality = DofQuality::good, .highlights = 8}})
    for (const float radius : {8.f, 15.3f, 29.f}) {
      Image<std::uint8_t> white(90, 70, 3);
      std::fill_n(white.view().data, white.view().extent(), std::uint8_t{255});
      const Image<std::uint8_t> out =
          run(white, constant_disparity(90, 70, 0), Blur{radius, 1, radius}, style);
      test::expect_equal<std::uint8_t>(out.view(), white.view(), "white");
    }
}

TEST_P(LampsOfDof, WhatIsInSharpFocusOrLargeHasNoDiscs) {
  // A bright surface has the same blur as one that is no lamp, but brighter.
  Image<float> bright(160, 160, 1), plain(160, 160, 1);
  for (int y = 0; y < 160; ++y)
    for (int x = 0; x < 160; ++x) {
      const bool surface = x >= 40 && x < 120 && y >= 40 && y < 120;
      bright.view()(x, y) = surface ? 8.f : 0.f;
      plain.view()(x, y) = surface ? 0.5f : 0.f;
    }
  const Image<float> lit = blurred(bright, 20, kGood), unlit = blurred(plain, 20, kGood);
  for (int y = 60; y < 100; ++y)
    for (int x = 0; x < 160; ++x) EXPECT_NEAR(lit.view()(x, y) / 8, unlit.view()(x, y) * 2, 0.01);
}

TEST(AffordableShare, FallsFromAllToNothingWithinTheBudget) {
  constexpr std::uint32_t kBudget = 1000;
  EXPECT_EQ(affordable_share(0, kBudget), kShareSteps);
  EXPECT_EQ(affordable_share(kBudget / 2, kBudget), kShareSteps);
  EXPECT_EQ(affordable_share(kBudget, kBudget), 0u);
  for (std::uint32_t cost = kBudget / 2; cost < kBudget; ++cost)
    EXPECT_LE(affordable_share(cost, kBudget) - affordable_share(cost + 1, kBudget), kShareSteps / 400);
  EXPECT_EQ(affordable_share(0, 0), 0u);
}

TEST(AffordableGrowth, IsTheLeastThatHalfTheBudgetPays) {
  constexpr std::uint32_t kBudget = 200000;
  std::uint32_t costs[kLampCosts];
  for (int bucket = 0; bucket < kLampBuckets; ++bucket)
    for (int raised = 0; raised <= kMostLampLevel; ++raised)
      costs[place_of_cost(bucket, raised)] = 6400u >> 2 * raised;
  LampGrowth one = affordable_growth(costs, kBudget);
  EXPECT_LE(cost_of_growth(costs, one.growth, kBudget), kBudget / 2);
  EXPECT_GT(cost_of_growth(costs, one.growth - 1, kBudget), kBudget / 2);
  EXPECT_EQ(one.share, kShareSteps);
  one = affordable_growth(costs, 1000000);
  EXPECT_EQ(one.growth, 0);
  one = affordable_growth(costs, 1000);  // too little for the largest cells
  EXPECT_EQ(one.growth, kMostLampGrowth);
  EXPECT_EQ(one.share, 0u);
}

SCANLENS_ON_EVERY_DEVICE(LampsOfDof);

}  // namespace
}  // namespace scanlens
