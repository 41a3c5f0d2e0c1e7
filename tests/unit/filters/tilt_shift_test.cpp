// Tilt and shift: depth of field whose circles grow away from a line.
#include <cmath>
#include <numbers>

#include "filters/depth_of_field.h"
#include "tests/unit/support/filters.h"

namespace scanlens {
namespace {

struct Line {
  double position = 0.5, band = 0.15, ramp = 0.35, angle = 0, radius = 5, saturation = 1;
};

FilterCall tilt_shift(const Line& line) {
  return parse_filter(fmt::format("tilt_shift:position={}:band={}:ramp={}:angle={}:radius={}:saturation={}",
                                  line.position, line.band, line.ramp, line.angle, line.radius,
                                  line.saturation));
}

/// The share of the largest circle at a pixel, below 0 above the line.
double share_at(const Line& line, std::int64_t width, std::int64_t height, std::int64_t x, std::int64_t y) {
  const double turn = line.angle * std::numbers::pi / 180;
  const double right = static_cast<double>(x) + 0.5 - static_cast<double>(width) / 2,
               below = static_cast<double>(y) + 0.5 - line.position * static_cast<double>(height);
  const double away = (right * std::sin(turn) + below * std::cos(turn)) / static_cast<double>(height);
  return std::copysign(std::clamp((std::abs(away) - line.band / 2) / line.ramp, 0.0, 1.0), away);
}

class TiltShift : public test::OnDevice {
 protected:
  template <class T>
  void check(std::int64_t width, std::int64_t height, const Line& line) {
    Image<float> shares(width, height);
    for (std::int64_t y = 0; y < height; ++y)
      for (std::int64_t x = 0; x < width; ++x)
        shares.view()(x, y) = static_cast<float>(share_at(line, width, height, x, y));
    const auto radius = static_cast<float>(line.radius);
    for (const int channels : {1, 3, 4}) {
      const Image<T> image = test::random_image<T>(width, height, channels);
      Image<T> expected(width, height, channels);
      depth_of_field<T>(host_, image.view(), shares.view(), Blur{radius, 0, radius}, expected.view(),
                        {.most = 64}, {.quality = DofQuality::good});
      const double slack = std::is_floating_point_v<T> ? 1e-5 : 1;
      for (const Image<T>& out : {test::filtered<T>(*context, tilt_shift(line), image.view()),
                                  test::streamed<T>(*context, tilt_shift(line), image.view(), 5)})
        for (std::int64_t i = 0; i < out.view().extent(); ++i)
          ASSERT_NEAR(out.view().data[i], expected.view().data[i], slack)
              << "sample " << i << " of " << width << " x " << height << " x " << channels;
    }
  }

 private:
  Context host_ = Context::open("cpu");
};

TEST_P(TiltShift, IsDepthOfFieldAwayFromALine) {
  for (const Line& line : {Line{}, Line{.position = 0.3, .radius = 9.3}, Line{.band = 0, .angle = 30},
                           Line{.position = 1, .ramp = 0.01, .angle = -90, .radius = 0.8},
                           Line{.band = 1, .ramp = 2, .radius = 40}, Line{.radius = 0}})
    for (const auto& [width, height] : {std::pair{1, 1}, {47, 1}, {1, 41}, {39, 33}}) {
      check<std::uint8_t>(width, height, line);
      check<std::uint16_t>(width, height, line);
      check<float>(width, height, line);
      if (HasFatalFailure()) return;
    }
}

TEST_P(TiltShift, WhatIsInFocusIsCopied) {
  const auto image = test::random_image<std::uint16_t>(40, 100, 3);
  const Image<std::uint16_t> out =
      test::filtered<std::uint16_t>(*context, tilt_shift({.position = 0.4, .band = 0.3}), image.view());
  for (int y = 26; y < 54; ++y)
    for (int i = 0; i < 120; ++i) ASSERT_EQ(out.view().row(y)[i], image.view().row(y)[i]) << y;
  EXPECT_NE(out.view()(3, 0), image.view()(3, 0));
}

TEST_P(TiltShift, WhiteStaysWhite) {
  for (const int channels : {1, 4}) {
    Image<std::uint8_t> image(400, 300, channels);
    std::fill_n(image.view().data, image.view().extent(), std::uint8_t{255});
    for (const double radius : {140.0, 1000.0})
      test::expect_equal<std::uint8_t>(
          test::filtered<std::uint8_t>(*context, tilt_shift({.position = 0, .radius = radius}), image.view())
              .view(),
          image.view(), fmt::format("radius {}", radius));
  }
}

TEST_P(TiltShift, ALightIsRound) {
  Image<std::uint8_t> image(81, 81, 3);
  std::fill_n(image.view().data, image.view().extent(), std::uint8_t{0});
  for (int y = 18; y < 23; ++y)
    for (int i = 3 * 38; i < 3 * 43; ++i) image.view().row(y)[i] = 255;
  const Image<std::uint8_t> out = test::filtered<std::uint8_t>(
      *context, tilt_shift({.position = 1, .band = 0, .ramp = 0.1, .radius = 14}), image.view());
  for (int y = 0; y < 41; ++y)
    for (int x = 20; x < 61; ++x) {
      const double away = std::hypot(x - 40, y - 20);
      if (away < 10) EXPECT_GT(out.view()(x, y), 40) << x << ", " << y;
      if (away > 19) EXPECT_EQ(out.view()(x, y), 0) << x << ", " << y;
    }
}

TEST_P(TiltShift, SaturationIsADistanceFromLuma) {
  Image<std::uint8_t> image(2, 1, 4);
  const std::uint8_t samples[] = {200, 100, 60, 77, 10, 10, 10, 255};
  std::copy_n(samples, 8, image.view().data);
  const auto made = [&](double saturation) {
    return test::filtered<std::uint8_t>(*context, tilt_shift({.radius = 0, .saturation = saturation}),
                                        image.view());
  };
  // Its luma is (54 * 200 + 183 * 100 + 19 * 60) / 256 = 118.1.
  const std::uint8_t none[] = {118, 118, 118, 77, 10, 10, 10, 255},
                     more[] = {241, 91, 31, 77, 10, 10, 10, 255};
  const Image<std::uint8_t> grey = made(0), strong = made(1.5);
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(grey.view().data[i], none[i]) << i;
    EXPECT_EQ(strong.view().data[i], more[i]) << i;
  }
}

SCANLENS_ON_EVERY_DEVICE(TiltShift);

}  // namespace
}  // namespace scanlens
