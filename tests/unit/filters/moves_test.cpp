// Cropped, turned, mirrored and padded pictures against loops over pixels; turned light against polygons.
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <optional>

#include "filters/color.h"
#include "tests/unit/support/filters.h"

namespace scanlens {
namespace {

/// The pixel of the picture that a pixel of the result is; nothing for the colour.
using Source =
    std::function<std::optional<std::pair<std::int64_t, std::int64_t>>(std::int64_t, std::int64_t)>;

template <class T>
T code_of(int byte) {
  if constexpr (std::is_floating_point_v<T>) return static_cast<T>(srgb_to_linear_in_double(byte / 255.0));
  return static_cast<T>(byte * (std::numeric_limits<T>::max() / 255));
}

/// Holds what a call makes of random pictures against the source of each pixel and one colour.
void expect_moved(Context& context, const std::string& text, std::int64_t width, std::int64_t height,
                  std::int64_t to_width, std::int64_t to_height, const Source& source,
                  const std::array<int, 3>& colour = {}) {
  SCOPED_TRACE(fmt::format("{} of {} x {}", text, width, height));
  const auto check = [&]<class T>(T, int channels) {
    const FilterCall call =
        at_size(parse_filter(text), {width, height, channels, static_cast<int>(sizeof(T))});
    const Image<T> image = test::random_image<T>(width, height, channels);
    const Image<T> out = test::filtered<T>(context, call, image.view());
    Image<T> expected(to_width, to_height, channels);
    for (std::int64_t y = 0; y < to_height; ++y)
      for (std::int64_t x = 0; x < to_width; ++x)
        for (int c = 0; c < channels; ++c) {
          const auto from = source(x, y);
          expected.view()(x, y, c) = from     ? image.view()(from->first, from->second, c)
                                     : c == 3 ? code_of<T>(255)
                                              : code_of<T>(colour[static_cast<std::size_t>(c)]);
        }
    test::expect_equal<T>(out.view(), expected.view(), "whole");
    for (const std::int64_t band : {1, 3, 16, 1000})
      test::expect_equal<T>(test::streamed<T>(context, call, image.view(), band).view(), expected.view(),
                            "bands of " + std::to_string(band));
  };
  check(std::uint8_t{}, 1);
  check(std::uint8_t{}, 3);
  check(std::uint16_t{}, 4);
  check(float{}, 3);
}

class Moves : public test::OnDevice {};

TEST_P(Moves, CropsAreParts) {
  const auto part = [&](const std::string& text, std::int64_t x, std::int64_t y, std::int64_t width,
                        std::int64_t height) {
    expect_moved(*context, text, 30, 20, width, height,
                 [=](std::int64_t i, std::int64_t j) { return std::pair(x + i, y + j); });
  };
  part("crop:width=10:height=8", 10, 6, 10, 8);
  part("crop:width=10:height=8:place=top-left", 0, 0, 10, 8);
  part("crop:width=10:height=8:place=bottom-right:x=3:y=2", 17, 10, 10, 8);
  part("crop:width=10:height=8:place=right", 20, 6, 10, 8);
  part("crop:width=10:height=8:x=-4:y=1", 6, 7, 10, 8);
  part("crop:width=50%:height=25%:place=bottom", 7, 15, 15, 5);
  part("crop:width=10%:place=top-left:x=20%:y=5", 6, 0, 3, 20);
  part("crop:aspect=1", 5, 0, 20, 20);
  part("crop:aspect=3/1", 0, 5, 30, 10);
  part("crop:aspect=2:height=10:place=top-left", 0, 0, 20, 10);
  part("crop:width=5000:height=3", 0, 8, 30, 3);
  part("crop:width=10:place=left:x=10000", 20, 0, 10, 20);
  part("crop:aspect=1000", 0, 9, 30, 1);
}

TEST_P(Moves, QuartersAndMirrorsOnlyMovePixels) {
  for (const auto& [width, height] :
       {std::pair<std::int64_t, std::int64_t>{1, 1}, {7, 1}, {13, 40}, {33, 9}}) {
    const std::int64_t w = width, h = height;
    const auto moved = [&](const std::string& text, std::int64_t to_width, std::int64_t to_height,
                           const Source& source) {
      expect_moved(*context, text, w, h, to_width, to_height, source);
    };
    moved("rotate", h, w, [=](std::int64_t x, std::int64_t y) { return std::pair(y, h - 1 - x); });
    moved("rotate:angle=-270deg", h, w,
          [=](std::int64_t x, std::int64_t y) { return std::pair(y, h - 1 - x); });
    moved("rotate:angle=180", w, h,
          [=](std::int64_t x, std::int64_t y) { return std::pair(w - 1 - x, h - 1 - y); });
    moved("rotate:angle=-90", h, w, [=](std::int64_t x, std::int64_t y) { return std::pair(w - 1 - y, x); });
    moved("rotate:angle=0", w, h, [](std::int64_t x, std::int64_t y) { return std::pair(x, y); });
    moved("flip", w, h, [=](std::int64_t x, std::int64_t y) { return std::pair(w - 1 - x, y); });
    moved("flip:axis=vertical", w, h,
          [=](std::int64_t x, std::int64_t y) { return std::pair(x, h - 1 - y); });
  }
}

TEST_P(Moves, PadsAndBordersAreAColourOrTheEdge) {
  const auto padded = [&](const std::string& text, std::int64_t left, std::int64_t top, std::int64_t width,
                          std::int64_t height, bool edge, const std::array<int, 3>& colour = {}) {
    expect_moved(
        *context, text, 12, 20, width, height,
        [=](std::int64_t x, std::int64_t y) -> std::optional<std::pair<std::int64_t, std::int64_t>> {
          const std::int64_t i = x - left, j = y - top;
          if (edge) return std::pair(std::clamp<std::int64_t>(i, 0, 11), std::clamp<std::int64_t>(j, 0, 19));
          if (i < 0 || i >= 12 || j < 0 || j >= 20) return std::nullopt;
          return std::pair(i, j);
        },
        colour);
  };
  padded("border:size=3", 3, 3, 18, 26, false);
  padded("border:size=25%:colour=edge", 3, 3, 18, 26, true);
  padded("border:size=0", 0, 0, 12, 20, false);
  padded("pad:aspect=1", 4, 0, 20, 20, false, {255, 255, 255});
  padded("pad:aspect=1/4:colour=#808080", 0, 14, 12, 48, false, {128, 128, 128});
  padded("pad:width=5:height=70:place=bottom:colour=edge", 0, 50, 12, 70, true);
  padded("pad:height=70:place=top-right:width=15:colour=black", 3, 0, 15, 70, false);
}

TEST_P(Moves, GreyHasTheLumaOfAColour) {
  const Image<std::uint8_t> dot = test::random_image<std::uint8_t>(1, 1, 1);
  const Image<std::uint8_t> out =
      test::filtered<std::uint8_t>(*context, parse_filter("border:size=1:colour=#ff8000"), dot.view());
  EXPECT_NEAR(out.view()(0, 0), 0.2126 * 255 + 0.7152 * 128, 1);
}

using Point = std::pair<double, double>;

/// Cuts off a polygon what lies beyond a x + b y = most.
std::vector<Point> cut(const std::vector<Point>& polygon, double a, double b, double most) {
  std::vector<Point> kept;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Point p = polygon[i], q = polygon[(i + 1) % polygon.size()];
    const double at_p = a * p.first + b * p.second - most, at_q = a * q.first + b * q.second - most;
    if (at_p <= 0) kept.push_back(p);
    if ((at_p < 0) != (at_q < 0) && at_p != at_q) {
      const double share = at_p / (at_p - at_q);
      if (share > 0 && share < 1)
        kept.emplace_back(p.first + share * (q.first - p.first), p.second + share * (q.second - p.second));
    }
  }
  return kept;
}

double area_of(const std::vector<Point>& polygon) {
  double twice = 0;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Point p = polygon[i], q = polygon[(i + 1) % polygon.size()];
    twice += p.first * q.second - q.first * p.second;
  }
  return std::abs(twice) / 2;
}

