// Tilt and shift against a loop over the pixels of each box, in double.
#include <cmath>
#include <numbers>

#include "tests/unit/support/filters.h"

namespace scanlens {
namespace {

struct Line {
  double position = 0.5, band = 0.15, ramp = 0.35, angle = 0, radius = 5;
};

FilterCall tilt_shift(const Line& line) {
  return parse_filter(fmt::format("tilt_shift:position={}:band={}:ramp={}:angle={}:radius={}", line.position,
                                  line.band, line.ramp, line.angle, line.radius));
}

/// The radius of the circle at a pixel.
double radius_at(const Line& line, std::int64_t width, std::int64_t height, std::int64_t x, std::int64_t y) {
  const double turn = line.angle * std::numbers::pi / 180;
  const double right = static_cast<double>(x) + 0.5 - static_cast<double>(width) / 2,
               below = static_cast<double>(y) + 0.5 - line.position * static_cast<double>(height);
  const double away = std::abs(right * std::sin(turn) + below * std::cos(turn)) / static_cast<double>(height);
  return line.radius * std::clamp((away - line.band / 2) / line.ramp, 0.0, 1.0);
}

/// Light of a code, and the code of light, in double.
double decoded(double code) {
  return code <= 0.04045 ? code / 12.92 : std::pow((code + 0.055) / 1.055, 2.4);
}
double encoded(double light) {
  return light <= 0.0031308 ? light * 12.92 : 1.055 * std::pow(light, 1 / 2.4) - 0.055;
}

/// The weight of a pixel `away` columns or rows away in the square of the circle's area.
double weight_of(std::int64_t away, double radius) {
  const double area = std::max(1.0, std::numbers::pi * radius * radius);
  const auto inner = static_cast<std::int64_t>((std::sqrt(area) - 1) / 2);
  if (away <= inner) return 1;
  const auto side = static_cast<double>(2 * inner + 1);
  return away == inner + 1 ? (area - side * side) / (8 * static_cast<double>(inner + 1)) : 0;
}

template <class T>
void expect_defocused(View<const T> out, View<const T> image, const Line& line) {
  constexpr bool kFloat = std::is_floating_point_v<T>;
  const double most = kFloat ? 1 : sizeof(T) == 1 ? 255 : 65535;
  const auto reach = static_cast<std::int64_t>(line.radius) + 2;
  for (std::int64_t y = 0; y < image.height; ++y)
    for (std::int64_t x = 0; x < image.width; ++x) {
      const double radius = radius_at(line, image.width, image.height, x, y);
      double sums[4] = {}, area = 0, weights = 0;
      for (std::int64_t j = std::max<std::int64_t>(0, y - reach); j <= std::min(image.height - 1, y + reach);
           ++j)
        for (std::int64_t i = std::max<std::int64_t>(0, x - reach); i <= std::min(image.width - 1, x + reach);
             ++i) {
          const double weight = weight_of(std::max(std::abs(x - i), std::abs(y - j)), radius);
          const double alpha = image.channels == 4 ? static_cast<double>(image(i, j, 3)) / most : 1;
          area += weight;
          weights += weight * alpha;
          for (int c = 0; c < std::min(image.channels, 3); ++c) {
            const double value = static_cast<double>(image(i, j, c)) / most;
            sums[c] += weight * alpha * (kFloat ? value : decoded(value));
          }
        }
      for (int c = 0; c < image.channels; ++c) {
        const bool copied = std::numbers::pi * radius * radius <= 1 || (c < 3 && weights == 0);
        const double mean = c == 3 ? weights / area : kFloat ? sums[c] / weights : encoded(sums[c] / weights);
        const double expected = copied ? static_cast<double>(image(x, y, c)) : mean * most;
        ASSERT_NEAR(static_cast<double>(out(x, y, c)), expected,
                    copied   ? 0
                    : kFloat ? 1e-5
                             : 0.6)
            << "at (" << x << ", " << y << ") channel " << c << " of " << image.channels << ", " << sizeof(T)
            << " bytes, radius " << radius;
      }
    }
}

class TiltShift : public test::OnDevice {
 protected:
  template <class T>
  void check(std::int64_t width, std::int64_t height, const Line& line) {
    for (const int channels : {1, 3, 4}) {
      Image<T> image = test::random_image<T>(width, height, channels);
      if (channels == 4)  // a part that is not there
        for (std::int64_t y = 0; y < height / 2; ++y)
          for (std::int64_t x = 0; x < width / 2; ++x) image.view()(x, y, 3) = T(0);
      expect_defocused<T>(test::filtered<T>(*context, tilt_shift(line), image.view()).view(), image.view(),
                          line);
      expect_defocused<T>(test::streamed<T>(*context, tilt_shift(line), image.view(), 5).view(), image.view(),
                          line);
    }
  }
};

TEST_P(TiltShift, IsTheMeanOverTheBoxOfTheCirclesArea) {
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

// Sums of light need 64 bits here.
TEST_P(TiltShift, WhiteStaysWhite) {
  for (const int channels : {1, 4}) {
    Image<std::uint8_t> image(400, 300, channels);
    std::fill_n(image.view().data, image.view().extent(), std::uint8_t{255});
    for (const double radius : {140.0, 146.0, 1000.0})
      test::expect_equal<std::uint8_t>(
          test::filtered<std::uint8_t>(*context, tilt_shift({.position = 0, .radius = radius}), image.view())
              .view(),
          image.view(), fmt::format("radius {}", radius));
  }
}

SCANLENS_ON_EVERY_DEVICE(TiltShift);

}  // namespace
}  // namespace scanlens
