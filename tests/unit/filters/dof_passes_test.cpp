// Looks beside the blur itself: the tilted plane, fringes, recovered lamps, pictures of lamps.
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "filters/bokeh_picture.h"
#include "filters/color.h"
#include "tests/unit/support/dof.h"

namespace scanlens {
namespace {

class DofPasses : public DofOnDevice {};

double light_of(std::uint8_t code) {
  return srgb_to_linear_in_double(code / 255.0);
}

std::uint8_t code_of(double light) {
  const double clipped = std::clamp(light, 0.0, 1.0);
  const double encoded = clipped <= 0.0031308 ? clipped * 12.92 : 1.055 * std::pow(clipped, 1 / 2.4) - 0.055;
  return static_cast<std::uint8_t>(std::lround(255 * encoded));
}

Image<std::uint8_t> random_codes(int width, int height, int channels) {
  return test::random_image<std::uint8_t>(width, height, channels);
}

/// Expects that all samples differ by no more than `most`.
template <class T>
void expect_near(const Image<T>& a, const Image<T>& b, double most) {
  for (std::int64_t i = 0; i < a.view().extent(); ++i)
    ASSERT_NEAR(a.view().data[i], b.view().data[i], most) << "sample " << i;
}

constexpr int kWidth = 120, kHeight = 90;

/// 0.4 in the middle, 0.3 nearer at the top than at the bottom and 0.2 farther at the right than at the left.
double plane_at(int x, int y) {
  return 0.4 - 0.2 * ((x + 0.5) / kWidth - 0.5) - 0.3 * ((y + 0.5) / kHeight - 0.5);
}

Blur tilted_blur() {
  Blur blur{40, 0.4f, 12};
  blur.tilt = 0.3f;
  blur.swing = -0.2f;
  return blur;
}

TEST_P(DofPasses, WhatLiesOnTheTiltedPlaneIsSharp) {
  Image<float> disparity(kWidth, kHeight);
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) disparity.view()(x, y) = static_cast<float>(plane_at(x, y));
  const Image<std::uint8_t> image = random_codes(kWidth, kHeight, 3);
  for (const DofQuality quality : {DofQuality::draft, DofQuality::good})
    expect_near(run(image, disparity, tilted_blur(), {}, {.quality = quality}), image, 0);
}

TEST_P(DofPasses, CirclesGrowFromTheTiltedPlane) {
  Image<float> disparity = test::random_image<float>(kWidth, kHeight, 1), level(kWidth, kHeight);
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x)
      level.view()(x, y) = static_cast<float>(disparity.view()(x, y) - plane_at(x, y) + 0.4);
  const Image<std::uint8_t> image = random_codes(kWidth, kHeight, 4);
  const DofStyle style{.quality = DofQuality::draft};  // whose circles decide for their own pixel alone
  expect_near(run(image, disparity, tilted_blur(), {}, style), run(image, level, {40, 0.4f, 12}, {}, style),
              1);
}

/// The mean distance from the middle of the light of a channel, squared.
double spread_of(const Image<float>& image, int c, double middle) {
  double sum = 0, moment = 0;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x) {
      const double light = image.view()(x, y, c);
      sum += light;
      moment += light * ((x - middle) * (x - middle) + (y - middle) * (y - middle));
    }
  return moment / sum;
}

TEST_P(DofPasses, FringesAreWiderInRedAndBlueBeforeTheFocus) {
  constexpr int kSide = 81, kMiddle = 40;
  constexpr float kRadius = 12, kFringe = 3;
  Image<float> image(kSide, kSide, 3);
  std::fill_n(image.view().data, image.view().extent(), 0.f);
  for (int c = 0; c < 3; ++c) image.view()(kMiddle, kMiddle, c) = 1;
  for (const bool before : {true, false}) {
    const Image<float> disparity = constant_disparity(kSide, kSide, before ? 1.f : 0.f);
    const Blur blur{kRadius, before ? 0.f : 1.f, kRadius};
    const Image<float> result =
        run(image, disparity, blur, {}, {.quality = DofQuality::best, .fringe = kFringe});
    for (int c = 0; c < 3; ++c) {
      const double radius = kRadius + ((c != 1) == before ? 1 : -1) * kFringe / 2.0;
      EXPECT_NEAR(std::sqrt(2 * spread_of(result, c, kMiddle)), radius, 0.35) << before << c;
    }
  }
}