/// The light of a pixel of a turned picture in double: the polygon that its square shares with every pixel
/// in reach. Beside the picture is one colour.
std::vector<double> turned_light(View<const float> light, double degrees, std::int64_t width,
                                 std::int64_t height, std::int64_t column, std::int64_t row, double beside) {
  const double turn = degrees * std::numbers::pi / 180, c = std::cos(turn), s = std::sin(turn);
  std::vector<Point> square;
  for (const auto& [i, j] : {std::pair{0, 0}, {1, 0}, {1, 1}, {0, 1}}) {
    const double x = static_cast<double>(column + i) - static_cast<double>(width) / 2;
    const double y = static_cast<double>(row + j) - static_cast<double>(height) / 2;
    // A point of the picture at p lies turned clockwise at (p.x c - p.y s, p.x s + p.y c).
    square.emplace_back(x * c + y * s + static_cast<double>(light.width) / 2,
                        y * c - x * s + static_cast<double>(light.height) / 2);
  }
  std::vector<double> sums(static_cast<std::size_t>(light.channels));
  const auto left = static_cast<std::int64_t>(std::floor(square[0].first));
  const auto top = static_cast<std::int64_t>(std::floor(square[0].second));
  for (std::int64_t y = top - 2; y <= top + 2; ++y)
    for (std::int64_t x = left - 2; x <= left + 2; ++x) {
      std::vector<Point> part = square;
      part = cut(part, -1, 0, static_cast<double>(-x));
      part = cut(part, 1, 0, static_cast<double>(x + 1));
      part = cut(part, 0, -1, static_cast<double>(-y));
      part = cut(part, 0, 1, static_cast<double>(y + 1));
      const bool inside = x >= 0 && y >= 0 && x < light.width && y < light.height;
      for (int k = 0; k < light.channels; ++k)
        sums[static_cast<std::size_t>(k)] +=
            area_of(part) * (inside ? static_cast<double>(light(x, y, k)) : beside);
    }
  return sums;
}

