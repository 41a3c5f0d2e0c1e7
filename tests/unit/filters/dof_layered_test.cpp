// Depth of field in layers, by the properties that anyone can check.
#include <cmath>

#include "filters/dof/shapes_formula.h"
#include "tests/unit/support/layered.h"

namespace scanlens {
namespace {

TEST_P(LayeredDof, WithoutBlurNothingChanges) {
  for (const DofStyle& style : every_shape())
    for (const int channels : {1, 3, 4}) {
      const auto bytes = test::random_image<std::uint8_t>(61, 47, channels);
      const Image<std::uint8_t> same = run(bytes, jumpy_disparity(61, 47), Blur{0, 0.5f, 0}, style);
      ASSERT_TRUE(std::equal(bytes.view().data, bytes.view().data + bytes.view().extent(), same.view().data));
      const auto shorts = test::random_image<std::uint16_t>(61, 47, channels);
      const Image<std::uint16_t> also = run(shorts, jumpy_disparity(61, 47), Blur{0, 0.5f, 0}, style);
      ASSERT_TRUE(
          std::equal(shorts.view().data, shorts.view().data + shorts.view().extent(), also.view().data));
    }
}

TEST_P(LayeredDof, AConstantPictureStaysConstantToTheBorder) {
  for (const DofStyle& style : every_shape())
    for (const float radius : {0.6f, 1.f, 2.5f, 7.3f, 15.9f, 16.f, 29.f})
      for (const float focus : {-1.f, 1.f}) {  // all before the focus, or all behind it
        Image<std::uint8_t> image(90, 70, 3);
        for (std::int64_t i = 0; i < image.view().extent(); ++i)
          image.view().data[i] = static_cast<std::uint8_t>(i % 3 == 0 ? 3 : i % 3 == 1 ? 129 : 254);
        const Image<std::uint8_t> out =
            run(image, constant_disparity(90, 70, 0), Blur{radius, focus, radius}, style);
        for (std::int64_t i = 0; i < image.view().extent(); ++i)
          ASSERT_EQ(out.view().data[i], image.view().data[i]) << "sample " << i << ", radius " << radius;
      }
}

TEST_P(LayeredDof, APlainSurfaceOfAnyRadiiStaysPlain) {
  for (const DofStyle& style : {kGood, kBest}) {
    Image<std::uint8_t> image(120, 100, 1);
    std::fill_n(image.view().data, image.view().extent(), std::uint8_t{140});
    const Image<std::uint8_t> out = run(image, jumpy_disparity(120, 100), Blur{40, 0.5f, 20}, style);
    for (std::int64_t i = 0; i < out.view().extent(); ++i)
      ASSERT_NEAR(out.view().data[i], 140, 1) << "pixel " << i % 120 << ", " << i / 120;
  }
}

TEST_P(LayeredDof, PixelsInFocusBehindNothingAreCopied) {
  // The left half is in focus, the right one far behind it.
  const auto image = test::random_image<std::uint16_t>(128, 64, 3);
  Image<float> disparity(128, 64);
  for (std::int64_t y = 0; y < 64; ++y)
    for (std::int64_t x = 0; x < 128; ++x) disparity.view()(x, y) = x < 64 ? 0.5f : 0.f;
  for (const DofStyle& style : {kGood, kBest}) {
    const Image<std::uint16_t> out = run(image, disparity, Blur{40, 0.5f, 20}, style);
    for (std::int64_t y = 0; y < 64; ++y)
      for (std::int64_t i = 0; i < 64 * 3; ++i) ASSERT_EQ(out.view().row(y)[i], image.view().row(y)[i]);
  }
}

/// The light of a picture that is black but for one pixel, spread.
TEST_P(LayeredDof, EnergyIsKept) {
  for (const DofStyle& style : every_style())
    // From 14.5 to 16.3 and from 38 to 42.8, groups of pixels spread as one are mixed with smaller ones.
    for (const float radius : {0.8f, 1.7f, 3.4f, 9.6f, 14.7f, 15.6f, 17.2f, 33.3f, 39.3f, 41.7f, 45.f})
      for (const auto& [x, y] : {std::pair{60, 60}, {1, 2}, {119, 60}, {118, 119}}) {
        Image<float> image(120, 120, 3);
        std::fill_n(image.view().data, image.view().extent(), 0.f);
        for (int c = 0; c < 3; ++c) image.view()(x, y, c) = 50;
        const Image<float> out =
            run(image, constant_disparity(120, 120, 0), Blur{radius, 1, radius}, style, {64});
        double sum = 0;
        for (std::int64_t i = 0; i < out.view().extent(); ++i) sum += out.view().data[i];
        ASSERT_NEAR(sum, 150, 0.15) << "radius " << radius << " at " << x << ", " << y;
      }
}

TEST_P(LayeredDof, ABlurredPointIsAsLargeAsItsCircle) {
  for (const Bokeh bokeh : {Bokeh::box, Bokeh::disc, Bokeh::hexagon})
    for (const float radius : {4.f, 9.5f, 14.25f, 25.f}) {
      Image<float> image(101, 101, 1);
      std::fill_n(image.view().data, image.view().extent(), 0.f);
      image.view()(50, 50) = 60;
      const Image<float> out = run(image, constant_disparity(101, 101, 0), Blur{radius, 1, radius},
                                   DofStyle{.quality = DofQuality::best, .bokeh = bokeh}, {64});
      double moment = 0, sum = 0;
      for (std::int64_t y = 0; y < 101; ++y)
        for (std::int64_t x = 0; x < 101; ++x) {
          moment += out.view()(x, y) * static_cast<double>((x - 50) * (x - 50) + (y - 50) * (y - 50));
          sum += out.view()(x, y);
        }
      // A disc's second moment is half its radius squared; the shapes are near it.
      EXPECT_NEAR(moment / sum / (radius * radius / 2), 1, bokeh == Bokeh::disc ? 0.06 : 0.12)
          << radius << " shape " << static_cast<int>(bokeh);
    }
}

TEST_P(LayeredDof, InPlaceIsTheSame) {
  const auto image = test::random_image<std::uint8_t>(150, 110, 4);
  const Image<float> disparity = jumpy_disparity(150, 110);
  const Blur blur{30, 0.5f, 15};
  const Image<std::uint8_t> beside = run(image, disparity, blur, kGood);
  test::GuardedArray<std::uint8_t> both(*context, image.view());
  test::GuardedArray<float> depth(*context, disparity.view());
  depth_of_field<std::uint8_t>(*context, both.view(), depth.view(), blur, both.view(), {}, kGood);
  const Image<std::uint8_t> out = both.image();
  ASSERT_TRUE(std::equal(out.view().data, out.view().data + out.view().extent(), beside.view().data));
}

TEST_P(LayeredDof, NothingButItsPixelsAndRadiusMatters) {
  // A slow pull of the focus is smooth: a tenth of a pixel of radius moves no pixel by more than some codes.
  const auto image = [] {
    Image<std::uint8_t> picture(200, 150, 1);
    for (std::int64_t y = 0; y < 150; ++y)
      for (std::int64_t x = 0; x < 200; ++x)
        picture.view()(x, y) = static_cast<std::uint8_t>((x / 20 + y / 20) % 2 ? 190 : 90);
    return picture;
  }();
  Image<float> disparity(200, 150);
  for (std::int64_t y = 0; y < 150; ++y)
    for (std::int64_t x = 0; x < 200; ++x) disparity.view()(x, y) = static_cast<float>(x) / 200.f;
  for (const DofStyle& style : {kGood, kBest})
    for (const float radius : {5.f, 15.9f, 30.f}) {
      const Image<std::uint8_t> one = run(image, disparity, Blur{2 * radius, 0.5f, radius}, style);
      const Image<std::uint8_t> two =
          run(image, disparity, Blur{2 * radius + 0.2f, 0.5f, radius + 0.1f}, style);
      for (std::int64_t i = 0; i < one.view().extent(); ++i)
        ASSERT_NEAR(one.view().data[i], two.view().data[i], 4)
            << "pixel " << i % 200 << ", " << i / 200 << " radius " << radius;
    }
}

TEST_P(LayeredDof, APullShowsNoStepWhereGroupsAreSpreadAsOne) {
  constexpr std::int64_t kWidth = 160, kHeight = 24;
  constexpr float kPull = 0.1f;
  constexpr int kMostChange = 2 * 257;               // two codes of 8 bits
  Image<std::uint16_t> stripes(kWidth, kHeight, 1);  // edges part groups
  for (std::int64_t y = 0; y < kHeight; ++y)
    for (std::int64_t x = 0; x < kWidth; ++x)
      stripes.view()(x, y) = static_cast<std::uint16_t>((x / 41) % 2 ? 50000 : 20000);
  const Image<float> disparity = constant_disparity(kWidth, kHeight, 0);
  for (const int side : {2, 4}) {
    const float first = least_group_radius(side) - 0.5f, last = first + 0.125f * first + 1;
    Image<std::uint16_t> before;
    for (float radius = first; radius < last; radius += kPull) {
      Image<std::uint16_t> pulled = run(stripes, disparity, Blur{2 * radius, 0.5f, radius}, kGood);
      for (std::int64_t i = 0; i < before.view().extent(); ++i)
        ASSERT_NEAR(pulled.view().data[i], before.view().data[i], kMostChange)
            << "pixel " << i % kWidth << ", " << i / kWidth << " radius " << radius;
      before = std::move(pulled);
    }
  }
}

TEST_P(LayeredDof, GroupsLeaveNoPatternOfTheirLattice) {
  constexpr std::int64_t kSize = 256;
  constexpr float kRadius = 50, kMostRipple = 250;  // a code of 8 bits
  const Image<float> disparity = constant_disparity(kSize, kSize, 0);
  for (const bool across : {true, false}) {
    Image<std::uint16_t> edge(kSize, kSize, 1);
    for (std::int64_t y = 0; y < kSize; ++y)
      for (std::int64_t x = 0; x < kSize; ++x)
        edge.view()(x, y) = (across ? x : y) % 128 < 64 ? 60000 : 30000;
    const Image<std::uint16_t> blurred = run(edge, disparity, Blur{2 * kRadius, 0.5f, kRadius}, kGood);
    const auto at = [&](std::int64_t along, std::int64_t beside) {
      return static_cast<float>(across ? blurred.view()(along, beside) : blurred.view()(beside, along));
    };
    // Difference of a pixel from the mean over a period around it, where the blur is smooth.
    for (std::int64_t beside = 64; beside < 192; ++beside)
      for (std::int64_t i = 64; i < 192; ++i) {
        const float around = (at(i - 2, beside) + at(i + 2, beside)) / 2 + at(i - 1, beside) + at(i, beside) +
                             at(i + 1, beside);
        ASSERT_NEAR(at(i, beside), around / 4, kMostRipple) << (across ? "column " : "row ") << i;
      }
  }
}

TEST_P(LayeredDof, ASlopeHasNoHatchOfGroups) {
  constexpr std::int64_t kSize = 200, kBorder = 60;
  constexpr double kCode = 257, kMostHatch = 0.1 * kCode;
  const Image<float> disparity = constant_disparity(kSize, kSize, 0);
  Image<std::uint16_t> slope(kSize, kSize, 1);  // by 1.4 codes a pixel across, and by 1 down
  for (std::int64_t y = 0; y < kSize; ++y)
    for (std::int64_t x = 0; x < kSize; ++x)
      slope.view()(x, y) = static_cast<std::uint16_t>(6000 + 160 * x + 120 * y);
  for (const DofStyle& style : {kGood, kBest})
    for (const float radius : {17.f, 18.5f, 24.f, 33.3f}) {
      const Image<std::uint16_t> blurred = run(slope, disparity, Blur{2 * radius, 0.5f, radius}, style);
      const auto at = [&](std::int64_t x, std::int64_t y) {
        return static_cast<double>(blurred.view()(x, y));
      };
      double across = 0, down = 0;
      for (std::int64_t y = kBorder; y < kSize - kBorder; ++y)
        for (std::int64_t x = kBorder; x < kSize - kBorder; ++x) {
          across += std::fabs(at(x, y) - (at(x - 1, y) + at(x + 1, y)) / 2);
          down += std::fabs(at(x, y) - (at(x, y - 1) + at(x, y + 1)) / 2);
        }
      constexpr double kPixels = double{kSize - 2 * kBorder} * (kSize - 2 * kBorder);
      EXPECT_LT(across / kPixels, kMostHatch) << "radius " << radius;
      EXPECT_LT(down / kPixels, kMostHatch) << "radius " << radius;
    }
}

TEST_P(LayeredDof, AThingLittleBeforeTheFocusBlursOverWhatIsInFocus) {
  constexpr std::int64_t kSide = 64, kEdge = 32;
  Image<std::uint8_t> image(kSide, kSide, 1);
  Image<float> disparity(kSide, kSide);
  for (std::int64_t y = 0; y < kSide; ++y)
    for (std::int64_t x = 0; x < kSide; ++x) {
      image.view()(x, y) = x < kEdge ? 230 : 0;
      disparity.view()(x, y) = x < kEdge ? 1 : 0;
    }
  for (const DofStyle& style : {kGood, kBest})
    for (const float radius : {2.f, 2.5f, 3.f}) {
      const Image<std::uint8_t> out = run(image, disparity, Blur{radius, 0, radius}, style);
      // A lens spreads a third of its light over the first pixel in focus, which is about 140 codes.
      EXPECT_GT(out.view()(kEdge, kSide / 2), 130) << "radius " << radius;
      EXPECT_EQ(out.view()(kEdge + 5, kSide / 2), 0) << "radius " << radius;
    }
}

TEST_P(LayeredDof, ANearThingFadesWithoutAnEdge) {
  // A dark plain thing far before the focus, and something bright in focus beside it.
  constexpr std::int64_t kSide = 300, kEdge = 200;
  constexpr int kMostStep = 16;  // codes from pixel to pixel
  for (const bool across : {true, false}) {
    Image<std::uint8_t> image(kSide, kSide, 1);
    Image<float> disparity(kSide, kSide);
    for (std::int64_t y = 0; y < kSide; ++y)
      for (std::int64_t x = 0; x < kSide; ++x) {
        const bool near = (across ? x : y) < kEdge;
        image.view()(x, y) = near ? 40 : 230;
        disparity.view()(x, y) = near ? 1 : 0;
      }
    for (const DofStyle& style : every_shape()) {
      const Image<std::uint8_t> out = run(image, disparity, Blur{60, 0, 60}, style);
      const auto at = [&](std::int64_t along) {
        return across ? out.view()(along, kSide / 2) : out.view()(kSide / 2, along);
      };
      for (std::int64_t i = 1; i < kEdge - 5; ++i)
        ASSERT_NEAR(at(i), at(i - 1), kMostStep) << (across ? "column " : "row ") << i;
    }
  }
}

TEST_P(LayeredDof, ATextureInFocusGoesOnUnderAThinNearThing) {
  // Dark and bright stripes in focus, and across them a bar that is blurred so widely that little of it is
  // seen. Filled with the mean of a box as wide as the blur, a sixth of the stripes' contrast was left there.
  constexpr std::int64_t kSide = 160, kLeft = 77, kRight = 83, kStripe = 24;
  constexpr float kDark = 0.1f, kBright = 0.5f;
  Image<float> image(kSide, kSide, 3), disparity(kSide, kSide);
  for (std::int64_t y = 0; y < kSide; ++y)
    for (std::int64_t x = 0; x < kSide; ++x) {
      const bool bar = x >= kLeft && x < kRight;
      disparity.view()(x, y) = bar ? 1 : 0;
      for (int c = 0; c < 3; ++c)
        image.view()(x, y, c) = bar ? 0.3f : (y / kStripe % 2 == 0 ? kDark : kBright);
    }
  const Image<float> out = run(image, disparity, Blur{24, 0, 24}, kGood);
  const auto mean_of_row = [&](std::int64_t y) {
    float sum = 0;
    for (std::int64_t x = kLeft; x < kRight; ++x) sum += out.view()(x, y, 1);
    return sum / (kRight - kLeft);
  };
  constexpr std::int64_t kBrightRow = kSide / 2 / kStripe / 2 * 2 * kStripe + kStripe * 3 / 2;
  const float contrast = mean_of_row(kBrightRow) - mean_of_row(kBrightRow + kStripe);
  EXPECT_GT(contrast, 0.5f * (kBright - kDark)) << contrast;
}

/// A plain wall with lamps of `lamp` times its light, and before it a bar that hides some of it.
struct BarBeforeLamps {
  static constexpr std::int64_t kSide = 200, kLeft = 80, kRight = 110;  ///< the bar's columns
  Image<float> image{kSide, kSide, 3}, disparity{kSide, kSide};