TEST_P(DofPasses, FringesOfACardAsBrightAsTheRestDoNotShow) {
  Image<std::uint8_t> image(kWidth, kHeight, 3);
  std::fill_n(image.view().data, image.view().extent(), std::uint8_t{130});
  Image<float> disparity(kWidth, kHeight);
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) disparity.view()(x, y) = std::abs(x - 60) < 25 && std::abs(y - 45) < 20;
  const DofStyle style{.quality = DofQuality::best, .fringe = 4};
  expect_near(run(image, disparity, {16, 0.4f, 16}, {}, style), image, 1);
}

TEST_P(DofPasses, FringesLeaveTheFocusAlone) {
  const Image<std::uint8_t> image = random_codes(kWidth, kHeight, 4);
  const DofStyle style{.quality = DofQuality::good, .fringe = 4};
  expect_near(run(image, constant_disparity(kWidth, kHeight, 0.5f), {20, 0.5f, 10}, {}, style), image, 0);
}

TEST_P(DofPasses, EdgeFringesReadRedFartherOut) {
  constexpr double kPixels = 2.5;
  const Image<std::uint8_t> image = random_codes(kWidth, kHeight, 3);
  const DofStyle style{.quality = DofQuality::good, .edge_fringe = kPixels};
  const Image<std::uint8_t> result =
      run(image, constant_disparity(kWidth, kHeight, 0.5f), {20, 0.5f, 10}, {}, style);
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x)
      for (int c = 0; c < 3; ++c) {
        const double share = (1 - c) * kPixels / (std::hypot(kWidth, kHeight) / 2);
        const double at_x = std::clamp(x + share * (x - (kWidth - 1) / 2.0), 0.0, kWidth - 1.0);
        const double at_y = std::clamp(y + share * (y - (kHeight - 1) / 2.0), 0.0, kHeight - 1.0);
        const int left = std::min(static_cast<int>(at_x), kWidth - 2),
                  top = std::min(static_cast<int>(at_y), kHeight - 2);
        double light = 0, least = 1, most = 0;
        for (int k = 0; k < 4; ++k) {
          const int i = left + k % 2, j = top + k / 2;
          const double own = light_of(image.view()(i, j, c));
          light += own * (1 - std::abs(at_x - i)) * (1 - std::abs(at_y - j));
          least = std::min(least, own);
          most = std::max(most, own);
        }
        const double of_steps = (most - least) / 256;  // the places are in steps of 1/256
        EXPECT_GE(result.view()(x, y, c), code_of(light - of_steps) - 1) << x << ' ' << y << ' ' << c;
        EXPECT_LE(result.view()(x, y, c), code_of(light + of_steps) + 1) << x << ' ' << y << ' ' << c;
      }
}

/// A lamp with a bell's shape on grey, as light and clipped.
struct Lamp {
  static constexpr int kSide = 97, kMiddle = 48;
  static constexpr double kGround = 0.01;
  Image<float> light{kSide, kSide, 3};
  Image<std::uint8_t> codes{kSide, kSide, 3};
  double all = 0;  ///< light above the ground

  Lamp(double peak, double width, double beside) {
    for (int y = 0; y < kSide; ++y)
      for (int x = 0; x < kSide; ++x) {
        const double far = std::hypot(x - kMiddle - beside, y - kMiddle + beside / 2) / width;
        const double above = peak * std::exp(-far * far);
        all += above;
        for (int c = 0; c < 3; ++c) {
          light.view()(x, y, c) = static_cast<float>(above + kGround);
          codes.view()(x, y, c) = code_of(above + kGround);
        }
      }
  }
};