TEST_P(Moves, TurnedLightIsTheMeanOfAreas) {
  for (const double degrees : {0.01, 1.0, 30.0, 45.0, 89.0, 135.0, -100.0, 271.5})
    for (const char* fit : {"grow", "same", "inside"}) {
      SCOPED_TRACE(fmt::format("{} degrees, {}", degrees, fit));
      const Image<float> image = test::random_image<float>(17, 11, 3);
      const FilterCall call = parse_filter(fmt::format("rotate:angle={}:fit={}:colour=white", degrees, fit));
      const Image<float> out = test::filtered<float>(*context, call, image.view());
      double most = 0;
      for (std::int64_t y = 0; y < out.height(); ++y)
        for (std::int64_t x = 0; x < out.width(); ++x) {
          const std::vector<double> light =
              turned_light(image.view(), degrees, out.width(), out.height(), x, y, 1);
          for (int c = 0; c < 3; ++c)
            most = std::max(most, std::abs(static_cast<double>(out.view()(x, y, c)) -
                                           light[static_cast<std::size_t>(c)]));
        }
      EXPECT_LT(most, 1e-6);
      test::expect_equal<float>(test::streamed<float>(*context, call, image.view(), 4).view(), out.view(),
                                "bands");
    }
}

TEST_P(Moves, TurnedCodesAreTheirLightsMean) {
  Image<std::uint8_t> image = test::random_image<std::uint8_t>(19, 14, 3);
  Image<float> light(19, 14, 3);
  for (std::int64_t i = 0; i < light.view().extent(); ++i)
    light.view().data[i] = static_cast<float>(srgb_to_linear_in_double(image.view().data[i] / 255.0));
  const FilterCall call = parse_filter("rotate:angle=-23.5:colour=black");
  const Image<std::uint8_t> out = test::filtered<std::uint8_t>(*context, call, image.view());
  for (std::int64_t y = 0; y < out.height(); ++y)
    for (std::int64_t x = 0; x < out.width(); ++x) {
      const std::vector<double> expected =
          turned_light(light.view(), -23.5, out.width(), out.height(), x, y, 0);
      for (int c = 0; c < 3; ++c) {
        const double mean = expected[static_cast<std::size_t>(c)];
        const double code = mean <= 0.04045 / 12.92 ? mean * 12.92 : 1.055 * std::pow(mean, 1 / 2.4) - 0.055;
        ASSERT_NEAR(out.view()(x, y, c), 255 * code, 0.501) << x << ", " << y;
      }
    }
}

TEST(RotateSizes, HoldAllOrNoCorner) {
  const auto size_of = [](const std::string& text, std::int64_t width, std::int64_t height) {
    const RowFormat made = output_of(parse_filter(text), {width, height, 3, 1});
    return std::pair(made.width, made.height);
  };
  using Size = std::pair<std::int64_t, std::int64_t>;
  EXPECT_EQ(size_of("rotate:angle=45", 100, 100), Size(142, 142));
  EXPECT_EQ(size_of("rotate:angle=45:fit=inside", 100, 100), Size(70, 70));
  EXPECT_EQ(size_of("rotate:angle=30:fit=same", 100, 50), Size(100, 50));
  EXPECT_EQ(size_of("rotate:angle=90", 100, 50), Size(50, 100));
  EXPECT_EQ(size_of("rotate:angle=45:fit=inside", 1000, 10), Size(7, 7));
  // No corner shows: turned about its middle, a white picture stays white on black.
  for (const double degrees : {1.0, 7.0, 33.0, 50.0, 88.0, 120.0})
    for (const auto& [width, height] : {Size{40, 30}, Size{30, 40}, Size{60, 8}}) {
      Image<float> white(width, height);
      std::fill_n(white.view().data, white.view().extent(), 1.f);
      Context cpu = Context::open("cpu");
      const Image<float> out = test::filtered<float>(
          cpu, parse_filter(fmt::format("rotate:angle={}:fit=inside:colour=black", degrees)), white.view());
      const float least = *std::min_element(out.view().data, out.view().data + out.view().extent());
      EXPECT_GT(least, 0.9999f) << degrees << " degrees, " << width << " x " << height;
    }
}

SCANLENS_ON_EVERY_DEVICE(Moves);

}  // namespace
}  // namespace scanlens