  BarBeforeLamps(float wall, float lamp) {
    for (std::int64_t y = 0; y < kSide; ++y)
      for (std::int64_t x = 0; x < kSide; ++x) {
        const bool bar = x >= kLeft && x < kRight;
        const bool is_lamp = !bar && x % 23 < 3 && y % 29 < 3;
        disparity.view()(x, y) = bar ? 1 : 0;
        for (int c = 0; c < 3; ++c) image.view()(x, y, c) = is_lamp ? lamp * wall : wall;
      }
  }
};

TEST_P(LayeredDof, LampsInFocusLeaveNoPatchOnWhatHidesTheWall) {
  const BarBeforeLamps scene(0.1f, 400);
  for (const DofStyle& style : every_shape())
    for (const float radius : {5.f, 24.f}) {
      const Image<float> out = run(scene.image, scene.disparity, Blur{radius, 0, radius}, style, {64});
      // Lamps are white in the fill. Its smallest box holds a lamp at the bar's edge: 0.031 more than the
      // wall.
      for (std::int64_t y = 0; y < scene.kSide; ++y)
        for (std::int64_t x = scene.kLeft; x < scene.kRight; ++x)
          ASSERT_NEAR(out.view()(x, y, 1), 0.1f, 0.035f) << x << ", " << y << ", radius " << radius;
    }
}

TEST_P(LayeredDof, AWallBrighterThanWhiteIsAsBrightBesideABarInFocus) {
  constexpr std::int64_t kSide = 120;
  constexpr float kWall = 6;
  Image<float> image(kSide, kSide, 3), disparity(kSide, kSide);
  for (std::int64_t y = 0; y < kSide; ++y)
    for (std::int64_t x = 0; x < kSide; ++x) {
      const bool bar = x >= 50 && x < 70;
      disparity.view()(x, y) = bar ? 1 : 0;
      for (int c = 0; c < 3; ++c) image.view()(x, y, c) = bar ? 0.02f : kWall;
    }
  for (const DofStyle& style : {kGood, kBest}) {
    const Image<float> out = run(image, disparity, Blur{24, 1, 24}, style, {64});
    for (std::int64_t x = 0; x < kSide; ++x)
      if (x < 49 || x > 70) EXPECT_NEAR(out.view()(x, kSide / 2, 1), kWall, 0.02f * kWall) << x;
  }
}

TEST_P(LayeredDof, BrightPicturesAreFilledAsDarkOnes) {
  const BarBeforeLamps dark(0.5f, 1.5f), bright(500, 1.5f);
  const Blur blur{24, 0, 24};
  const Image<float> expected = run(dark.image, dark.disparity, blur, kGood, {1, 1});
  const Image<float> out = run(bright.image, bright.disparity, blur, kGood, {1000, 1000});
  for (std::int64_t i = 0; i < out.view().extent(); ++i)
    ASSERT_NEAR(out.view().data[i] / 1000, expected.view().data[i], 1e-4) << "sample " << i;
}

TEST_P(LayeredDof, AnAbsurdSampleTurnsNothingBlack) {
  Image<float> image(64, 64, 3);
  std::fill_n(image.view().data, image.view().extent(), 0.25f);
  image.view()(32, 32, 1) = 1e30f;
  image.view()(3, 3, 0) = std::nanf("");
  const Image<float> out = run(image, constant_disparity(64, 64, 0), Blur{8, 1, 8}, kGood, {10000});
  for (std::int64_t i = 0; i < out.view().extent(); ++i) {
    ASSERT_TRUE(std::isfinite(out.view().data[i]));
    ASSERT_GT(out.view().data[i], 0.2f) << "sample " << i;
  }
}

TEST_P(LayeredDof, FactorsOfOneSideLeaveTheOtherAlone) {
  const auto image = test::random_image<std::uint8_t>(100, 60, 3);
  const Image<float> disparity = constant_disparity(100, 60, 0.2f);
  const Blur blur{20, 0.5f, 20};
  const auto same = [&](const DofStyle& a, const DofStyle& b) {
    const Image<std::uint8_t> p = run(image, disparity, blur, a), q = run(image, disparity, blur, b);
    return std::equal(p.view().data, p.view().data + p.view().extent(), q.view().data);
  };
  EXPECT_TRUE(same(kGood, {.quality = DofQuality::good, .near = 3}));
  EXPECT_FALSE(same(kGood, {.quality = DofQuality::good, .far = 2}));
  EXPECT_FALSE(same(kGood, {.quality = DofQuality::good, .highlights = 4}));
}

TEST_P(LayeredDof, AFactorAboveOneWidensTheLargestCirclesToo) {
  const auto image = test::random_image<std::uint8_t>(100, 60, 3);
  const Image<float> disparity = jumpy_disparity(100, 60);
  const Image<std::uint8_t> twice =
      run(image, disparity, {20, 0.5f, 4}, {.quality = DofQuality::good, .near = 2});
  const Image<std::uint8_t> half =
      run(image, disparity, {40, 0.5f, 8}, {.quality = DofQuality::good, .far = 0.5f});
  test::expect_equal<std::uint8_t>(twice.view(), half.view(), "near 2 of 4 pixels, and far 0.5 of 8");
}

TEST_P(LayeredDof, RefusesWhatIsOutOfRange) {
  const auto image = test::random_image<std::uint8_t>(8, 8, 3);
  for (const float none : {0.f, -1.f, 1e-40f, std::nanf("")})
    for (const LightRange& light : {LightRange{none, 1}, LightRange{1, none}})
      EXPECT_THROW(run(image, constant_disparity(8, 8, 0), uniform(1), kGood, light), Error);
  for (const DofStyle& style : {DofStyle{.anamorphic = 0},
                                {.anamorphic = 5},
                                {.blades = 17},
                                {.rotation = 361},
                                {.near = -1},
                                {.far = 9},
                                {.highlights = 16},
                                {.highlights = std::nanf("")}})
    EXPECT_THROW(run(image, constant_disparity(8, 8, 0), uniform(1), style), Error);
}

SCANLENS_ON_EVERY_DEVICE(LayeredDof);

}  // namespace
}  // namespace scanlens