double light_above(const Image<std::uint8_t>& image) {
  double sum = 0;
  for (int y = 0; y < Lamp::kSide; ++y)
    for (int x = 0; x < Lamp::kSide; ++x)
      sum += light_of(image.view()(x, y, 1)) - light_of(code_of(Lamp::kGround));
  return sum;
}

TEST_P(DofPasses, RecoveredLampsHaveTheLightOfTheirBells) {
  std::mt19937 random(5);
  const auto within = [&](double least, double most) {
    return std::uniform_real_distribution<double>(least, most)(random);
  };
  const Blur blur{32, 1, 32};
  const Image<float> far = constant_disparity(Lamp::kSide, Lamp::kSide, 0);
  std::vector<double> stops, stops_before;
  for (int i = 0; i < 40; ++i) {
    const Lamp lamp(std::exp2(within(0.3, 5)), within(0.8, 2.6), within(-0.5, 0.5));
    const auto off = [&](const DofStyle& style) {
      return std::abs(std::log2(light_above(run(lamp.codes, far, blur, {}, style)) / lamp.all));
    };
    stops.push_back(off({.quality = DofQuality::good, .recover = 1}));
    stops_before.push_back(off({.quality = DofQuality::good}));
  }
  const auto median = [](std::vector<double>& of) {
    std::nth_element(of.begin(), of.begin() + 20, of.end());
    return of[20];
  };
  EXPECT_LT(median(stops), 0.35);
  EXPECT_GT(median(stops_before), 0.9) << "lamps that are not clipped prove nothing";
}

TEST_P(DofPasses, KnownLightIsTaken) {
  const Lamp lamp(14, 2, 0.2);
  LightRange light;
  const Image<float> known = upload(*context, Lamp(14, 2, 0.2).light);
  light.known = known.view();
  const Image<float> far = constant_disparity(Lamp::kSide, Lamp::kSide, 0);
  const double sum =
      light_above(run(lamp.codes, far, {32, 1, 32}, light, {.quality = DofQuality::good, .recover = 1}));
  EXPECT_NEAR(sum / lamp.all, 1, 0.06);
}

TEST_P(DofPasses, WhiteSurfacesAreNoLamps) {
  for (const int size : {12, 20, 30, 45, 200}) {  // a sign, paper, and half of the picture
    Image<std::uint8_t> image(kWidth, kHeight, 3);
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x)
        for (int c = 0; c < 3; ++c)
          image.view()(x, y, c) = x >= 60 && x < 60 + size && y >= 20 && y < 20 + size ? 255 : 40;
    const Image<float> far = constant_disparity(kWidth, kHeight, 0);
    const DofStyle plain{.quality = DofQuality::good}, recovered{.quality = DofQuality::good, .recover = 1};
    const Image<std::uint8_t> a = run(image, far, {8, 1, 8}, {}, plain),
                              b = run(image, far, {8, 1, 8}, {}, recovered);
    double more = 0;
    for (std::int64_t i = 0; i < a.view().extent(); ++i)
      more += light_of(b.view().data[i]) - light_of(a.view().data[i]);
    EXPECT_LT(more / static_cast<double>(a.view().extent()), 0.004) << size;
  }
}

TEST_P(DofPasses, HighlightsBeginWhereTheyAreToldTo) {
  Image<std::uint8_t> image(kWidth, kHeight, 1);
  std::fill_n(image.view().data, image.view().extent(), std::uint8_t{20});
  image.view()(60, 45) = 170;  // 0.4 of white's light
  const Image<float> far = constant_disparity(kWidth, kHeight, 0);
  const auto brightness = [&](float from, float range) {
    const DofStyle style{
        .quality = DofQuality::good, .highlights = 15, .highlights_from = from, .highlights_range = range};
    const Image<std::uint8_t> result = run(image, far, {3, 1, 3}, {}, style);
    double sum = 0;
    for (std::int64_t i = 0; i < result.view().extent(); ++i)
      sum += light_of(result.view().data[i]) - light_of(20);
    return sum;
  };
  const double plain = brightness(0.8f, 0.2f), whole = brightness(0.2f, 0.1f), part = brightness(0.2f, 0.4f);
  EXPECT_NEAR(plain, light_of(170) - light_of(20), 0.1);
  EXPECT_NEAR(whole, 16 * light_of(170), 0.5);
  EXPECT_NEAR(part, (1 + 15 * 0.25) * light_of(170), 0.4) << "half of the range is a quarter of the boost";
}

/// A letter F with a hole, which no turn makes alike.
constexpr const char* kLetter[] = {"########", "########", "##......", "##......", "######..",
                                   "######..", "##......", "##......", "##......", "##...###"};

Image<float> letter() {
  Image<float> light(8, 10);
  for (int y = 0; y < 10; ++y)
    for (int x = 0; x < 8; ++x) light.view()(x, y) = kLetter[y][x] == '#' ? 1.f : 0.f;
  return light;
}

TEST_P(DofPasses, LampsHaveTheOutlineOfAPicture) {
  constexpr int kSide = 151, kMiddle = 75;
  constexpr double kRadius = 24, kFill = 8;
  const Image<float> outline = letter();
  const BokehPicture picture(outline.view());
  Image<float> image(kSide, kSide, 3);
  std::fill_n(image.view().data, image.view().extent(), 0.f);
  for (int c = 0; c < 3; ++c) image.view()(kMiddle, kMiddle, c) = kFill;
  const Image<float> result = run(image, constant_disparity(kSide, kSide, 0), {kRadius, 1, kRadius},
                                  {.most = kFill}, {.quality = DofQuality::good, .picture = &picture});
  double cells = 0, middle_x = 0, middle_y = 0;
  for (int y = 0; y < 10; ++y)
    for (int x = 0; x < 8; ++x) {
      const double inside = kLetter[y][x] == '#';
      cells += inside;
      middle_x += inside * (x + 0.5);
      middle_y += inside * (y + 0.5);
    }
  const double cell = kRadius * std::sqrt(3.14159265 / cells);
  double light = 0, off = 0;
  for (int y = 0; y < kSide; ++y)
    for (int x = 0; x < kSide; ++x) {
      const int column = static_cast<int>(std::floor((x - kMiddle) / cell + middle_x / cells)),
                row = static_cast<int>(std::floor((y - kMiddle) / cell + middle_y / cells));
      const bool inside = column >= 0 && column < 8 && row >= 0 && row < 10 && kLetter[row][column] == '#';
      const double expected = inside ? kFill / (3.14159265 * kRadius * kRadius) : 0;
      off += std::abs(result.view()(x, y, 1) - expected) / 2;
      light += result.view()(x, y, 1);
    }
  EXPECT_NEAR(light, kFill, 0.02 * kFill);
  EXPECT_LT(off / kFill, 0.08) << "corners are rounded between cells";
}

TEST_P(DofPasses, PicturesWithoutLightAreRefused) {
  const Image<float> black = constant_disparity(4, 4, 0);
  EXPECT_THROW(BokehPicture(black.view()), Error);
  EXPECT_THROW(BokehPicture(View<const float>()), Error);
}

TEST_P(DofPasses, LargePicturesAreAveraged) {
  Image<float> small(64, 40), large(128, 80, 3);
  for (int y = 0; y < 80; ++y)
    for (int x = 0; x < 128; ++x) {
      const float light = x / 2 > y / 2 && y / 2 > 3 ? 1 : 0;
      small.view()(x / 2, y / 2) = light;
      for (int c = 0; c < 3; ++c) large.view()(x, y, c) = light;
    }
  const BokehPicture::Outline one(BokehPicture(std::as_const(small).view()), 20, 1);
  const BokehPicture::Outline other(BokehPicture(std::as_const(large).view()), 20, 1);
  EXPECT_EQ(one.rows(), other.rows());
  for (double y = -1; y < 1; y += 0.1) EXPECT_EQ(one.at(y), other.at(y)) << y;
}

SCANLENS_ON_EVERY_DEVICE(DofPasses);

}  // namespace
}  // namespace scanlens
